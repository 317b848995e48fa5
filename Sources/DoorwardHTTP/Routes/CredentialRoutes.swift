internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain

/// The caller's own sessions, password and recovery codes.
enum CredentialRoutes {
    static let all: [Route] = [
        .get(
            "/users/me/sessions", "Lists the caller's sessions.",
            .data([
                "sessions": .array(.fields(["id": .id, "createdAt": .instant, "expiresAt": .instant, "isCurrent": .boolean]))
            ]), listSessions),
        .delete("/users/me/sessions/:id", "Ends one of the caller's sessions.", .removal, endSession),
        .post(
            "/users/me/password", "Changes the caller's password, and ends the caller's other sessions.", .nothing, changePassword
        ),
        .post(
            "/users/me/recovery-codes", "Replaces the caller's recovery codes, with the current password as proof.",
            .issued(.fields(["recoveryCodes": .array(.text)])), createRecoveryCodes),
    ]

    private static func listSessions(_ call: AuthenticatedRequest) throws -> APIResponse {
        try call.readNothing()
        let sessions = try call.control.credentials.sessions(of: call.caller)
        return .success { writer in
            writer.field("sessions") { writer in
                writer.array(sessions) { writer, session in
                    writer.object { writer in
                        writer.field("id", session.id)
                        writer.field("createdAt", session.createdAt)
                        writer.field("expiresAt", session.expiresAt)
                        writer.field("isCurrent", session.id == call.caller.sessionID)
                    }
                }
            }
        }
    }

    private static func endSession(_ call: AuthenticatedRequest) async throws -> APIResponse {
        let isDryRun = try call.readDryRun()
        return .removal(try await call.control.credentials.endSession(call.caller, call.id("id"), isDryRun: isDryRun))
    }

    private static func changePassword(_ call: AuthenticatedRequest) async throws -> APIResponse {
        let (current, new) = try call.readBody {
            ($0.requiredSecret("currentPassword"), $0.requiredNewPassword("newPassword"))
        }
        try await call.control.credentials.changePassword(call.caller, current: current, new: new)
        return .nothing
    }

    /// Ignores an idempotency key: the response contains secrets, and such responses are not stored.
    private static func createRecoveryCodes(_ call: AuthenticatedRequest) async throws -> APIResponse {
        let current = try call.readBody { $0.requiredSecret("currentPassword") }
        let codes = try await call.control.credentials.createRecoveryCodes(call.caller, current: current)
        return .success(201) { $0.field("recoveryCodes", codes.map { $0.reveal() }) }
    }
}
