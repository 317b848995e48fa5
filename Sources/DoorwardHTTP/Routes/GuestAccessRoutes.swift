internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// Guest accesses and their time windows.
enum GuestAccessRoutes {
    static let all: [Route] = [
        .get("/guest-access", "Lists guest accesses.", .page("guestAccesses", "GuestAccess"), list),
        .post(
            "/guest-access", "Grants a guest access.", .created("guestAccess", "GuestAccess"), isRepeatable: true, grant),
        .get("/guest-access/:id", "Reads a guest access.", .tagged("guestAccess", "GuestAccess"), read),
        .delete("/guest-access/:id", "Revokes a guest access.", .removal, isConditional: true, revoke),
    ]

    private static func grant(_ call: AuthenticatedRequest) async throws -> APIResponse {
        let new = try call.readBody(newGuestAccess)
        return try await call.create { repeatable in
            try await call.control.guestAccesses.grant(call.caller, new, repeatable: repeatable)
        } render: { access, view in
            .created("guest-access/\(access.id)", "guestAccess") { view.guestAccess(access, into: &$0) }
        }
    }

    private static func newGuestAccess(_ body: inout BodyReader) -> NewGuestAccess {
        let guest = guest(&body)
        let operations = body.require("operations", body.words("operations", of: LockOperation.allCases)) ?? []
        return NewGuestAccess(
            guestUserID: guest.id, label: body.text("label"), propertyID: body.id("propertyId"),
            unitID: body.id("unitId"), deviceIDs: body.require("deviceIds", body.ids("deviceIds")) ?? [], operations: operations,
            window: GuestWindow(
                validFrom: body.requiredInstant("validFrom"), validUntil: body.requiredInstant("validUntil")),
            guestEmail: guest.email)
    }

    /// Reads the guest's id or email address; neither for a guest without an account.
    ///
    /// An address is rejected only if it is too long. One that no user has is not an error here; the use case does not find a user
    /// for it.
    private static func guest(_ body: inout BodyReader) -> (id: UserID?, email: String?) {
        guard body.isChosen(by: "guestEmail") else { return (body.id("guestUserId"), nil) }
        body.reject("guestUserId", beside: "guestEmail")
        let email = body.require("guestEmail", body.string("guestEmail", StringSchema(maxLength: WireLimits.emailBytes)))
        if let email, email.utf8.count > WireLimits.emailBytes { body.note("guestEmail", .tooLong) }
        return (nil, email)
    }

    private static func read(_ call: AuthenticatedRequest) throws -> APIResponse {
        try call.readNothing()
        let access = try call.control.guestAccesses.access(call.id("id"), for: call.caller)
        let view = call.view
        return .success { $0.field("guestAccess") { view.guestAccess(access, into: &$0) } }.tagged(view.tag(of: access))
    }

    private static func revoke(_ call: AuthenticatedRequest) async throws -> APIResponse {
        let isDryRun = try call.readDryRun()
        let condition = try call.condition { (view: ProjectedRenderer, access: GuestAccess) in view.tag(of: access) }
        return .removal(
            try await call.control.guestAccesses.revoke(call.caller, call.id("id"), isDryRun: isDryRun, onlyIf: condition))
    }

    private static func list(_ call: AuthenticatedRequest) throws -> APIResponse {
        let (page, filter) = try call.readQuery { query in
            (PageRequest<GuestAccessOrder>(&query), GuestAccessFilter(&query))
        }
        let accesses = call.control.guestAccesses.list(for: call.caller, filter, page)
        let view = call.view(in: accesses.snapshot)
        return try .page("guestAccesses", accesses) { view.guestAccess($1, into: &$0) }
    }
}

extension GuestAccessFilter {
    fileprivate init(_ query: inout QueryReader) {
        self.init()
        device = query.id("deviceId")
        unit = query.id("unitId")
        property = query.id("propertyId")
        isActive = query.bool("active")
    }
}
