internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// Reports arriving bytes to a connection before they are parsed as HTTP, so that the timeouts also
/// apply to a head that never ends.
final class ArrivalHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let connection: ClientConnection
    private let table: ConnectionTable
    /// Counts the writes in progress; `nil` on a connection without a live stream.
    private var progress: WriteProgress?

    init(_ connection: ClientConnection, _ table: ConnectionTable) { (self.connection, self.table) = (connection, table) }

    /// Begins to count writes. Called on the event loop.
    func trackWrites(of channel: any Channel) -> WriteProgress {
        let progress = progress ?? WriteProgress(channel)
        self.progress = progress
        return progress
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let progress else { return context.write(data, promise: promise) }
        progress.begin()
        let promise = promise ?? context.eventLoop.makePromise()
        promise.futureResult.whenComplete { _ in progress.end() }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard connection.receivedBytes(unwrapInboundIn(data).readableBytes, table.limits, at: table.now) else {
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        connection.becameWritable(context.channel.isWritable, at: table.now)
        context.fireChannelWritabilityChanged()
    }
}

/// Reports the beginning and the end of each request and response to the connection, and closes it if a request does not end
/// soon after an early response.
final class RequestBoundaryHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let connection: ClientConnection
    private let table: ConnectionTable
    /// Closes the connection after an early response.
    private var closing: Scheduled<Void>?

    init(_ connection: ClientConnection, _ table: ConnectionTable) { (self.connection, self.table) = (connection, table) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: connection.receivedHead(at: table.now)
        case .body(let bytes): connection.receivedBody(bytes.readableBytes)
        case .end:
            connection.receivedEnd()
            closing?.cancel()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data), connection.answered(at: table.now) {
            let channel = context.channel
            closing = context.eventLoop.scheduleTask(in: TimeAmount(table.limits.drain)) { channel.close(promise: nil) }
        }
        context.write(data, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        closing?.cancel()
        context.fireChannelInactive()
    }
}

/// Closes a connection that exceeds the limits as soon as it is open.
final class RefusedConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        context.close(promise: nil)
    }
}

/// The limits on open connections, and the timeouts of requests and responses.
struct ConnectionLimits: Sendable {
    /// Maximum number of open connections.
    var total: Int
    /// Maximum number of open connections of one `ClientNetwork`. For clients behind a trusted proxy, it is the maximum number of
    /// requests in progress of one network.
    var perNetwork: Int
    /// Timeout of an idle connection, from its opening or from the end of its last response.
    var idle: Duration
    /// Timeout of a request, from its first byte to its last.
    var request: Duration
    /// Timeout from the first byte of a request to the end of its head; at most `request`.
    var head: Duration { min(.seconds(10), request) }
    /// Time for a body before `bodyRate` is enforced.
    let bodyGrace = Duration.seconds(5)
    /// The minimum rate of a body in bytes per second, averaged since its head.
    let bodyRate = 500
    /// Maximum number of bytes of one request, with the framing of its body: the largest body in chunks of one byte fits in.
    let requestBytes = 1 << 20
    /// Maximum number of bytes that are received after an early response, and the time to receive them. An early response is
    /// complete before its request is.
    let drainBytes = 64 * 1024
    let drain = Duration.seconds(1)
    /// Timeout of a client that reads nothing of its response.
    let stall = Duration.seconds(60)

    /// Maximum number of connections that are not signed in. The rest is reserved for signed-in connections.
    var anonymous: Int { max(1, total / 2) }

    /// Maximum number of live streams. The rest is reserved for requests, such as the unlocking of a door.
    var streams: Int { max(1, total / 4 * 3) }

    init(_ settings: HTTPSettings) {
        total = max(1, settings.maxConnections)
        perNetwork = max(1, settings.maxConnectionsPerAddress)
        (idle, request) = (settings.idleTimeout, settings.requestTimeout)
    }

    /// The number by which the open descriptors may exceed `total` before accepting is paused. It
    /// covers connections that are being closed.
    static let closingAllowance = 32
}

/// HTTP/1.1 on a connection that is registered in a `ConnectionTable`.
struct LimitedHTTPChannel: ServerChildChannel {
    let base: HTTP1Channel
    let table: ConnectionTable

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        let id = ObjectIdentifier(channel)
        let connection = table.open(id, address: channel.remoteAddress?.ipAddress) { channel.close(mode: .all, promise: nil) }
        if let connection { channel.closeFuture.whenComplete { [table] _ in table.remove(id, connection) } }
        return channel.eventLoop.makeCompletedFuture { [table] in
            let first: any ChannelHandler = connection.map { ArrivalHandler($0, table) } ?? RefusedConnectionHandler()
            try channel.pipeline.syncOperations.addHandler(first)
        }.flatMap { [base] in
            base.setup(channel: channel, logger: logger)
        }.flatMapThrowing { [table] value in
            guard let connection else { return value }
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(RequestBoundaryHandler(connection, table), position: .after(decoder.handler))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        let connection = table.connection(ObjectIdentifier(value.channel))
        await withTaskExecutorPreference(EventLoopExecutor(value.channel.eventLoop)) {
            await ClientConnection.$current.withValue(connection) { await base.handle(value: value, logger: logger) }
        }
    }
}

/// Runs the tasks of a connection on the event loop that reads and writes it, which saves two thread switches per request.
///
/// A task on this executor MUST NOT block, and must do long work on the global executor, because
/// other connections share the event loop.
final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Counts the writes of one connection that the operating system has not accepted yet.
final class WriteProgress: Sendable {
    private struct State {
        var pending = 0
        /// Called when nothing is pending any more.
        var actions: [@Sendable () -> Void] = []
    }

    private let channel: any Channel
    private let state = Mutex(State())

    init(_ channel: any Channel) { self.channel = channel }

    func begin() { state.withLock { $0.pending += 1 } }

    func end() {
        let actions = state.withLock { state -> [@Sendable () -> Void] in
            state.pending -= 1
            guard state.pending == 0 else { return [] }
            defer { state.actions = [] }
            return state.actions
        }
        for action in actions { action() }
    }

    /// Waits until everything that was written before this call was accepted, or the connection is closed.
    ///
    /// - Parameter note: called at that moment, on the event loop, and before this method returns; the waiting task may continue much
    ///   later if the gateway is busy.
    func flushed(_ note: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            // Waiting and `note` are one action: the next batch must not begin before `note` was called for this one.
            let action: @Sendable () -> Void = {
                note()
                continuation.resume()
            }
            // A write from another thread reaches the connection as a task of its event loop, before this one.
            channel.eventLoop.submit { [self] in
                let isDone = state.withLock { state in
                    if state.pending > 0 { state.actions.append(action) }
                    return state.pending == 0
                }
                if isDone { action() }
            }.whenFailure { _ in action() }
        }
    }
}
