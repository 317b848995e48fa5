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

    /// - Parameter produce: passes each chunk to `send`, and waits for it.
    init(_ produce: @escaping @Sendable (_ send: (ByteBuffer) async throws -> Void) async throws -> Void) {
        self.produce = produce
    }

    init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == [UInt8] {
        produce = { send in for try await chunk in chunks { try await send(ByteBuffer(bytes: chunk)) } }
    }

    /// Makes the body that the server sends. One line is logged when the body ends, for any reason.
    func responseBody(to context: GatewayContext, log: StreamLog) -> ResponseBody {
        let (client, facts) = (context.client, context.facts)
        return ResponseBody { writer in
            let target = Target(writer)
            do {
                // Run the producer on a separate task, so that it can be cancelled alone and does
                // not occupy the connection's event loop.
                try await client.whileConnected {
                    try await RequestMetadata.$current.withValue(facts) {
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
    }

    private let log: RequestLog
    private let status: Int
    private let begun: MonotonicInstant
    private let facts: RequestMetadata
    private let context: GatewayContext
    private let bytes = Atomic(0)
    private let hasEnded = Atomic(false)

    init(_ log: RequestLog, _ status: Int, since begun: MonotonicInstant, _ facts: RequestMetadata, _ context: GatewayContext) {
        (self.log, self.status, self.begun, self.facts, self.context) = (log, status, begun, facts, context)
    }

    deinit { end(.cut) }

    func sent(_ count: Int) { bytes.add(count, ordering: .relaxed) }

    func end(_ end: End) {
        guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        log.end(status, since: begun, facts, context, streamed: (bytes.load(ordering: .relaxed), end))
    }
}

/// Compression with gzip: of files that are the same for everybody, and of lists of locks, which contain no secret. In a response
/// that contains a secret beside a text of the caller, the compressed length would reveal something about the secret.
enum Gzip {
    enum Effort {
        /// For bytes that are compressed once and sent often.
        case smallest
        /// For bytes that are sent once.
        case fastest
    }

    /// The bytes in the format of gzip (RFC 1952), without a name and a time, so that the same bytes always become the same;
    /// `nil` if zlib gets no memory.
    static func compress(_ bytes: [UInt8], _ effort: Effort = .smallest) -> [UInt8]? {
        // zlib keeps the address of the stream.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        let size = Int32(MemoryLayout<z_stream>.size)
        // A window of 2^15 bytes, and 16 for the format of gzip.
        let begun = deflateInit2_(
            stream, effort == .smallest ? Z_BEST_COMPRESSION : Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY,
            ZLIB_VERSION, size)
        guard begun == Z_OK else { return nil }
        defer { deflateEnd(stream) }
        let bound = Int(deflateBound(stream, uLong(bytes.count)))
        var isWhole = false
        let compressed = bytes.withUnsafeBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: bound) { output, count in
                // zlib reads the input and does not write to it.
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = uInt(input.count)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = uInt(bound)
                isWhole = deflate(stream, Z_FINISH) == Z_STREAM_END
                count = bound - Int(stream.pointee.avail_out)
            }
        }
        return isWhole ? compressed : nil
    }

    /// Whether the client of a request accepts gzip: `Accept-Encoding` names it, and not with `q=0` (RFC 9110, section 12.5.3).
    static func isAccepted(by headers: RequestHeaders) -> Bool {
        headers[values: .acceptEncoding].flatMap { $0.split(separator: ",") }.contains { coding in
            let parts = coding.split(separator: ";", omittingEmptySubsequences: false).map { String($0).trimmed.lowercased() }
            guard parts.first == "gzip" else { return false }
            return !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
        }
    }
}

extension APIResponse {
    /// Returns the same response, compressed if the client accepts that. Only for bodies without secrets.
    func compressed(for headers: RequestHeaders) -> APIResponse {
        var answer = self
        answer.headers[.vary] = "Accept-Encoding"
        if Gzip.isAccepted(by: headers), let body = Gzip.compress(body, .fastest) {
            answer.body = body
            answer.headers[.contentEncoding] = "gzip"
        }
        return answer
    }
}
