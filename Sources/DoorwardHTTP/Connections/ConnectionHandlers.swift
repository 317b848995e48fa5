internal import NIOCore
internal import NIOHTTP1

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
