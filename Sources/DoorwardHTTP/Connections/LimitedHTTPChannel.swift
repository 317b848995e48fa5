internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1

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
