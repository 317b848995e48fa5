internal import Glibc
internal import Hummingbird
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// Whether a client is still connected.
struct ClientPresence: Sendable {
    private let channel: any Channel

    init(_ channel: any Channel) { self.channel = channel }

    /// Runs `body`, and cancels it when the client closes the connection or shuts down its sending side. Use this only for work
    /// that has no side effects and that no other task waits for.
    func whileConnected<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { try await body() }
        let watch = try? await channel.eventLoop.submit {
            let handler = try channel.pipeline.syncOperations.handler(type: DisconnectionHandler.self)
            return handler.disconnection.watch { task.cancel() }
        }.get()
        defer { watch?() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Prepares the connection for a live stream: limits the bytes that the operating system buffers for it, lets it close a
    /// connection whose client does not acknowledge data, and begins to count writes.
    ///
    /// - Returns: `nil` for a request without a connection, as in tests of routes.
    func trackWrites() async -> WriteProgress? {
        // Without these options the stream works, but stalls are noticed later.
        try? await channel.setOption(.socketOption(.so_sndbuf), value: 64 * 1024).get()
        try? await channel.setOption(Self.userTimeout, value: 30_000).get()
        return try? await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.handler(type: ArrivalHandler.self).trackWrites(of: channel)
        }.get()
    }

    /// Closes the connection, and returns when nothing more is sent on it. A client that does not read would never confirm the end of a
    /// TLS session, so the connection is closed below it.
    func disconnect() async {
        let channel = channel
        try? await channel.eventLoop.flatSubmit {
            let closed = channel.eventLoop.makePromise(of: Void.self)
            if let tls = try? channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) {
                tls.close(mode: .all, promise: closed)
            } else {
                channel.close(mode: .all, promise: closed)
            }
            return closed.futureResult
        }.get()
    }

    /// `TCP_USER_TIMEOUT`, in milliseconds.
    private static let userTimeout = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: TCP_USER_TIMEOUT))
}

/// Detects that a client has disconnected, even while a request of the client is in progress.
final class DisconnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    let disconnection = Disconnection()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.fireChannelRead(data) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { disconnection.signal() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        disconnection.signal()
        context.fireChannelInactive()
    }
}

/// The actions to call when a client disconnects.
final class Disconnection: Sendable {
    private struct State {
        var isSignalled = false
        var actions: [UInt64: @Sendable () -> Void] = [:]
        var tickets: UInt64 = 0
    }

    private let state = Mutex(State())

    /// - Parameter action: called once, immediately if the client has already disconnected.
    /// - Returns: unregisters the action.
    func watch(_ action: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let (ticket, isLate) = state.withLock { state in
            state.tickets += 1
            if !state.isSignalled { state.actions[state.tickets] = action }
            return (state.tickets, state.isSignalled)
        }
        if isLate { action() }
        return { [self] in state.withLock { $0.actions[ticket] = nil } }
    }

    func signal() {
        let actions = state.withLock { state in
            defer { (state.isSignalled, state.actions) = (true, [:]) }
            return Array(state.actions.values)
        }
        for action in actions { action() }
    }
}
