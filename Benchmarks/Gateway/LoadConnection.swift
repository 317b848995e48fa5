internal import BenchmarkSupport
internal import NIOCore

/// One connection of the load generator. It sends its requests in order, each after the response to
/// the preceding request, until the load ends.
final class LoadConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The measurements of one connection: the time of each response in nanoseconds, and the number of responses other than 200.
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
    /// Nanoseconds between the starts of two requests; `nil` to send each request after the response to the preceding request.
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
    ///   - number: the number of the first request; each later request has the next number.
    ///   - end: the end of the load, by `Stopwatch.now()`.
    ///   - pace: the time of the first request, and the nanoseconds between two requests; `nil` to send as fast as possible.
    init(
        _ requests: [String], number: Int, end: UInt64, pace: (start: UInt64, interval: UInt64)?, done: EventLoopPromise<Log>
    ) {
        self.requests = requests.map { Request($0) }
        (self.number, self.end, self.done) = (number, end, done)
        (sent, interval) = (pace?.start ?? 0, pace?.interval)
    }

    func channelActive(context: ChannelHandlerContext) { sendWhenDue(context) }

    /// Sends the next request when it is due. The response time of a late request is measured from the instant at which it was
    /// due, so that a slow response does not hide the waiting time of later requests.
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
