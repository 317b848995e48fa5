internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes

/// The live stream: objects and their changes, as Server-Sent Events.
enum StreamRoutes {
    static let all: [Route] = [
        checked(.get("/stream", "Opens a stream of objects and their changes.", answers, openByQuery)),
        checked(.post("/stream", "Opens a stream of objects and their changes, with any number of names.", answers, openByBody)),
        .put(
            "/stream/:streamId/subscriptions/:name", "Subscribes an open stream to a name, or replaces its query.", .nothing,
            isConditional: false, subscribe),
        .delete("/stream/:streamId/subscriptions/:name", "Ends the subscription of a name.", .removal, unsubscribe),
    ]

    private static let answers: [DocumentedAnswer] = .file(
        "The stream. It ends with the session or API key; docs/stream.md describes its events.", ["text/event-stream"])

    /// Parameters that a client might use to send its token in the URL, where logs and proxies keep it.
    private static let tokenParameters: Set<String> = ["token", "access_token", "accesstoken", "authorization", "bearer", "jwt"]

    private static func checked(_ route: Route) -> Route {
        var route = route
        route.precondition = { (facts) throws(GatewayError) in
            let mistakes = FieldErrors()
            let names = QueryReader(facts.query, mistakes: mistakes).allItems.keys.sorted()
            guard let name = names.first(where: { tokenParameters.contains($0.lowercased()) }) else { return }
            throw .invalid(name, FieldProblemCode.unknownKey.rawValue)
        }
        return route
    }

    private static func openByQuery(_ call: AuthenticatedRequest) throws -> APIResponse {
        try open(call, try call.readQuery { StreamRequest.names(&$0, adapters: call.services.adapterKinds) })
    }

    private static func openByBody(_ call: AuthenticatedRequest) throws -> APIResponse {
        try open(call, try call.readBody { StreamRequest.names(&$0, adapters: call.services.adapterKinds) })
    }

    private static func open(_ call: AuthenticatedRequest, _ names: [StreamName]) throws -> APIResponse {
        let (control, principal, positions) = (call.control, call.caller.principal, call.services.streamPositions)
        let sent = call.facts.headers[.lastEventID].flatMap { $0.isEmpty ? nil : $0 }
        let scope = StreamPositions.scope(principal, names: StreamName.text(of: names))
        let lease = try control.streams.open(
            call.caller, names, from: sent.flatMap { positions.mark($0, scope: scope) }, wasSent: sent != nil,
            maxStreams: call.services.connections.limits.streams
        ) { [control] view, item in
            item.render(for: principal, in: view, control)
        }
        let sender = StreamSender(lease: lease, positions: positions, client: call.client)
        var answer = APIResponse(status: 200, body: [])
        answer.stream = StreamedBody { try await sender.run($0) }
        answer.headers[.contentType] = "text/event-stream; charset=utf-8"
        answer.headers[.cacheControl] = "no-store, no-transform"
        answer.headers[.accelBuffering] = "no"
        return answer
    }

    private static func subscribe(_ call: AuthenticatedRequest) throws -> APIResponse {
        let text = call.text("name")
        let name = try call.readBody { body -> StreamName? in
            if !StreamRequest.isName(text) { body.note("name", .malformed) }
            return StreamRequest.name(text, &body, adapters: call.services.adapterKinds)
        }
        let stream = try call.control.streams.stream(call.text("streamId"), of: call.caller)
        if let name { try stream.subscribe(name) }
        return .nothing
    }

    private static func unsubscribe(_ call: AuthenticatedRequest) throws -> APIResponse {
        let isDryRun = try call.readDryRun()
        let stream = try call.control.streams.stream(call.text("streamId"), of: call.caller)
        return .removal(try stream.unsubscribe(call.text("name"), isDryRun: isDryRun))
    }
}
