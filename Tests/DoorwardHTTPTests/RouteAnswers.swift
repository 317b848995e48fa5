import AdapterSimulator
import DoorwardAPI
import DoorwardAdapterKit
import DoorwardConsole
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// A successful request to a route, and the type that a client decodes its response with.
struct RouteAnswer: Sendable {
    /// Method and path, as in `RouteTable`.
    let route: String
    /// `nil` for a response without a JSON body.
    let read: (@Sendable (KeyRecorder, JSONValue) throws -> Void)?
    let call: @Sendable (RouteHouse) async throws -> Reply

    /// The envelope of a successful response.
    private struct Envelope<Content: Decodable & SendableMetatype>: Decodable {
        let status: String
        let data: Content
    }

    init<Content: Decodable & SendableMetatype>(
        _ route: String, _ content: Content.Type, _ call: @escaping @Sendable (RouteHouse) async throws -> Reply
    ) {
        (self.route, self.call) = (Self.full(route), call)
        read = { recorder, json in _ = try recorder.decode(Envelope<Content>.self, from: json, at: Self.full(route)) }
    }

    /// Makes an example of a route that responds with 204 or plain text.
    init(withoutJSON route: String, _ call: @escaping @Sendable (RouteHouse) async throws -> Reply) {
        (self.route, read, self.call) = (Self.full(route), nil, call)
    }

    private static func full(_ route: String) -> String {
        let parts = route.split(separator: " ")
        return parts[1].hasPrefix("//") ? "\(parts[0]) \(parts[1].dropFirst())" : "\(parts[0]) /api/v1\(parts[1])"
    }
}

/// The house to which the requests are sent. Each of its lists has at least one element.
struct RouteHouse: Sendable {
    let house: House
    let ids: House.IDs
    let command: String

