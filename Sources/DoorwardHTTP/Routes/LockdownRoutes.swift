internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain

/// Starting and ending the lockdown of a property.
enum LockdownRoutes {
    static let all: [Route] = [
        .post(
            "/properties/:id/lockdown", "Locks down a property: all its locks are locked, and unlocking is denied.",
            .data([
                "property": .reference("Property"),
                "results": .array(
                    .fields([
                        "deviceId": .id, "command": .nullable(.reference("Command")),
                        "decision": .nullable(.reference("Decision")),
                    ])),
            ]), isRepeatable: true, start),
        .delete("/properties/:id/lockdown", "Lifts the lockdown of a property.", .object("property", "Property"), lift),
    ]

    private static func start(_ call: AuthenticatedRequest) async throws -> APIResponse {
        let reason = try call.readBody { $0.text("reason", longest: WireLimits.reasonCharacters) }
        let started = try await call.control.lockdowns.start(
            call.caller, on: call.id("id"), reason: reason, timeout: call.services.commandTimeout,
            repeatable: try call.services.repeats.call(call))
        let view = call.view
        return APIResponse.success { writer in
            writer.field("property") { view.property(started.value.property, into: &$0) }
            writer.field("results") { writer in
                writer.array(started.value.results) { write($1, view, into: &$0) }
            }
        }.marked(as: started)
    }

    /// A result has a command or, if the command was denied, a decision. It has neither if the command was not begun yet.
    private static func write(_ result: LockdownResult, _ view: ProjectedRenderer, into writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("deviceId", result.deviceID)
            writer.field("command") { writer in
                guard case .command(let command) = result.outcome else { return writer.null() }
                view.command(command, into: &writer)
            }
            writer.field("decision") { writer in
                guard case .denied(let denial, let instant) = result.outcome else { return writer.null() }
                let decision = ExplainedDecision(
                    operation: .lock, deviceID: result.deviceID, at: instant, isAboutFuture: false, decision: .denied(denial))
                decision.write(into: &writer)
            }
        }
    }

    private static func lift(_ call: AuthenticatedRequest) async throws -> APIResponse {
        try call.readNothing()
        let property = try await call.control.lockdowns.lift(call.caller, on: call.id("id"))
        let view = call.view
        return .success { $0.field("property") { view.property(property, into: &$0) } }
    }
}
