internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// Guest accesses and their time windows.
enum GuestAccessRoutes {
    static let all: [Route] = [
        .get("/guest-access", "Lists guest accesses.", .page("guestAccesses", "GuestAccess"), list),
        .post("/guest-access", "Grants a guest access.", .created("guestAccess", "GuestAccess"), isRepeatable: true, grant),
        .get("/guest-access/:id", "Reads a guest access, its next intervals, and the names of its locks.", answer, read),
        .put(
            "/guest-access/:id",
            "Changes a guest access. Its link ends if the creator of the link could not grant the changed access; `warning` says so.",
            .tagged(.fields(["guestAccess": .reference("GuestAccess"), "warning": .nullable(.text)])), change),
        .removal("/guest-access/:id", "Revokes a guest access.", isConditional: true) { request, isDryRun in
            try await request.control.guestAccesses.revoke(
                request.caller, request.id("id"), isDryRun: isDryRun, onlyIf: try request.condition { $0.tag(of: $1) })
        },
    ]

    private static func grant(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let new = try request.readBody(newGuestAccess)
        return try await request.create { repeatable in
            try await request.control.guestAccesses.grant(request.caller, new, repeatable: repeatable)
        } render: { access, view in
            .created("guest-access/\(access.id)", "guestAccess") { view.guestAccess(access, into: &$0) }
        }
    }

    private static func newGuestAccess(_ body: inout BodyReader) -> NewGuestAccess {
        let guest = guest(&body)
        let operations = body.require("operations", body.enumValues("operations", of: LockOperation.allCases)) ?? []
        let zone = RequestedZone(&body)
        let from = body.require("validFrom", body.time("validFrom", in: zone)) ?? .placeholder
        let until = body.require("validUntil", body.time("validUntil", in: zone)) ?? .placeholder
        return NewGuestAccess(
            guestUserID: guest.id, label: body.text("label"), propertyID: body.id("propertyId"),
            unitID: body.id("unitId"), deviceIDs: body.require("deviceIds", body.ids("deviceIds")) ?? [], operations: operations,
            window: GuestWindow(validFrom: from.instant, validUntil: until.instant),
            resolution: WindowResolution(timeZone: zone.name, validFrom: from.change, validUntil: until.change),
            schedule: body.schedule("schedule"), maxUses: body.integer("maxUses", in: WireLimits.guestUses),
            guestEmail: guest.email)
    }

    private static func changes(_ body: inout BodyReader) -> GuestAccessChanges {
        for key in ["guestUserId", "guestEmail", "propertyId", "unitId", "usesLeft", "resolution", "revokedAt"] {
            body.rejectReadOnly(key)
        }
        var changes = GuestAccessChanges()
        changes.label = body.patch("label") { $0.text($1) }
        if body.names("timeZone") { changes.timeZone = .cleared }
        let zone = RequestedZone(&body)
        if let name = zone.name { changes.timeZone = .set(name) }
        changes.validFrom = body.change("validFrom") { $0.time($1, in: zone) }
        changes.validUntil = body.change("validUntil") { $0.time($1, in: zone) }
        changes.schedule = body.patch("schedule") { $0.schedule($1) }
        changes.maxUses = body.patch("maxUses") { $0.integer($1, in: WireLimits.guestUses) }
        changes.operations = body.change("operations") { $0.enumValues($1, of: LockOperation.allCases) }
        changes.deviceIDs = body.change("deviceIds") { $0.ids($1) }
        return changes
    }

    /// Reads the guest's id or email address; neither for a guest without an account.
    ///
    /// An address is rejected only if it is too long. An unknown address is not an error here: the use case finds no user for it.
    private static func guest(_ body: inout BodyReader) -> (id: UserID?, email: String?) {
        guard body.isChosen(by: "guestEmail") else { return (body.id("guestUserId"), nil) }
        body.reject("guestUserId", beside: "guestEmail")
        let email = body.requiredAccount("guestEmail", StringSchema(maxLength: WireLimits.emailBytes))
        if email.utf8.count > WireLimits.emailBytes { body.reject("guestEmail", .tooLong) }
        return (nil, email)
    }

