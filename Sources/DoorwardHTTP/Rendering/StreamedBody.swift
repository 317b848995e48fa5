internal import CZlib
internal import DoorwardControl
internal import DoorwardDomain
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import Synchronization

/// The body of a response that is produced while it is sent.
///
/// The next chunk is requested once the connection has accepted the previous one: a slow reader slows the producer down, and only
/// the socket buffers data for it. A producer is cancelled when its client disconnects, or when the server closes the connection
/// because the client reads nothing.
struct StreamedBody: Sendable {
    /// Passes each chunk to `send`, and waits for it.
    let produce: @Sendable (_ send: (ByteBuffer) async throws -> Void) async throws -> Void

    /// Makes the body that the server sends. One line is logged when the body ends, for any reason.
    func responseBody(to context: GatewayContext, log: StreamLog) -> ResponseBody {
        let (client, metadata) = (context.client, context.metadata)
        return ResponseBody { writer in
            let target = Target(writer)
            do {
                // Run the producer on a separate task, so that it can be cancelled alone and does
                // not occupy the connection's event loop.
                try await client.whileConnected {
                    try await RequestMetadata.$current.withValue(metadata) {
                        try await produce { chunk in
                            try await target.send(chunk)
                            log.sent(chunk.readableBytes)
                        }
                    }
                    // A sequence may end without an error when its task is cancelled; the body is incomplete then.
                    try Task.checkCancellation()
                }
                try await writer.finish(nil)
            } catch {
                log.end(target.isLost || error is CancellationError ? .cut : .failed("\(error)"))
                throw error
            }
            log.end(.complete)
        }
    }

    /// The writer that the chunks are sent to.
    ///
    /// Unchecked: Hummingbird's writer wraps a channel's writer, which is `Sendable`, but the protocol `ResponseBodyWriter` does
    /// not declare it. One task uses the writer at a time: the connection's task waits while the producer's task writes.
    private final class Target: @unchecked Sendable {  // One task uses it at a time.
        private var writer: any ResponseBodyWriter
        /// Whether the connection accepts no more data.
        private let lost = Atomic(false)
        var isLost: Bool { lost.load(ordering: .acquiring) }

        init(_ writer: any ResponseBodyWriter) { self.writer = writer }

        func send(_ chunk: ByteBuffer) async throws {
            do {
                try await writer.write(chunk)
            } catch {
                lost.store(true, ordering: .releasing)
                throw error
            }
        }
    }
}

extension StreamedBody {
    init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == [UInt8] {
        self.init { send in for try await chunk in chunks { try await send(ByteBuffer(bytes: chunk)) } }
    }
}

/// Logs and counts a streamed response once, at its end. A response that is dropped before it began, because its client disconnected,
/// is logged when it is freed.
final class StreamLog: Sendable {
    enum End: Sendable {
        /// The client got the whole body.
        case complete
        /// The client disconnected or read nothing for too long, or the server stopped.
        case cut
        /// The producer threw.
        case failed(String)

        /// The value of `body` in the log line: whether the client got the whole body.
        var word: String {
            switch self {
            case .complete: "complete"
            case .cut: "cut"
            case .failed: "failed"
            }
        }
    }

    private let report: @Sendable ((bytes: Int, end: End)) -> Void
    private let bytes = Atomic(0)
    private let hasEnded = Atomic(false)

    /// - Parameter report: called once, with the number of bytes that the connection accepted, and how the body ended.
    init(_ report: @escaping @Sendable ((bytes: Int, end: End)) -> Void) { self.report = report }

    deinit { end(.cut) }

    func sent(_ count: Int) { bytes.add(count, ordering: .relaxed) }

    func end(_ end: End) {
        guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        report((bytes.load(ordering: .relaxed), end))
    }
}