    init() async throws {
        house = try await House(withPasswords: true, settings: TestAppStore.shared.get().settings())
        ids = house.ids
        house.adapter.report(.battery(level: 10, low: true), from: ids.door)
        house.adapter.set(transports: [AdapterTransport(name: "oak", owner: .portfolio(ids.portfolio), health: .ok)])
        house.adapter.set(owners: ["oak": .portfolio(ids.portfolio)])
        house.adapter.set(discovered: [
            DiscoveredLock(
                id: "d", name: "Attic", manufacturer: "Acme", model: "A1",
                address: ["broker": .string("oak"), "topic": .string("d")], owner: .portfolio(ids.portfolio),
                capabilities: [.lock, .unlock], problem: nil, firstSeenAt: house.clock.now(), lastSeenAt: house.clock.now())
        ])
        command = try await house.command(as: .tenant, #"{"reason":"parcel"}"#).data["command"]["id"].text ?? ""
        _ = try await house.call(.put, "/devices/\(ids.door)", as: .owner, #"{"metadata":{"floor":2},"model":"X"}"#)
    }

    func get(_ path: String, as person: House.Person? = .owner) async throws -> Reply {
        try await house.call(.get, path, as: person)
    }

    func post(_ path: String, _ body: String? = nil, as person: House.Person? = .owner) async throws -> Reply {
        try await house.call(.post, path, as: person, body)
    }

    func put(_ path: String, _ body: String, as person: House.Person? = .owner) async throws -> Reply {
        try await house.call(.put, path, as: person, body)
    }

    func delete(_ path: String, as person: House.Person? = .owner) async throws -> Reply {
        try await house.call(.delete, path, as: person)
    }

    /// Sends `POST /auth/login`.
    func logIn() async throws -> Reply {
        try await post("/auth/login", #"{"email":"owner@example.com","password":"\#(House.password)"}"#, as: nil)
    }

    /// Invites an address to a role, and returns `data.invitation`.
    func invitation() async throws -> JSONValue {
        try await post("/units/\(ids.unit)/tenants", #"{"email":"eve@example.com","role":"TENANT"}"#).data["invitation"]
    }

    /// Creates an API key that is valid for a day.
    func apiKey() async throws -> Reply {
        try await post(
            "/api-keys",
            """
            {"name":"Robot","entityType":"PROPERTY","entityId":"\(ids.property)","role":"MAINTENANCE",
            "expiresAt":"\(house.clock.now().advanced(by: .seconds(86_400)))"}
            """)
    }

    /// Opens a stream of the owner with the name `units`.
    func openStream() throws -> LiveStreams.Lease {
        let caller = Caller(userID: ids[.owner], sessionID: House.session(of: .owner))
        let name = StreamName(name: "units", query: .units(nil, nil), text: "unit")
        return try house.control.streams.open(caller, [name], from: nil, wasSent: false, maxStreams: 10) { _, _ in [] }
    }

    func resetToken() async throws -> String {
        try await post("/users/\(ids[.guest])/password-reset", as: .superAdmin).data["reset"]["token"].text ?? ""
    }
}

extension RouteAnswer {
    static let all = outside + people + accounts + places + settings + roles + devices + events + audit + streams + console

    private static let outside: [RouteAnswer] = [
        RouteAnswer("GET //healthz", Wire.HealthAnswer.self) { try await $0.get("//healthz", as: nil) },
        RouteAnswer("GET //readyz", Wire.ReadinessAnswer.self) { try await $0.get("//readyz", as: nil) },
        RouteAnswer(withoutJSON: "GET //metrics") { try await $0.get("//metrics", as: .superAdmin) },
        RouteAnswer("POST /auth/login", Wire.SignedIn.self) { try await $0.logIn() },
        RouteAnswer("POST /auth/refresh", Wire.SignedIn.self) {
            let token = try await $0.logIn().data["refreshToken"].text ?? ""
            return try await $0.post("/auth/refresh", #"{"refreshToken":"\#(token)"}"#, as: nil)
        },
        RouteAnswer(withoutJSON: "POST /auth/logout") { try await $0.post("/auth/logout", as: .nobody) },
        RouteAnswer(withoutJSON: "POST /auth/reset-password") {
            try await $0.post(
                "/auth/reset-password", #"{"token":"\#(try await $0.resetToken())","newPassword":"another long password"}"#,
                as: nil)
        },
        RouteAnswer("POST /users/:id/password-reset", Wire.PasswordResetAnswer.self) {
            try await $0.post("/users/\($0.ids[.guest])/password-reset", as: .superAdmin)
        },
        RouteAnswer("GET /permission-matrix", Wire.PermissionMatrix.self) { try await $0.get("/permission-matrix") },
        RouteAnswer("GET /adapters", Wire.AdaptersAnswer.self) { _ in
            // The simulator is the only adapter in these tests whose addresses have keys.
            let house = try await House(simulator: SimulatorAdapter(clock: VirtualClock()))
            house.adapter.set(transports: [AdapterTransport(name: "oak", owner: .gateway, health: .ok)])
            return try await house.call(.get, "/adapters", as: .superAdmin)
        },
        RouteAnswer("GET /clock", Wire.ClockAnswer.self) { try await $0.get("/clock", as: .superAdmin) },
        RouteAnswer("POST /clock/accept", Wire.ClockAnswer.self) { try await $0.post("/clock/accept", as: .superAdmin) },
        RouteAnswer("POST /store/backup", Wire.BackupAnswer.self) { house in
            let folder = FileManager.default.temporaryDirectory.appending(path: "doorward-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let path = folder.resolvingSymlinksInPath().path(percentEncoded: false)
            return try await house.post("/store/backup", #"{"file":"\#(path)/a.db"}"#, as: .superAdmin)
        },
    ]

    private static let people: [RouteAnswer] = [
        RouteAnswer("GET /users/me/permissions", Wire.AbilitiesAnswer.self) {
            try await $0.get("/users/me/permissions", as: .owner)
        },
        RouteAnswer("GET /users/me", Wire.UserAnswer.self) { try await $0.get("/users/me", as: .guest) },
        RouteAnswer("PUT /users/me", Wire.UserAnswer.self) { try await $0.put("/users/me", #"{"firstName":"A"}"#) },
        RouteAnswer("GET /users", Wire.Page<Wire.User>.self) { try await $0.get("/users", as: .superAdmin) },
        RouteAnswer("POST /users", Wire.UserAnswer.self) {
            try await $0.post(
                "/users", #"{"email":"n@example.com","firstName":"N","lastName":"M","password":"a long new password"}"#,
                as: .superAdmin)
        },
        RouteAnswer("GET /users/:id", Wire.UserAnswer.self) { try await $0.get("/users/\($0.ids[.tenant])", as: .superAdmin) },
        RouteAnswer("PUT /users/:id", Wire.UserAnswer.self) {
            try await $0.put("/users/\($0.ids[.tenant])", #"{"isEnabled":false}"#, as: .superAdmin)
        },
        RouteAnswer("DELETE /users/:id", Wire.RemovalPreviewAnswer.self) {
            try await $0.delete("/users/\($0.ids[.tenant])?dryRun=true", as: .superAdmin)
        },
        RouteAnswer(withoutJSON: "DELETE /users/:id/personal-data") {
            try await $0.delete("/users/\($0.ids[.tenant])/personal-data", as: .superAdmin)
        },
    ]

    private static let accounts: [RouteAnswer] = [
        RouteAnswer("GET /users/me/sessions", Wire.SessionsAnswer.self) { try await $0.get("/users/me/sessions") },
        RouteAnswer(withoutJSON: "DELETE /users/me/sessions/:id") {
            try await $0.delete("/users/me/sessions/\(House.session(of: .nobody))", as: .nobody)
        },
        RouteAnswer(withoutJSON: "POST /users/me/password") {
            try await $0.post(
                "/users/me/password", #"{"currentPassword":"\#(House.password)","newPassword":"another long password"}"#)
        },
        RouteAnswer("POST /users/me/recovery-codes", Wire.RecoveryCodesAnswer.self) {
            try await $0.post("/users/me/recovery-codes", #"{"currentPassword":"\#(House.password)"}"#)
        },
        RouteAnswer("GET /invitations", Wire.Page<Wire.Invitation>.self) {
            _ = try await $0.invitation()
            return try await $0.get("/invitations")
        },
        RouteAnswer("GET /invitations/:id", Wire.InvitationAnswer.self) {
            try await $0.get("/invitations/\(try await $0.invitation()["id"].text ?? "")")
        },
        RouteAnswer(withoutJSON: "DELETE /invitations/:id") {
            try await $0.delete("/invitations/\(try await $0.invitation()["id"].text ?? "")")
        },
        RouteAnswer("POST /auth/accept-invitation", Wire.SignedIn.self) {
            let token = try await $0.invitation()["token"].text ?? ""
            return try await $0.post(
                "/auth/accept-invitation",
                #"{"token":"\#(token)","firstName":"E","lastName":"A","password":"another long password"}"#, as: nil)
        },
        RouteAnswer("GET /api-keys", Wire.Page<Wire.APIKey>.self) {
            _ = try await $0.apiKey()
            return try await $0.get("/api-keys")
        },
        RouteAnswer("POST /api-keys", Wire.NewAPIKeyAnswer.self) { try await $0.apiKey() },
        RouteAnswer(withoutJSON: "DELETE /api-keys/:id") {
            try await $0.delete("/api-keys/\(try await $0.apiKey().data["apiKey"]["id"].text ?? "")")
        },
        RouteAnswer(withoutJSON: "GET //docs") { try await $0.get("//docs", as: nil) },
        RouteAnswer(withoutJSON: "GET //invitation") { try await $0.get("//invitation", as: nil) },
        RouteAnswer(withoutJSON: "GET //reset-password") { try await $0.get("//reset-password", as: nil) },
    ]

    private static let places: [RouteAnswer] = [
        RouteAnswer("GET /portfolios", Wire.Page<Wire.Portfolio>.self) { try await $0.get("/portfolios") },
        RouteAnswer("POST /portfolios", Wire.PortfolioAnswer.self) {
            try await $0.post("/portfolios", #"{"name":"New"}"#, as: .superAdmin)
        },
        RouteAnswer("GET /portfolios/:id", Wire.PortfolioAnswer.self) { try await $0.get("/portfolios/\($0.ids.portfolio)") },
        RouteAnswer("PUT /portfolios/:id", Wire.PortfolioAnswer.self) {
            try await $0.put("/portfolios/\($0.ids.portfolio)", #"{"name":"Oak"}"#)
        },
        RouteAnswer("DELETE /portfolios/:id", Wire.RemovalPreviewAnswer.self) {
            try await $0.delete("/portfolios/\($0.ids.portfolio)?cascade=true&dryRun=true")
        },
        RouteAnswer("PUT /properties/:id", Wire.PropertyAnswer.self) {
            try await $0.put("/properties/\($0.ids.property)", #"{"address":{"city":"Ulm"}}"#)
        },
        RouteAnswer(withoutJSON: "DELETE /properties/:id") {
            try await $0.delete("/properties/\($0.ids.property)?cascade=true")
        },
        RouteAnswer("PUT /units/:id", Wire.UnitAnswer.self) {
            try await $0.put("/units/\($0.ids.unit)", #"{"commonAreaAccessIds":["\#($0.ids.frontDoor)"]}"#)
        },
        RouteAnswer(withoutJSON: "DELETE /units/:id") { try await $0.delete("/units/\($0.ids.unit)?cascade=true") },
        RouteAnswer("POST /units/:id/devices", Wire.DeviceAnswer.self) {
            try await $0.post("/units/\($0.ids.unit)/devices", #"{"deviceId":"\#($0.ids.frontDoor)"}"#)
        },
        RouteAnswer(withoutJSON: "DELETE /units/:id/devices/:deviceId") {
            try await $0.delete("/units/\($0.ids.unit)/devices/\($0.ids.door)")
        },
        RouteAnswer("GET /properties", Wire.Page<Wire.Property>.self) { try await $0.get("/properties") },
        RouteAnswer("POST /properties", Wire.PropertyAnswer.self) {
            try await $0.post(
                "/properties", #"{"name":"New","portfolioId":"\#($0.ids.portfolio)","address":{"street":"Oak Street 7"}}"#)
        },
        RouteAnswer("GET /properties/:id", Wire.PropertyAnswer.self) { try await $0.get("/properties/\($0.ids.property)") },
        RouteAnswer("GET /portfolios/:id/properties", Wire.Page<Wire.Property>.self) {
            try await $0.get("/portfolios/\($0.ids.portfolio)/properties")
        },
        RouteAnswer("POST /portfolios/:id/properties", Wire.PropertyAnswer.self) {
            try await $0.post("/portfolios/\($0.ids.portfolio)/properties", #"{"name":"New"}"#)
        },
        RouteAnswer("GET /units", Wire.Page<Wire.Unit>.self) { try await $0.get("/units") },
        RouteAnswer("POST /units", Wire.UnitAnswer.self) {
            try await $0.post("/units", #"{"name":"New","propertyId":"\#($0.ids.property)"}"#)
        },
        RouteAnswer("GET /units/:id", Wire.UnitAnswer.self) { try await $0.get("/units/\($0.ids.unit)") },
        RouteAnswer("GET /properties/:id/units", Wire.Page<Wire.Unit>.self) {
            try await $0.get("/properties/\($0.ids.property)/units")
        },
        RouteAnswer("POST /properties/:id/units", Wire.UnitAnswer.self) {
            try await $0.post("/properties/\($0.ids.property)/units", #"{"name":"New"}"#)
        },
        RouteAnswer("GET /units/:id/devices", Wire.Page<Wire.Device>.self) { try await $0.get("/units/\($0.ids.unit)/devices") },
    ]

    private static let settings: [RouteAnswer] = [
        RouteAnswer("POST /properties/:id/lockdown", Wire.LockdownAnswer.self) {
            _ = try await $0.put("/devices/\($0.ids.door)", #"{"isRemoteOperationEnabled":false}"#)
            return try await $0.post("/properties/\($0.ids.property)/lockdown", #"{"reason":"Alarm"}"#)
        },
        RouteAnswer("DELETE /properties/:id/lockdown", Wire.PropertyAnswer.self) {
            try await $0.delete("/properties/\($0.ids.property)/lockdown")
        },
        RouteAnswer("GET /portfolios/:id/subscription", Wire.SubscriptionAnswer.self) {
            try await $0.get("/portfolios/\($0.ids.portfolio)/subscription")
        },
        RouteAnswer("PUT /portfolios/:id/subscription", Wire.SubscriptionAnswer.self) {
            try await $0.put("/portfolios/\($0.ids.portfolio)/subscription", #"{"tier":"free"}"#, as: .superAdmin)
        },
        RouteAnswer("GET /portfolios/:id/retention", Wire.RetentionAnswer.self) {
            try await $0.get("/portfolios/\($0.ids.portfolio)/retention")
        },
        RouteAnswer("PUT /portfolios/:id/retention", Wire.RetentionAnswer.self) {
            try await $0.put("/portfolios/\($0.ids.portfolio)/retention", #"{"days":365}"#)
        },
    ]

    private static let roles: [RouteAnswer] = [
        ("portfolios", "admins", "PORTFOLIO_ADMIN", House.Person.admin),
        ("properties", "managers", "PROPERTY_MANAGER", .manager), ("units", "tenants", "TENANT", .coTenant),
    ].flatMap { (places, people, role, holder) -> [RouteAnswer] in
        @Sendable func path(_ house: RouteHouse) -> String {
            let id =
                switch places {
                case "portfolios": house.ids.portfolio.description
                case "properties": house.ids.property.description
                default: house.ids.unit.description
                }
            return "/\(places)/\(id)/\(people)"
        }
        return [
            RouteAnswer("GET /\(places)/:id/\(people)", Wire.Page<Wire.User>.self) { try await $0.get(path($0)) },
            RouteAnswer("POST /\(places)/:id/\(people)", Wire.RoleAssociationAnswer.self) {
                try await $0.post(path($0), #"{"userId":"\#($0.ids[.nobody])","role":"\#(role)"}"#)
            },
            RouteAnswer(withoutJSON: "DELETE /\(places)/:id/\(people)/:userId") {
                try await $0.delete("\(path($0))/\($0.ids[holder])")
            },
        ]
    }

    private static let devices: [RouteAnswer] = [
        RouteAnswer("GET /devices", Wire.Page<Wire.Device>.self) { try await $0.get("/devices") },
        RouteAnswer("POST /devices", Wire.DeviceAnswer.self) {
            try await $0.post(
                "/devices",
                #"{"name":"N","adapter":"scripted","address":{"topic":"n"},"propertyId":"\#($0.ids.property)"}"#)
        },
        RouteAnswer("GET /devices/:id", Wire.DeviceAnswer.self) { try await $0.get("/devices/\($0.ids.door)") },
        RouteAnswer("GET /devices/:id/status", Wire.DeviceStatusAnswer.self) {
            try await $0.get("/devices/\($0.ids.door)/status")
        },
        RouteAnswer("GET /devices/:id/permissions", Wire.PermissionsAnswer.self) {
            try await $0.get("/devices/\($0.ids.door)/permissions", as: .guest)
        },
        RouteAnswer("POST /authorize", Wire.AuthorizationAnswer.self) {
            try await $0.post("/authorize", #"{"deviceId":"\#($0.ids.door)","operation":"UNLATCH"}"#, as: .guest)
        },
        RouteAnswer("GET /devices/:id/who-can", Wire.Page<Wire.PermittedPrincipal>.self) {
            try await $0.get("/devices/\($0.ids.door)/who-can?operation=UNLOCK")
        },
        RouteAnswer("PUT /devices/:id", Wire.DeviceAnswer.self) {
            try await $0.put("/devices/\($0.ids.door)", #"{"name":"Door"}"#)
        },
        RouteAnswer("PUT /devices/:id/settings", Wire.DeviceAnswer.self) {
            try await $0.put("/devices/\($0.ids.door)/settings", #"{"code":"1234","autoRelockSeconds":30}"#)
        },
        RouteAnswer(withoutJSON: "DELETE /devices/:id") { try await $0.delete("/devices/\($0.ids.frontDoor)") },
        RouteAnswer("GET /devices/discovered", Wire.Page<Wire.DiscoveredDevice>.self) { try await $0.get("/devices/discovered") },
        RouteAnswer("POST /devices/:id/lock", Wire.CommandAnswer.self) {
            try await $0.post("/devices/\($0.ids.door)/lock", as: .tenant)
        },
        RouteAnswer("POST /devices/:id/unlock", Wire.CommandAnswer.self) {
            try await $0.post("/devices/\($0.ids.door)/unlock", #"{"override":{"reason":"fire"}}"#, as: .owner)
        },
        RouteAnswer("POST /devices/:id/unlatch", Wire.CommandAnswer.self) {
            try await $0.post("/devices/\($0.ids.door)/unlatch", as: .tenant)
        },
        RouteAnswer("POST /simulator/devices/:id/events", Wire.DeviceAnswer.self) {
            try await $0.post("/simulator/devices/\($0.ids.simulated)/events", #"{"event":"jam"}"#, as: .manager)
        },
    ]

    private static let events: [RouteAnswer] = [
        RouteAnswer("GET /commands", Wire.Page<Wire.Command>.self) { try await $0.get("/commands", as: .coTenant) },
        RouteAnswer("GET /commands/:id", Wire.CommandAnswer.self) { try await $0.get("/commands/\($0.command)", as: .tenant) },
        RouteAnswer("GET /guest-access", Wire.Page<Wire.GuestAccess>.self) { try await $0.get("/guest-access") },
        RouteAnswer("POST /guest-access", Wire.GuestAccessAnswer.self) {
            try await $0.post(
                "/guest-access",
                """
                {"label":"Plumber","deviceIds":["\($0.ids.door)"],"operations":["UNLOCK"],
                "validFrom":"2030-01-01T00:00:00Z","validUntil":"2030-01-02T00:00:00Z"}
                """)
        },
        RouteAnswer("GET /guest-access/:id", Wire.GuestAccessAnswer.self) {
            try await $0.get("/guest-access/\($0.ids.guestAccess)")
        },
        RouteAnswer("PUT /guest-access/:id", Wire.GuestAccessAnswer.self) {
            try await $0.put("/guest-access/\($0.ids.guestAccess)", #"{"label":"Sister"}"#)
        },
        RouteAnswer("POST /guest-access/:id/link", Wire.GuestLinkAnswer.self) {
            try await $0.post("/guest-access/\($0.ids.guestAccess)/link", as: .tenant)
        },
        RouteAnswer(withoutJSON: "DELETE /guest-access/:id/link") {
            try await $0.delete("/guest-access/\($0.ids.guestAccess)/link")
        },
        RouteAnswer(withoutJSON: "GET //g/:token") { try await GuestLinkHouse($0.house).page() },
        RouteAnswer(withoutJSON: "POST //g/:token/devices/:deviceId/:operation") {
            try await GuestLinkHouse($0.house).tap("unlock")
        },
        RouteAnswer(withoutJSON: "GET /\(GuestPageAssets.style.path)") {
            try await $0.house.send(.get, GuestPageAssets.style.path)
        },
        RouteAnswer(withoutJSON: "GET /\(GuestPageAssets.script.path)") {
            try await $0.house.send(.get, GuestPageAssets.script.path)
        },
        RouteAnswer(withoutJSON: "DELETE /guest-access/:id") { try await $0.delete("/guest-access/\($0.ids.guestAccess)") },
        RouteAnswer("GET /access-records", Wire.AccessRecordPage.self) { try await $0.get("/access-records") },
        RouteAnswer("GET /access-records/summary", Wire.RecordSummaryAnswer.self) {
            try await $0.get(
                "/access-records/summary?by=day&from=\($0.house.clock.now().advanced(by: .seconds(-86_400)))"
                    + "&until=\($0.house.clock.now().advanced(by: .seconds(86_400)))")
        },
        RouteAnswer("GET /access-records/:id", Wire.AccessRecordAnswer.self) {
            let record = $0.house.store.log(.portfolio($0.ids.portfolio)).first { $0.body.kind == .commandIntent }
            return try await $0.get("/access-records/\(record?.body.id.description ?? "")")
        },
        RouteAnswer("GET /devices/:id/access-records", Wire.AccessRecordPage.self) {
            try await $0.get("/devices/\($0.ids.door)/access-records", as: .coTenant)
        },
    ]

    private static let console = (["/"] + ConsoleFile.all.map { "\(ConsoleRoutes.folder)/\($0.name)" }).map { path in
        RouteAnswer(withoutJSON: "GET /\(path)") { try await $0.get("/\(path)", as: nil) }
    }

    private static let streams: [RouteAnswer] = [
        RouteAnswer(withoutJSON: "GET /stream") { try await $0.get("/stream?subscribe=doors:device") },
        RouteAnswer(withoutJSON: "POST /stream") {
            try await $0.post("/stream", #"{"subscriptions":{"doors":{"type":"device","query":"state=LOCKED"}}}"#)
        },
        RouteAnswer(withoutJSON: "PUT /stream/:streamId/subscriptions/:name") { house in
            let lease = try house.openStream()
            return try await house.put("/stream/\(lease.stream.id)/subscriptions/doors", #"{"type":"device"}"#)
        },
        RouteAnswer(withoutJSON: "DELETE /stream/:streamId/subscriptions/:name") { house in
            let lease = try house.openStream()
            return try await house.delete("/stream/\(lease.stream.id)/subscriptions/units")
        },
    ]

    private static let audit: [RouteAnswer] = [
        RouteAnswer(withoutJSON: "GET /access-records/export") { try await $0.get("/access-records/export?format=ndjson") },
        RouteAnswer("GET /audit/logs", Wire.AuditedLogsAnswer.self) { try await $0.get("/audit/logs") },
        RouteAnswer(withoutJSON: "GET /audit/logs/:logId/checkpoint") {
            try await $0.get("/audit/logs/\($0.ids.portfolio)/checkpoint")
        },
        RouteAnswer(withoutJSON: "POST /audit/logs/:logId/cosignatures") {
            let path = "/audit/logs/\($0.ids.portfolio)"
            let note = try $0.house.cosigned(try await $0.get("\(path)/checkpoint").text)
            return try await $0.post("\(path)/cosignatures", #"{"note":"\#(note.replacing("\n", with: "\\n"))"}"#)
        },
        RouteAnswer("GET /audit/logs/:logId/proof/inclusion", Wire.InclusionProofAnswer.self) {
            try await $0.get("/audit/logs/\($0.ids.portfolio)/proof/inclusion?seq=0&size=2")
        },
        RouteAnswer("GET /audit/logs/:logId/proof/consistency", Wire.ConsistencyProofAnswer.self) {
            try await $0.get("/audit/logs/\($0.ids.portfolio)/proof/consistency?from=1&to=2")
        },
        RouteAnswer(withoutJSON: "GET /audit/public-key") { try await $0.get("/audit/public-key") },
        RouteAnswer(withoutJSON: "GET /reports/compliance") {
            _ = try await $0.put(
                "/portfolios/\($0.ids.portfolio)/subscription", #"{"modules":{"complianceReport":true}}"#, as: .superAdmin)
            return try await $0.get(
                "/reports/compliance?portfolioId=\($0.ids.portfolio)&from=2026-01-01T00:00:00Z&until=2027-01-01T00:00:00Z")
        },
        RouteAnswer("POST /iap/validate-receipt", Wire.RedeemedReceiptAnswer.self) {
            try await $0.post("/iap/validate-receipt", PurchaseRouteTests.body(TestAppStore.shared.get().transaction()))
        },
        RouteAnswer("POST /audit/key-rotation", Wire.KeyRotationAnswer.self) {
            try await $0.post("/audit/key-rotation", as: .superAdmin)
        },
    ]
}
