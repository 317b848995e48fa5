internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// Guest accesses and their time windows.
enum GuestAccessRoutes {
    static let all: [Route] = [
        .get("/guest-access", "Lists guest accesses.", .page("guestAccesses", "GuestAccess"), list),
        .post(
            "/guest-access", "Grants a guest access, or with `dryRun=true` shows what would be granted.",
            .created([guestAccess, intervals].schema()) + drafted, isRepeatable: true, grant),
        .get("/guest-access/:id", "Reads a guest access, its next intervals, and the names of its locks.", read, read),
        .put(
            "/guest-access/:id",
            "Changes a guest access. Its link ends if the creator of the link could not grant the changed access; `warning` says so.",
            .tagged([guestAccess, intervals, warning].schema()), change),
        .removal("/guest-access/:id", "Revokes a guest access.", isConditional: true) { request, isDryRun in
            try await request.control.guestAccesses.revoke(
                request.caller, request.id("id"), isDryRun: isDryRun, onlyIf: try request.condition { $0.tag(of: $1) })
        },
    ]

    private static func grant(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let (new, options) = try request.read { (body, query) throws(GatewayError) in
            (newGuestAccess(&body), AnswerOptions(&query))
        }
        if options.isDryRun {
            let draft = try request.control.guestAccesses.dryRun(request.caller, granting: new)
            let shown = shown(draft.value, request.view(in: draft.snapshot), options, request)
            return .success([draftedAccess, intervals], of: shown)
        }
        return try await request.create { repeatable in
            try await request.control.guestAccesses.grant(request.caller, new, repeatable: repeatable)
        } render: { access, view in
            .success(
                [guestAccess, intervals], of: shown(access, view, options, request), status: 201,
                location: "/api/v1/guest-access/\(access.id)")
        }
    }

    /// The query of a grant or a change.
    private struct AnswerOptions {
        let isDryRun: Bool
        /// The number of next intervals to show; `nil` for none.
        let preview: Int?

        init(_ query: inout QueryReader) {
            isDryRun = query.bool("dryRun") ?? false
            preview = query.integer("preview", in: WireLimits.previewIntervals)
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
    private struct Shown: Sendable {
        let access: GuestAccess
        let view: ProjectedRenderer
        var intervals: [Range<Timestamp>]?
        var devices: [LockDevice]?
        var warning: String?
    }

    private static func shown(
        _ access: GuestAccess, _ view: ProjectedRenderer, _ options: AnswerOptions, _ request: AuthenticatedRequest
    ) -> Shown {
        Shown(access: access, view: view, intervals: intervals(of: access, view, options.preview, request))
    }

    private static func intervals(
        of access: GuestAccess, _ view: ProjectedRenderer, _ count: Int?, _ request: AuthenticatedRequest
    ) -> [Range<Timestamp>]? {
        count.map { request.control.guestAccesses.intervals(of: access, in: view.tenancy, count: $0) }
    }

    private static let guestAccess = ResponseField<Shown>.written("guestAccess", .reference("GuestAccess")) {
        $0.view.guestAccess($0.access, into: &$1)
    }
    private static let draftedAccess = ResponseField<Shown>.written("guestAccess", .reference("GuestAccessDraft")) {
        $0.view.guestAccess($0.access, GuestAccess.draftFields, into: &$1)
    }
    private static let intervals = ResponseField<Shown>.objects(
        "intervals", isRequired: false, \.intervals, [.init("from", \.lowerBound), .init("until", \.upperBound)])
    private static let devices = ResponseField<Shown>.objects(
        "devices", isRequired: false, \.devices, [.init("id", \.id), .init("name", \.name)])
    private static let warning = ResponseField<Shown>("warning", \.warning)

    private static let read = [
        DocumentedAnswer(
            status: 200,
            summary:
                "The object; with `preview`, also the next intervals in which the access is valid, and with `deviceNames=true` "
                + "the names of the locks that the caller may know.",
            data: [guestAccess, intervals, devices].schema(), headers: ["ETag"])
    ]
    private static let drafted = [
        DocumentedAnswer(
            status: 200, summary: "The access as it would be granted, with `dryRun=true`. Nothing was changed.",
            data: [draftedAccess, intervals].schema())
    ]

    private static func read(_ request: AuthenticatedRequest) throws -> APIResponse {
        let (preview, namesDevices) = try request.readQuery { query in
            (query.integer("preview", in: WireLimits.previewIntervals), query.bool("deviceNames") ?? false)
        }
        let (id, control) = (request.id("id", of: GuestAccess.self), request.control.guestAccesses)
        let access = try control.access(id, for: request.caller)
        let devices = namesDevices ? try control.devices(of: id, for: request.caller) : nil
        let view = request.view
        let intervals = intervals(of: access, view, preview, request)
        return .success(
            [guestAccess, Self.intervals, Self.devices],
            of: Shown(access: access, view: view, intervals: intervals, devices: devices)
        ).tagged(view.tag(of: access))
    }

    private static func change(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let (changes, options) = try request.read { (body, query) throws(GatewayError) in
            (Self.changes(&body), AnswerOptions(&query))
        }
        let (control, id) = (request.control.guestAccesses, request.id("id", of: GuestAccess.self))
        let condition = try request.condition { $0.tag(of: $1) } as Precondition<GuestAccess>?
        let changed: (access: GuestAccess, endedLink: Bool)
        let view: ProjectedRenderer
        if options.isDryRun {
            let draft = try control.dryRun(request.caller, changing: id, changes, onlyIf: condition)
            (changed, view) = (draft.value, request.view(in: draft.snapshot))
        } else {
            changed = try await control.change(request.caller, id, changes, onlyIf: condition)
            view = request.view
        }
        var shown = shown(changed.access, view, options, request)
        shown.warning = changed.endedLink ? linkEnded : nil
        return .success([guestAccess, intervals, warning], of: shown).tagged(view.tag(of: changed.access))
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
