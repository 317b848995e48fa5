internal import NIOCore
internal import NIOPosix

/// One request on its own connection.
package enum SingleCall {
    /// - Parameter request: the bytes of the request.
    /// - Throws: an error if the connection ends before the complete response.
    package static func send(_ request: String, port: Int) async throws -> ResponseReader.Response {
        let group = MultiThreadedEventLoopGroup.singleton
        let done = group.any().makePromise(of: ResponseReader.Response.self)
        let channel = try await ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Handler(done: done)) }
            }
            .connect(host: "127.0.0.1", port: port).get()
        try await channel.writeAndFlush(ByteBuffer(string: request))
        let response = try await done.futureResult.get()
        try await channel.close()
        return response
    }

    private struct ConnectionClosed: Error {}

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let done: EventLoopPromise<ResponseReader.Response>
        private var received = ByteBuffer()

        init(done: EventLoopPromise<ResponseReader.Response>) { self.done = done }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received.writeImmutableBuffer(unwrapInboundIn(data))
            if let response = ResponseReader.take(from: &received) { done.succeed(response) }
        }

        func channelInactive(context: ChannelHandlerContext) { done.fail(ConnectionClosed()) }
    }
}