    /// One access as its response shows it; with intervals and locks if the request asks for them.
    private typealias ReadAccess = (
        access: GuestAccess, view: ProjectedRenderer, intervals: [Range<Timestamp>]?, devices: [LockDevice]?
    )

    private static let fields: [ResponseField<ReadAccess>] = [
        .written("guestAccess", .reference("GuestAccess")) { $0.view.guestAccess($0.access, into: &$1) },
        .objects("intervals", isRequired: false, \.intervals, [.init("from", \.lowerBound), .init("until", \.upperBound)]),
        .objects("devices", isRequired: false, \.devices, [.init("id", \.id), .init("name", \.name)]),
    ]

    private static let answer = [
        DocumentedAnswer(
            status: 200,
            summary:
                "The object; with `preview`, also the next intervals in which the access is valid, and with `deviceNames=true` "
                + "the names of the locks that the caller may know.",
            data: fields.schema(), headers: ["ETag"])
    ]

    private static func read(_ request: AuthenticatedRequest) throws -> APIResponse {
        let (preview, namesDevices) = try request.readQuery { query in
            (query.integer("preview", in: WireLimits.previewIntervals), query.bool("deviceNames") ?? false)
        }
        let (id, control) = (request.id("id", of: GuestAccess.self), request.control.guestAccesses)
        let access = try control.access(id, for: request.caller)
        let intervals = try preview.map { count in try control.intervals(of: id, for: request.caller, count: count) }
        let devices = namesDevices ? try control.devices(of: id, for: request.caller) : nil
        let view = request.view
        return .success(fields, of: (access, view, intervals, devices)).tagged(view.tag(of: access))
    }

    private static func change(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let changes = try request.readBody(changes)
        let (access, endedLink) = try await request.control.guestAccesses.change(
            request.caller, request.id("id"), changes, onlyIf: try request.condition { $0.tag(of: $1) })
        let view = request.view
        return .success {
            $0.field("guestAccess") { view.guestAccess(access, into: &$0) }
            $0.field("warning", endedLink ? Self.linkEnded : nil)
        }.tagged(view.tag(of: access))
    }

    private static let linkEnded =
        "The link of this access has ended, because its creator could not grant the changed access. Create a new link."

    private static func list(_ request: AuthenticatedRequest) throws -> APIResponse {
        let (page, filter) = try request.readQuery { query in
            (PageRequest<GuestAccessOrder>(&query), GuestAccessFilter(&query))
        }
        let accesses = request.control.guestAccesses.list(for: request.caller, filter, page)
        return try request.page("guestAccesses", accesses) { $0.guestAccess($1, into: &$2) }
    }
}

extension GuestAccessFilter {
    init(_ query: inout QueryReader) {
        self.init()
        device = query.id("deviceId")
        unit = query.id("unitId")
        property = query.id("propertyId")
        isActive = query.bool("active")
        hasLink = query.bool("hasLink")
    }
}

/// Creating and ending the links of guest accesses.
enum GuestLinkRoutes {
    static let all: [Route] = [
        .post(
            "/guest-access/:id/link", "Creates the link of a guest access. It replaces an earlier one.",
            .issued(fields.schema()), create),
        .removal("/guest-access/:id/link", "Ends the link of a guest access.") {
            try await $0.control.guestLinks.end($0.caller, of: $0.id("id"), isDryRun: $1)
        },
    ]

    /// Ignores an idempotency key: the response contains a token, and such responses are not stored.
    private static func create(_ request: AuthenticatedRequest) async throws -> APIResponse {
        try request.readNothing()
        let link = try await request.control.guestLinks.create(request.caller, of: request.id("id"))
        let url = link.url(under: request.services.publicURL).reveal()
        return .success(fields, of: (url, link.expiresAt, request.services.settings.linkWarning), status: 201)
    }

    private static let fields: [ResponseField<(url: String, expiresAt: Timestamp, warning: String?)>] = [
        .object(
            "link",
            [
                .init("url", \.url), .init("expiresAt", \.expiresAt),
                .init("qr") { QRCode($0.url)?.svg(title: "QR code of the guest link") }, .init("warning", \.warning),
            ])
    ]
}
