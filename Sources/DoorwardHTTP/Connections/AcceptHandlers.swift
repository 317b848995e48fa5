internal import DoorwardDomain
internal import Glibc
internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// Pauses accepting while the number of open descriptors exceeds the maximum number of connections
/// plus an allowance for connections that are closing.
struct DescriptorBound: AvailableConnectionsDelegate {
    let limit: Int
    private var open = 0

    init(_ limits: ConnectionLimits) { limit = limits.total + ConnectionLimits.closingAllowance }

    mutating func connectionOpened() { open += 1 }
    mutating func connectionClosed() { open -= 1 }
    func isAcceptingNewConnections() -> Bool { open < limit }
}

/// Pauses accepting, and closes connections to make room, when only reserved descriptors are free
/// or the system has no descriptor or buffer left.
///
/// The reserve is checked before each wait for a connection, so one connection may still be accepted when the reserve is no
/// longer free. A socket whose `accept` has failed stays readable: without a pause the event loop would retry at once, forever.
/// Disabling `autoRead` removes the socket from the selector. Not calling `read` would not be enough: the socket would remain in the
/// selector.
final class AcceptPauseHandler: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias OutboundIn = any Channel

    private static let pause = TimeAmount.milliseconds(100)
    private static let exhaustion = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

    private let table: ConnectionTable
    private let logger: Logger
    private let isReserveFree: () -> Bool
    private var isPaused = false
    private var loggedAt: NIODeadline?

    /// - Parameter isReserveFree: whether the reserve is free now; tests pass their own.
    init(_ table: ConnectionTable, _ logger: Logger, isReserveFree: @escaping () -> Bool = { DescriptorReserve.isFree }) {
        (self.table, self.logger, self.isReserveFree) = (table, logger, isReserveFree)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, Self.exhaustion.contains(error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        pause(context.channel, error.errnoCode)
    }

    func read(context: ChannelHandlerContext) {
        guard !isPaused else { return }
        guard isReserveFree() else { return pause(context.channel, EMFILE) }
        context.read()
    }

    private func pause(_ channel: any Channel, _ code: CInt) {
        guard !isPaused else { return }
        isPaused = true
        log(code, at: channel.eventLoop.now)
        table.closeOldest(16)
        setReading(false, channel)
        let handler = NIOLoopBound(self, eventLoop: channel.eventLoop)
        channel.eventLoop.scheduleTask(in: Self.pause) { handler.value.resume(channel) }
    }

    private func resume(_ channel: any Channel) {
        isPaused = false
        // Enabling `autoRead` resumes reading at once, without a call of `read`.
        if isReserveFree() { setReading(true, channel) } else { pause(channel, EMFILE) }
    }

    private func setReading(_ isReading: Bool, _ channel: any Channel) {
        // Fails only if the channel is closed; then there is nothing to read.
        try? channel.syncOptions?.setOption(.autoRead, value: isReading)
    }

    /// Logs at most one line a minute.
    private func log(_ code: CInt, at now: NIODeadline) {
        if let loggedAt, now - loggedAt < .seconds(60) { return }
        loggedAt = now
        logger.error(
            "too many open files: accepting connections is paused",
            metadata: ["error": .string(String(cString: strerror(code)))])
    }
}

/// Handles the failure of one accepted connection. An unhandled error would end the stream of connections, and so the server.
final class AcceptErrorHandler: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        logger.debug("accepting a connection failed", metadata: ["error": "\(error)"])
    }
}
