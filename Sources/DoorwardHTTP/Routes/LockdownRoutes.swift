internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import NIOCore

/// Starting and ending the lockdown of a property.
enum LockdownRoutes {
    static let all: [Route] = [
        .post(
            "/properties/:id/lockdown", "Locks down a property: all its locks are locked, and unlocking is denied.",
            .data(fields), isRepeatable: true, start),
        .delete("/properties/:id/lockdown", "Lifts the lockdown of a property.", .object("property", "Property")) { request in
            try request.readNothing()
            let property = try await request.control.lockdowns.lift(request.caller, on: request.id("id"))
            return .success { $0.field("property") { request.view.property(property, into: &$0) } }
        },
    ]

    private static func start(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let reason = try request.readBody { $0.text("reason", maxCharacters: WireLimits.reasonCharacters) }
        let started = try await request.control.lockdowns.start(
            request.caller, on: request.id("id"), reason: reason, timeout: request.services.settings.commandTimeout,
            repeatable: try request.services.repeats.call(request))
        return answer(started.value, request.view, atOnce: resultsAtOnce).addingReplayHeader(for: started)
    }

    /// The number of results that are rendered before any of them is sent. The response to a lockdown of 30,000 locks has more bytes
    /// than the gateway keeps in memory for one caller, so it is rendered in parts while it is sent.
    private static let resultsAtOnce = 500

    /// The response: in one part, or streamed in parts of `atOnce` results.
    static func answer(_ started: StartedLockdown, _ view: ProjectedRenderer, atOnce: Int) -> APIResponse {
        guard started.results.count > atOnce else { return answer(started.property, started.results[...], view) }
        let frame = answer(started.property, [], view).body
        // The frame ends with the empty array and the ends of two objects: `[]}}`.
        return .streamed(
            "application/json",
            StreamedBody { send in
                try await send(ByteBuffer(bytes: frame.dropLast(3)))
                for start in stride(from: 0, to: started.results.count, by: atOnce) {
                    let part = started.results[start..<min(start + atOnce, started.results.count)]
                    let results = answer(started.property, part, view).body.dropFirst(frame.count - 3).dropLast(3)
                    try await send(ByteBuffer(bytes: (start == 0 ? [] : [UInt8(ascii: ",")]) + results))
                }
                try await send(ByteBuffer(bytes: frame.suffix(3)))
            })
    }

    private static func answer(
        _ property: Property, _ results: ArraySlice<LockdownResult>, _ view: ProjectedRenderer
    ) -> APIResponse {
        .success(fields, of: (property, results, view))
    }

    private static let fields:
        [ResponseField<(property: Property, results: ArraySlice<LockdownResult>, view: ProjectedRenderer)>] = [
            .written("property", .reference("Property")) { $0.view.property($0.property, into: &$1) },
            .objects("results", { answer in answer.results.map { ($0, answer.view) } }, resultFields),
        ]

    /// A result has a command or, if the command was denied, a decision. It has neither if the command was not begun yet.
    private static let resultFields: [ResponseField<(result: LockdownResult, view: ProjectedRenderer)>] = [
        .init("deviceId", \.result.deviceID),
        .written("command", .nullable(.reference("Command"))) { answer, writer in
            guard case .command(let command) = answer.result.outcome else { return writer.null() }
            answer.view.command(command, into: &writer)
        },
        .written("decision", .nullable(.reference("Decision"))) { answer, writer in
            guard case .denied(let denial, let instant) = answer.result.outcome else { return writer.null() }
            let decision = ExplainedDecision(
                operation: .lock, deviceID: answer.result.deviceID, at: instant, isAboutFuture: false, decision: .denied(denial))
            decision.write(into: &writer)
        },
    ]
}
