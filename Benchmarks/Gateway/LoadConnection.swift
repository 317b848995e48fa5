internal import BenchmarkSupport
internal import NIOCore

/// One connection of the load: sends its requests in turn, each when the one before it was answered, until the end.
final class LoadConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// What one connection saw: how long each answer took in nanoseconds, and how many were not 200.
    struct Log: Sendable {
        var times: [UInt64] = []
        var failed = 0
    }

    private let requests: [Request]
    private let end: UInt64
    private let done: EventLoopPromise<Log>
    private var log = Log()
    private var received = ByteBuffer()
    private var sent: UInt64 = 0
    /// Nanoseconds from one request to the next; `nil`: a request follows the response to the one before.
    private let interval: UInt64?
    private var number: Int

    private struct Request {
        var bytes: ByteBuffer
        let numberAt: Int?

        init(_ text: String) {
            bytes = ByteBuffer(string: text)
            numberAt = text.firstRange(of: LoadPlan.numberMark).map {
                text.utf8.distance(from: text.startIndex, to: $0.lowerBound)
            }
        }
    }

    /// - Parameters:
    ///   - number: of the first request; later ones count on.
    ///   - end: by `Stopwatch.now()`.
    ///   - pace: when the first request is to be sent, and nanoseconds from one to the next; `nil`: as soon as possible.
    init(
        _ requests: [String], number: Int, end: UInt64, pace: (start: UInt64, interval: UInt64)?, done: EventLoopPromise<Log>
    ) {
        self.requests = requests.map { Request($0) }
        (self.number, self.end, self.done) = (number, end, done)
        (sent, interval) = (pace?.start ?? 0, pace?.interval)
    }

    func channelActive(context: ChannelHandlerContext) { sendWhenDue(context) }

    /// A late request counts from when it was due, so that a slow response does not hide the waiting behind it.
    private func sendWhenDue(_ context: ChannelHandlerContext) {
        guard let interval else {
            sent = Stopwatch.now()
            return send(context)
        }
        sent += interval
        let (now, bound) = (Stopwatch.now(), NIOLoopBound((self, context), eventLoop: context.eventLoop))
        guard sent > now else { return send(context) }
        context.eventLoop.scheduleTask(in: .nanoseconds(Int64(sent - now))) { bound.value.0.send(bound.value.1) }
    }

    private func send(_ context: ChannelHandlerContext) {
        var request = requests[number % requests.count]
        if let place = request.numberAt {
            let digits = String(number)
            let padding = String(repeating: "0", count: LoadPlan.numberMark.count - digits.utf8.count)
            request.bytes.setString(padding + digits, at: place)
        }
        number += 1
        context.writeAndFlush(wrapOutboundOut(request.bytes), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.writeImmutableBuffer(unwrapInboundIn(data))
        while let response = ResponseReader.take(from: &received) {
            received.discardReadBytes()
            let now = Stopwatch.now()
            log.times.append(now - sent)
            if response.status != 200 { log.failed += 1 }
            guard now < end else { return finish(context) }
            sendWhenDue(context)
        }
    }

    private func finish(_ context: ChannelHandlerContext) {
        done.succeed(log)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { done.succeed(log) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        done.fail(error)
        context.close(promise: nil)
    }
}
