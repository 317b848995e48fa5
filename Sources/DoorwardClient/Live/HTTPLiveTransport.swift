internal import NIOHTTP1

/// What happens to the connection of a stream.
package enum LiveConnectionEvent: Sendable {
    /// The stream was not opened.
    case failed(ClientError)
    /// The gateway has opened the stream.
    case opened
}

extension DoorwardClient {
    /// Returns the live stream with the credentials of this client. It is opened with the first subscription.
    ///
    /// - Parameter observe: called for each attempt to open the stream, before its subscriptions receive anything.
    package func live(
        clock: any LiveClock = SystemLiveClock(), observe: @escaping @Sendable (LiveConnectionEvent) -> Void = { _ in }
    ) -> Live {
        Live(transport: HTTPLiveTransport(client: self, observe: observe), clock: clock)
    }
}

/// The requests of the live stream over HTTP.
struct HTTPLiveTransport: LiveTransport {
    let client: DoorwardClient
    let observe: @Sendable (LiveConnectionEvent) -> Void

    private struct Opening: Encodable { let subscriptions: [String: StreamSubscription] }

    func renew() async throws { try await observing { try await client.renew() } }

    func open(_ request: StreamRequest, receive: @escaping @Sendable ([UInt8]) async -> Void) async throws {
        let response = try await observing {
            var opening = try APIRequest(.POST, parts: ["stream"], body: Opening(subscriptions: request.subscriptions))
            opening.headers = [("Accept", "text/event-stream")]
            if let position = request.lastEventID { opening.headers.append(("Last-Event-ID", position)) }
            let ready = opening
            let response = try await client.authenticated {
                try await client.transport.open(ready, token: $0)
            } status: {
                $0.status
            }
            if !response.isSuccess { try response.requireSuccess(try await response.whole()) }
            return response
        }
        observe(.opened)
        try await DoorwardError.converting { try await response.forward(to: receive) }
    }

    private func observing<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await DoorwardError.converting {
            do {
                return try await body()
            } catch let error as ClientError {
                observe(.failed(error))
                throw error
            }
        }
    }

    func put(_ name: String, _ subscription: StreamSubscription, stream: String) async throws {
        try await DoorwardError.converting {
            let request = try APIRequest(.PUT, parts: ["stream", stream, "subscriptions", name], body: subscription)
            try await client.perform(request)
        }
    }

    func delete(_ name: String, stream: String) async throws {
        try await DoorwardError.converting {
            try await client.perform(APIRequest(.DELETE, "stream", stream, "subscriptions", name))
        }
    }
}
