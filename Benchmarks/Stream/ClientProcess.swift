import BenchmarkSupport
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// The clients of a gateway: many open streams, and one connection for requests. All of them are on one event loop, whose clock
/// measures when a request was sent and when each stream received its effect.
final class ClientProcess: Sendable {
    /// Streams that are opened at the same time.
    private static let openers = 64
    /// The time after which a change counts as lost.
    private static let patience = TimeAmount.seconds(20)

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let loop: any EventLoop
    private let received: NIOLoopBoundBox<Received>
    private let port: Int

    init(port: Int) {
        (self.port, loop) = (port, group.next())
        received = NIOLoopBoundBox.makeBoxSendingValue(Received(), eventLoop: loop)
    }

    func stop() async throws { try await group.shutdownGracefully() }

    /// What the streams have received so far.
    var state: Received { get async throws { try await loop.submit { [received] in received.value }.get() } }

    // MARK: Streams

    /// Opens streams, and returns when all names of all streams are complete.
    ///
    /// - Parameters:
    ///   - count: the number of streams, which the users open in turn.
    ///   - names: the names with their types and queries, such as `doors:device:`.
    func open(_ count: Int, _ tokens: [String], _ names: [String]) async throws -> [any Channel] {
        let path = "/api/v1/stream?" + names.map { "subscribe=\($0)" }.joined(separator: "&")
        return try await withThrowingTaskGroup(of: [any Channel].self) { tasks in
            for opener in 0..<min(count, Self.openers) {
                tasks.addTask { [self] in
                    var channels: [any Channel] = []
                    for number in stride(from: opener, to: count, by: Self.openers) {
                        channels.append(try await open(path, names.count, tokens[number % tokens.count]))
                    }
                    return channels
                }
            }
            return try await tasks.reduce(into: []) { $0 += $1 }
        }
    }

    private func open(_ path: String, _ names: Int, _ token: String) async throws -> any Channel {
        let done = loop.makePromise(of: Void.self)
        let received = received
        let channel = try await ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(
                        WatchingStream(path: path, names: names, token: token, received, done: done))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        try await done.futureResult.get()
        return channel
    }

    /// Closes the streams. Those that the gateway has ended are not counted any more.
    func close(_ channels: [any Channel]) async {
        for channel in channels { channel.close(promise: nil) }
        for channel in channels { try? await channel.closeFuture.get() }
        try? await loop.submit { [received] in received.value.ended = 0 }.get()
    }

    // MARK: Changes

    /// A connection for requests.
    func connect() async throws -> any Channel {
        try await ClientBootstrap(group: loop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(Caller())
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
    }

    /// The effects of one request, in nanoseconds after it was sent.
    struct Effect {
        /// When its response was received.
        let answered: UInt64
        /// When the streams received the change, in ascending order.
        let received: [UInt64]
    }

    /// Sends a request, and waits until it is answered and all streams have received the change.
    ///
    /// - Parameter mark: a text that the change has, and the one before has not.
    func change(_ call: Call, _ mark: String, over channel: any Channel, reaching streams: Int) async throws -> Effect {
        let (received, loop) = (received, loop)
        let sent: (at: UInt64, answered: EventLoopFuture<UInt64>, isComplete: EventLoopFuture<Void>) = try await loop.submit {
            let (answered, isComplete) = (loop.makePromise(of: UInt64.self), loop.makePromise(of: Void.self))
            received.value.await(mark, by: streams - received.value.ended, isComplete)
            let timeout = loop.scheduleTask(in: Self.patience) {
                isComplete.fail(WatchingStream.NotReceived(streams: received.value.expected - received.value.times.count))
            }
            isComplete.futureResult.whenComplete { _ in timeout.cancel() }
            let now = Stopwatch.now()
            try channel.pipeline.syncOperations.handler(type: Caller.self).send(call, answered)
            return (now, answered.futureResult, isComplete.futureResult)
        }.get()
        let answered = try await sent.answered.get()
        try await sent.isComplete.get()
        let times = try await state.times.sorted()
        return Effect(answered: answered - sent.at, received: times.map { $0 - sent.at })
    }

    /// Sends a request without waiting for its effect.
    func send(_ call: Call, over channel: any Channel) async throws {
        let answered = loop.makePromise(of: UInt64.self)
        try await loop.submit { try channel.pipeline.syncOperations.handler(type: Caller.self).send(call, answered) }.get()
        _ = try await answered.futureResult.get()
    }
}

/// One request.
struct Call {
    let method: HTTPMethod
    let path: String
    let token: String
    var body = ""
}

/// A connection that sends requests, each after the response to the one before.
final class Caller: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private var answered: EventLoopPromise<UInt64>?
    private var status = HTTPResponseStatus.ok
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func send(_ call: Call, _ answered: EventLoopPromise<UInt64>) {
        guard let context else { return answered.fail(ChannelError.ioOnClosedChannel) }
        self.answered = answered
        var head = HTTPRequestHead(version: .http1_1, method: call.method, uri: call.path)
        head.headers = [
            "Host": "127.0.0.1", "Authorization": "Bearer \(call.token)", "Content-Length": "\(call.body.utf8.count)",
        ]
        if !call.body.isEmpty { head.headers.add(name: "Content-Type", value: "application/json") }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: call.body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): status = head.status
        case .body: break
        case .end:
            let promise = answered
            answered = nil
            if (200..<300).contains(status.code) {
                promise?.succeed(Stopwatch.now())
            } else {
                promise?.fail(WatchingStream.Failure(status: status.code))
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) { answered?.fail(ChannelError.inputClosed) }
}
