internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain

/// Reads commands and their outcomes.
enum CommandRoutes {
    static let all: [Route] = [
        .get("/commands", "Lists commands.", .page("commands", "Command"), list),
        .get("/commands/:id", "Reads a command and its outcome.", .object("command", "Command"), read),
    ]

    private static func read(_ call: AuthenticatedRequest) async throws -> APIResponse {
        try call.readNothing()
        let command = try await call.control.commands.command(call.id("id"), for: call.caller)
        let view = call.view
        return .success { $0.field("command") { view.command(command, into: &$0) } }
    }

    private static func list(_ call: AuthenticatedRequest) async throws -> APIResponse {
        let (page, device) = try call.readQuery { query -> (PageRequest<CommandOrder>, DeviceID?) in
            let page = PageRequest<CommandOrder>(&query, hasNames: false, hasAscending: false)
            return (page, query.id("deviceId"))
        }
        let commands = try await call.client.whileConnected {
            try await call.control.commands.commands(for: call.caller, deviceID: device, page)
        }
        let view = call.view(in: commands.snapshot)
        return try .page("commands", commands) { view.command($1, into: &$0) }
    }
}
