import BenchmarkSupport
import Foundation
import NIOCore
import NIOHTTP1

/// What the streams of this process have received. It is used on their event loop only.
struct Received {
    /// The number of streams whose names are all complete.
    var ready = 0
    /// The number of streams that have ended.
    var ended = 0
    var changes = 0
    var bytes = 0
    /// The text in the change that is awaited.
    var mark: [UInt8] = []
    /// The times at which the streams received it.
    var times: [UInt64] = []
    /// The number of streams that have to receive it.
    var expected = 0
    /// Succeeds when all of them have.
    var isComplete: EventLoopPromise<Void>?

    mutating func await(_ mark: String, by streams: Int, _ promise: EventLoopPromise<Void>) {
        (self.mark, times, expected, isComplete) = (Array(mark.utf8), [], streams, promise)
    }

    /// Notes that a stream has received the awaited change.
    mutating func note() {
        times.append(Stopwatch.now())
        completeIfAll()
    }

    /// Notes that a stream has ended.
    mutating func noteEnd(hasReceived: Bool) {
        ended += 1
        guard !mark.isEmpty, !hasReceived else { return }
        expected -= 1
        completeIfAll()
    }

    private mutating func completeIfAll() {
        if times.count >= expected {
            isComplete?.succeed()
            (isComplete, mark) = (nil, [])
        }
    }
}

/// One open stream: reads its events, of which it keeps none.
final class WatchingStream: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    struct Failure: Error { let status: UInt }
    struct NotReceived: Error { let streams: Int }

    private let path: String
    private let token: String
    private let received: NIOLoopBoundBox<Received>
    private let done: EventLoopPromise<Void>
    private var text = ByteBuffer()
    private var missing: Int
    /// Whether the stream has received the change that is awaited.
    private var lastMark: [UInt8] = []

    /// - Parameters:
    ///   - names: the number of names in the path.
    ///   - done: succeeds when all names are complete.
    init(path: String, names: Int, token: String, _ received: NIOLoopBoundBox<Received>, done: EventLoopPromise<Void>) {
        (self.path, self.token, self.received, self.done) = (path, token, received, done)
        missing = names
    }

    func channelActive(context: ChannelHandlerContext) {
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path)
        head.headers = ["Host": "127.0.0.1", "Authorization": "Bearer \(token)"]
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): if head.status != .ok { fail(Failure(status: head.status.code), context) }
        case .body(var part):
            received.value.bytes += part.readableBytes
            text.writeBuffer(&part)
            while let end = find("\n\n") {
                guard let event = text.readSlice(length: end + 2) else { return }
                read(event)
            }
            text.discardReadBytes()
        case .end: break
        }
    }

    private func find(_ pattern: StaticString) -> Int? {
        text.withUnsafeReadableBytes {
            Self.find($0, UnsafeRawBufferPointer(start: pattern.utf8Start, count: pattern.utf8CodeUnitCount))
        }
    }

    private static func find(_ bytes: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer) -> Int? {
        guard let all = bytes.baseAddress, let wanted = pattern.baseAddress else { return nil }
        var start = 0
        while bytes.count - start >= pattern.count,
            let found = memchr(all + start, Int32(pattern[0]), bytes.count - start - pattern.count + 1)
        {
            if memcmp(found, wanted, pattern.count) == 0 { return UnsafeRawPointer(found) - all }
            start = UnsafeRawPointer(found) - all + 1
        }
        return nil
    }

    private func read(_ event: ByteBuffer) {
        event.withUnsafeReadableBytes { bytes in
            func has(_ word: StaticString) -> Bool {
                let pattern = UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
                return Self.find(UnsafeRawBufferPointer(rebasing: bytes.prefix(400)), pattern) != nil
            }
            if has("\nevent: change\n") {
                received.value.changes += 1
                let mark = received.value.mark
                guard !mark.isEmpty, mark != lastMark, mark.withUnsafeBytes({ Self.find(bytes, $0) }) != nil else { return }
                lastMark = mark
                received.value.note()
            } else if has("\nevent: ready\n") {
                missing -= 1
                guard missing == 0 else { return }
                received.value.ready += 1
                done.succeed()
            }
        }
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        done.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        received.value.noteEnd(hasReceived: received.value.mark == lastMark)
        done.fail(ChannelError.inputClosed)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(error, context) }
}
