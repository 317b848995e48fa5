internal import NIOHTTP1

/// The requests of the live stream over HTTP.
struct HTTPLiveTransport: LiveTransport {
    let client: DoorwardClient

    private struct Opening: Encodable { let subscriptions: [String: StreamSubscription] }

    func renew() async throws { try await DoorwardError.converting { try await client.renew() } }

    func open(_ request: StreamRequest, receive: @escaping @Sendable ([UInt8]) async -> Void) async throws {
        try await DoorwardError.converting {
            var opening = try APIRequest(.POST, parts: ["stream"], body: Opening(subscriptions: request.subscriptions))
            opening.headers = [("Accept", "text/event-stream")]
            if let position = request.lastEventID { opening.headers.append(("Last-Event-ID", position)) }
            let ready = opening
            let response = try await client.authenticated {
                try await client.transport.open(ready, token: $0)
            } status: {
                $0.status
            }
            guard response.isSuccess else { return try response.requireSuccess(try await response.whole()) }
            try await response.forward(to: receive)
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
