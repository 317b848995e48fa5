internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes

/// The routes of commands: read the request, pass it to `LockDAL`, wait for the lock's confirmation, respond.
enum LockCommandRoutes {
    static let all: [Route] = [
        route("lock", .lock, "Locks a lock, and waits until the lock confirms it."),
        route("unlock", .unlock, "Unlocks a lock, and waits until the lock confirms it."),
        route("unlatch", .unlatch, "Unlatches a lock, so that its door opens, and waits until the lock confirms it."),
    ]

    private static let answers: [DocumentedAnswer] =
        .data(["command": .reference("Command"), "device": .nullable(.reference("Device"))])
        + [
            DocumentedAnswer(
                status: 202, summary: "Accepted, with `Prefer: respond-async`: follow the command at its location.",
                data: .fields(["command": .reference("Command")]), headers: ["Location"])
        ]

    private static func route(_ word: String, _ operation: LockOperation, _ summary: String) -> Route {
        var route = Route.post("/devices/:id/\(word)", summary, answers, isRepeatable: true, sendsCommand: true) {
            try await move($0, operation)
        }
        route.runsOnEventLoop = true
        route.limit = { (control, caller, _) throws(GatewayError) in
            if let caller { try await control.locks.admit(caller) }
        }
        return route
    }

    private static func move(_ request: AuthenticatedRequest, _ operation: LockOperation) async throws -> APIResponse {
        var commandRequest = CommandRequest(
            caller: request.caller, deviceID: DeviceID(request.text("id")), attemptedID: request.text("id"), operation: operation,
            timeout: request.services.settings.commandTimeout)
        if request.hasInput {
            try request.readBody { body in
                commandRequest.statedReason = body.text("reason", maxCharacters: WireLimits.reasonCharacters)
                commandRequest.override = body.object("override") {
                    $0.requiredText("reason", maxCharacters: WireLimits.reasonCharacters)
                }
                if let timeout = body.integer("timeoutMs", in: WireLimits.timeoutMs) {
                    commandRequest.timeout = .milliseconds(timeout)
                }
            }
        }
        let (locks, repeatable) = (request.control.locks, try request.services.repeats.call(request))
        guard !isAsynchronous(request.metadata) else {
            let begun = try await locks.begin(commandRequest, repeatable: repeatable)
            return accepted(begun.value.accepted, request.view, location: "/api/v1/commands/\(begun.value.accepted.id)")
                .addingReplayHeader(for: begun)
        }
        let ended = try await locks.execute(commandRequest, repeatable: repeatable)
        return answer(ended.value, request.view, request.metadata).addingReplayHeader(for: ended)
    }

    /// Whether the request has the header `Prefer: respond-async` (RFC 7240).
    static func isAsynchronous(_ metadata: RequestMetadata) -> Bool {
        metadata.headers[.prefer]?.lowercased().split(separator: ",")
            .contains { String($0).trimmed.prefix { $0 != ";" } == "respond-async" } ?? false
    }

    // MARK: - Response

    /// - Parameter location: where the caller can read the command; `nil` if nowhere in the API.
    static func accepted(_ command: Command, _ view: ProjectedRenderer, location: String?) -> APIResponse {
        APIResponse.success(202, location: location) { writer in
            writer.field("command") { view.command(command, into: &$0) }
        }.with(.preferenceApplied, "respond-async")
    }

    /// Responds with 200 if the lock confirmed the command. For any other outcome, the response is an error that contains the
    /// command.
    static func answer(_ finished: FinishedCommand, _ view: ProjectedRenderer, _ metadata: RequestMetadata) -> APIResponse {
        guard finished.command.state == .confirmed else {
            return ErrorResponse(finished, problem: problem(of: finished, view), view).answer(metadata)
        }
        return .success { writer in
            writer.field("command") { view.command(finished.command, into: &$0) }
            writer.field("device") { writer in
                guard let device = view.tenancy.device(finished.command.deviceID) else { return writer.null() }
                view.device(device, status: finished.status, into: &writer)
            }
        }
    }

    /// The adapter's explanation of a failure, with the lock's name. It includes broker and topic only if the caller may see the
    /// lock's address.
    private static func problem(of finished: FinishedCommand, _ view: ProjectedRenderer) -> String? {
        guard let problem = finished.problem, let device = view.tenancy.device(finished.command.deviceID) else { return nil }
        let seesAddress = view.sees("address", of: device.id)
        return "\(device.name): \(seesAddress ? problem.detail : problem.summary)"
    }
}

/// Reads commands and their outcomes.
enum CommandRoutes {
    static let all: [Route] = [
        .get("/commands", "Lists commands.", .page("commands", "Command"), list),
        .read("/commands/:id", "Reads a command and its outcome.", .object("command", "Command")) { request in
            let command = try await request.control.commands.command(request.id("id"), for: request.caller)
            return .success { $0.field("command") { request.view.command(command, into: &$0) } }
        },
    ]

    private static func list(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let (page, device) = try request.readQuery { query -> (PageRequest<CommandOrder>, DeviceID?) in
            let page = PageRequest<CommandOrder>(&query, hasNames: false, hasAscending: false)
            return (page, query.id("deviceId"))
        }
        let commands = try await request.client.whileConnected {
            try await request.control.commands.commands(for: request.caller, deviceID: device, page)
        }
        return try request.page("commands", commands) { $0.command($1, into: &$2) }
    }
}
