internal import DoorwardControl
internal import DoorwardDomain
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import Synchronization

/// The body of a response that is produced while it is sent.
///
/// The next chunk is asked for once the connection has taken the last one: a slow reader holds up the producer, and nothing is
/// kept for it but what the socket buffers. A producer is cancelled when its client leaves or is cut for reading nothing.
struct StreamedBody: Sendable {
    private let produce: @Sendable (_ send: (ByteBuffer) async throws -> Void) async throws -> Void

    init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == [UInt8] {
        produce = { send in for try await chunk in chunks { try await send(ByteBuffer(bytes: chunk)) } }
    }

    /// As the server sends it, with one line in the log at its end, whichever that is.
    func responseBody(to context: GatewayContext, log: StreamLog) -> ResponseBody {
        let (client, facts) = (context.client, context.facts)
        return ResponseBody { writer in
            let target = Target(writer)
            do {
                // On a task of its own, so that it can be cancelled by itself, and off the connection's event loop.
                try await client.whileConnected {
                    try await RequestFacts.$current.withValue(facts) {
                        try await produce { chunk in
                            try await target.send(chunk)
                            log.sent(chunk.readableBytes)
                        }
                    }
                    // A sequence may end where its task is cancelled: that is no end of the body.
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

    /// Where the chunks go.
    ///
    /// Unchecked: Hummingbird's writer is a handle of a channel's `Sendable` writer, which its protocol does not say. One task uses it
    /// at a time: the connection's own waits while the producer's writes.
    private final class Target: @unchecked Sendable {  // One task uses it at a time.
        private var writer: any ResponseBodyWriter
        /// Whether the connection takes no more.
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

/// The line in the log, and the count, of a response that is streamed: once, at its end. One that is dropped before it began, as its
/// client has left, has its line when the response is freed.
final class StreamLog: Sendable {
    enum End: Sendable {
        /// The client got all of it.
        case complete
        /// The client left, read nothing for too long, or the server stopped.
        case cut
        /// The producer threw.
        case failed(String)
    }

    private let log: RequestLog
    private let status: Int
    private let begun: MonotonicInstant
    private let facts: RequestFacts
    private let context: GatewayContext
    private let bytes = Atomic(0)
    private let hasEnded = Atomic(false)

    init(_ log: RequestLog, _ status: Int, since begun: MonotonicInstant, _ facts: RequestFacts, _ context: GatewayContext) {
        (self.log, self.status, self.begun, self.facts, self.context) = (log, status, begun, facts, context)
    }

    deinit { end(.cut) }

    func sent(_ count: Int) { bytes.add(count, ordering: .relaxed) }

    func end(_ end: End) {
        guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        log.end(status, since: begun, facts, context, streamed: (bytes.load(ordering: .relaxed), end))
    }
}
