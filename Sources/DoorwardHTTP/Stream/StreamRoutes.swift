internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes
internal import NIOCore

/// The live stream: objects and their changes, as Server-Sent Events.
enum StreamRoutes {
    static let all: [Route] = [
        checked(.get("/stream", "Opens a stream of objects and their changes.", answers, openByQuery)),
        checked(.post("/stream", "Opens a stream of objects and their changes, with any number of names.", answers, openByBody)),
        .put(
            "/stream/:streamId/subscriptions/:name", "Subscribes an open stream to a name, or replaces its query.", .nothing,
            isConditional: false, subscribe),
        .removal("/stream/:streamId/subscriptions/:name", "Ends the subscription of a name.") {
            try $0.control.streams.stream($0.text("streamId"), of: $0.caller).unsubscribe($0.text("name"), isDryRun: $1)
        },
    ]

    private static let answers: [DocumentedAnswer] = .file(
        "The stream. It ends with the session or API key; docs/stream.md describes its events.", ["text/event-stream"])

    /// Parameters that a client might use to send its token in the URL, where logs and proxies keep it.
    private static let tokenParameters: Set<String> = ["token", "access_token", "accesstoken", "authorization", "bearer", "jwt"]

    private static func checked(_ route: Route) -> Route {
        var route = route
        route.precondition = { (metadata) throws(GatewayError) in
            let errors = FieldErrors()
            let names = QueryReader(metadata.query, errors: errors).allItems.keys.sorted()
            guard let name = names.first(where: { tokenParameters.contains($0.lowercased()) }) else { return }
            throw .invalid(name, FieldProblemCode.unknownKey.rawValue)
        }
        return route
    }

    private static func openByQuery(_ request: AuthenticatedRequest) throws -> APIResponse {
        try open(request, try request.readQuery { StreamRequest.names(&$0, adapters: request.services.adapterKinds) })
    }

    private static func openByBody(_ request: AuthenticatedRequest) throws -> APIResponse {
        try open(request, try request.readBody { StreamRequest.names(&$0, adapters: request.services.adapterKinds) })
    }

    private static func open(_ request: AuthenticatedRequest, _ names: [StreamName]) throws -> APIResponse {
        let positions = request.services.streamPositions
        let sent = request.metadata.headers[.lastEventID].flatMap { $0.isEmpty ? nil : $0 }
        let scope = StreamPositions.scope(request.caller.principal, names: StreamName.text(of: names))
        let lease = try request.control.streams.open(
            request.caller, names, from: sent.flatMap { positions.position($0, scope: scope) }, wasSent: sent != nil,
            maxStreams: request.services.connections.limits.streams)
        let sender = StreamSender(lease: lease, positions: positions, client: request.client)
        return .streamed("text/event-stream; charset=utf-8", StreamedBody { try await sender.run($0) })
            .with(.cacheControl, "no-store, no-transform").with(.accelBuffering, "no")
    }

    private static func subscribe(_ request: AuthenticatedRequest) throws -> APIResponse {
        let text = request.text("name")
        let name = try request.readBody { body -> StreamName? in
            if !StreamRequest.isName(text) { body.reject("name", .malformed) }
            return StreamRequest.name(text, &body, adapters: request.services.adapterKinds)
        }
        let stream = try request.control.streams.stream(request.text("streamId"), of: request.caller)
        if let name { try stream.subscribe(name) }
        return .nothing
    }
}

/// Sends the events of one stream as Server-Sent Events (https://html.spec.whatwg.org/multipage/server-sent-events.html).
struct StreamSender: Sendable {
    /// Bytes that are passed to the connection at once. The next bytes follow when the operating system has accepted these.
    private static let pieceBytes = 16 * 1024
    /// The time in milliseconds after which a client connects again if the connection breaks.
    private static let retry = 2000
    private static let executors = ExecutorGroup("stream")

    let lease: LiveStreams.Lease
    let positions: StreamPositions
    let client: ClientPresence

    /// Sends the events until the stream ends or the task is cancelled.
    func run(_ send: (ByteBuffer) async throws -> Void) async throws {
        try await withTaskExecutorPreference(Self.executors.next()) { try await sendAll(send) }
    }

    private func sendAll(_ send: (ByteBuffer) async throws -> Void) async throws {
        let (stream, progress) = (lease.stream, await client.trackWrites())
        // Without its list, the closure would capture the sender with its lease, and the stream would never be closed.
        stream.attach { [client] in await client.disconnect() }
        // A field of the first event.
        try await send(ByteBuffer(string: "retry: \(Self.retry)\n"))
        while let batch = await stream.nextBatch() {
            let bytes = try encode(batch)
            for start in stride(from: 0, to: bytes.count, by: Self.pieceBytes) {
                try await send(ByteBuffer(bytes: bytes[start..<min(bytes.count, start + Self.pieceBytes)]))
                // The gate opens when the last piece was accepted, and not when this task continues: a busy gateway must not disconnect a
                // client that has received everything.
                let isLast = start + Self.pieceBytes >= bytes.count
                let note = isLast ? stream.written : stream.progress
                if let progress { await progress.flushed(note) } else { note() }
            }
            if batch.isLast { return }
        }
        throw CancellationError()
    }

    private func encode(_ batch: StreamBatch) throws -> [UInt8] {
        let scope = StreamPositions.scope(lease.stream.caller.principal, names: batch.namesText)
        var writer = JSONWriter()
        for event in batch.events {
            writer.raw("id: ")
            writer.rendered(try positions.text(of: event.position, scope: scope).utf8)
            writer.raw("\nevent: ")
            writer.rendered(event.content.word.utf8)
            writer.raw("\ndata: ")
            // JSON has no line breaks outside texts, and escapes them in texts.
            writer.object { event.content.write(into: &$0) }
            writer.raw("\n\n")
        }
        return writer.bytes
    }
}
