import AdapterSimulator
import DoorwardAdapterKit
import DoorwardConsole
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import HTTPTypes
import Testing

@testable import DoorwardClient
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

    /// Makes an example of a route whose whole `data` one type reads.
    init<Content: Decodable & SendableMetatype>(
        _ route: String, whole content: Content.Type, _ call: @escaping @Sendable (RouteHouse) async throws -> Reply
    ) {
        (self.route, self.call) = (Self.full(route), call)
        read = { recorder, json in _ = try recorder.decode(Envelope<Content>.self, from: json, at: Self.full(route)) }
    }

    /// Makes an example of a route whose `data` has these members, each read by a type.
    init(
        _ route: String, _ members: [String: any (Decodable & SendableMetatype).Type],
        _ call: @escaping @Sendable (RouteHouse) async throws -> Reply
    ) {
        (self.route, self.call) = (Self.full(route), call)
        read = { recorder, json in
            guard case .object(let data) = json["data"] else { throw CancellationError() }
            #expect(Set(data.keys) == Set(members.keys), "\(route)")
            for (key, type) in members where data[key] != .null {
                _ = try recorder.decode(type, from: json["data"][key], at: "\(Self.full(route)).\(key)")
            }
        }
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

/// What the set-up page reads; the client library does not call this route.
private struct FoundSetup: Decodable {
    let gatewayName: String
    let publicUrl: String?
    let expiresAt: Doorward.Instant
    let adapters: [String]
    let brokers: [String]
    let userCount: Int
    let portfolioCount: Int
    let deviceCount: Int
}

/// The house to which the requests are sent. Each of its lists has at least one element.
struct RouteHouse: Sendable {
    let house: House
    let ids: House.IDs
    let command: String

    init(sendsInBulks: Bool = false) async throws {
        var house = try await House(withPasswords: true, settings: TestAppStore.shared.get().settings())
        house.sendsInBulks = sendsInBulks
        self.house = house
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
        return try house.control.streams.open(caller, [name], from: nil, wasSent: false, maxStreams: 10)
    }

    func resetToken() async throws -> String {
        try await post("/users/\(ids[.guest])/password-reset", as: .superAdmin).data["reset"]["token"].text ?? ""
    }
}

/// Answers that the client library does not read.
extension RouteAnswer {
    private struct PasswordReset: Decodable { let url, token, expiresAt: String }
    private struct Retention: Decodable {
        let days: Int?
        let legalHold: Bool
    }
    private struct DeviceStatus: Decodable {
        let deviceId: String
        let state, stateQuality, stateAt, doorState, lastSeen: String?
        let batteryLevel: Int?
        let batteryLow, isOnline: Bool?
        let faults: [String]?
    }
    private struct BulkResult: Decodable {
        let status: Int
        let body: Doorward.JSONValue
    }
    private struct Bucket: Decodable {
        let from, until: String
        let counts: [String: Int]
    }
}

extension RouteAnswer {
    static let all = outside + people + accounts + places + settings + roles + devices + events + audit + streams + console

    private static let outside: [RouteAnswer] = [
        RouteAnswer("GET //healthz", ["alive": Bool.self]) { try await $0.get("//healthz", as: nil) },
        RouteAnswer("GET //readyz", ["ready": Bool.self]) { try await $0.get("//readyz", as: nil) },
        RouteAnswer(withoutJSON: "GET //metrics") { try await $0.get("//metrics", as: .superAdmin) },
        RouteAnswer("POST /auth/login", whole: Doorward.SignedIn.self) { try await $0.logIn() },
        RouteAnswer("POST /auth/refresh", whole: Doorward.SignedIn.self) {
            let token = try await $0.logIn().data["refreshToken"].text ?? ""
            return try await $0.post("/auth/refresh", #"{"refreshToken":"\#(token)"}"#, as: nil)
        },
        RouteAnswer(withoutJSON: "POST /auth/logout") { try await $0.post("/auth/logout", as: .nobody) },
        RouteAnswer(withoutJSON: "POST /auth/reset-password") {
            try await $0.post(
                "/auth/reset-password", #"{"token":"\#(try await $0.resetToken())","newPassword":"another long password"}"#,
                as: nil)
        },
        RouteAnswer("POST /users/:id/password-reset", ["reset": PasswordReset.self]) {
            try await $0.post("/users/\($0.ids[.guest])/password-reset", as: .superAdmin)
        },
        RouteAnswer("GET /permission-matrix", whole: Doorward.PermissionCatalog.self) { try await $0.get("/permission-matrix") },
        RouteAnswer("GET /adapters", ["adapters": [Doorward.Adapter].self]) { _ in
            // The simulator is the only adapter in these tests whose addresses have keys.
            let house = try await House(simulator: SimulatorAdapter(clock: VirtualClock()))
            house.adapter.set(transports: [AdapterTransport(name: "oak", owner: .gateway, health: .ok)])
            return try await house.call(.get, "/adapters", as: .superAdmin)
        },
        RouteAnswer("GET /clock", ["clock": Doorward.ClockState.self]) { try await $0.get("/clock", as: .superAdmin) },
        RouteAnswer("POST /clock/accept", ["clock": Doorward.ClockState.self]) {
            try await $0.post("/clock/accept", as: .superAdmin)
        },
        RouteAnswer("POST /store/backup", ["backup": Doorward.Backup.self]) { house in
            let folder = FileManager.default.temporaryDirectory.appending(path: "doorward-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let path = folder.resolvingSymlinksInPath().path(percentEncoded: false)
            return try await house.post("/store/backup", #"{"file":"\#(path)/a.db"}"#, as: .superAdmin)
        },
    ]

    private static let people: [RouteAnswer] = [
        RouteAnswer(
            "GET /users/me/permissions",
            [
                "rules": [Doorward.AbilityRule].self, "packedRules": [[Doorward.JSONValue]].self,
                "nextChangeAt": Doorward.Instant.self,
            ]
        ) {
            try await $0.get("/users/me/permissions", as: .owner)
        },
        RouteAnswer("GET /users/me", ["user": Doorward.User.self]) { try await $0.get("/users/me", as: .guest) },
        RouteAnswer("PUT /users/me", ["user": Doorward.User.self]) { try await $0.put("/users/me", #"{"firstName":"A"}"#) },
        RouteAnswer("GET /users", whole: Page<Doorward.User>.self) { try await $0.get("/users", as: .superAdmin) },
        RouteAnswer("POST /users", ["user": Doorward.User.self]) {
            try await $0.post(
                "/users", #"{"email":"n@example.com","firstName":"N","lastName":"M","password":"a long new password"}"#,
                as: .superAdmin)
        },
        RouteAnswer("GET /users/:id", ["user": Doorward.User.self]) {
            try await $0.get("/users/\($0.ids[.tenant])", as: .superAdmin)
        },
        RouteAnswer("PUT /users/:id", ["user": Doorward.User.self]) {
            try await $0.put("/users/\($0.ids[.tenant])", #"{"isEnabled":false}"#, as: .superAdmin)
        },
        RouteAnswer("DELETE /users/:id", ["preview": Doorward.RemovalPreview.self]) {
            try await $0.delete("/users/\($0.ids[.tenant])?dryRun=true", as: .superAdmin)
        },
        RouteAnswer(withoutJSON: "DELETE /users/:id/personal-data") {
            try await $0.delete("/users/\($0.ids[.tenant])/personal-data", as: .superAdmin)
        },
    ]

    private static let accounts: [RouteAnswer] = [
        RouteAnswer("GET /users/me/sessions", ["sessions": [Doorward.OwnSession].self]) {
            try await $0.get("/users/me/sessions")
        },
        RouteAnswer(withoutJSON: "DELETE /users/me/sessions/:id") {
            try await $0.delete("/users/me/sessions/\(House.session(of: .nobody))", as: .nobody)
        },
        RouteAnswer(withoutJSON: "POST /users/me/password") {
            try await $0.post(
                "/users/me/password", #"{"currentPassword":"\#(House.password)","newPassword":"another long password"}"#)
        },
        RouteAnswer("POST /users/me/recovery-codes", ["recoveryCodes": [String].self]) {
            try await $0.post("/users/me/recovery-codes", #"{"currentPassword":"\#(House.password)"}"#)
        },
        RouteAnswer("GET /invitations", whole: Page<Doorward.Invitation>.self) {
            _ = try await $0.invitation()
            return try await $0.get("/invitations")
        },
        RouteAnswer("GET /invitations/:id", ["invitation": Doorward.Invitation.self]) {
            try await $0.get("/invitations/\(try await $0.invitation()["id"].text ?? "")")
        },
        RouteAnswer(withoutJSON: "DELETE /invitations/:id") {
            try await $0.delete("/invitations/\(try await $0.invitation()["id"].text ?? "")")
        },
        RouteAnswer("POST /auth/accept-invitation", whole: Doorward.SignedIn.self) {
            let token = try await $0.invitation()["token"].text ?? ""
            return try await $0.post(
                "/auth/accept-invitation",
                #"{"token":"\#(token)","firstName":"E","lastName":"A","password":"another long password"}"#, as: nil)
        },
        RouteAnswer("GET /api-keys", whole: Page<Doorward.APIKey>.self) {
            _ = try await $0.apiKey()
            return try await $0.get("/api-keys")
        },
        RouteAnswer("POST /api-keys", whole: Doorward.IssuedAPIKey.self) { try await $0.apiKey() },
        RouteAnswer(withoutJSON: "DELETE /api-keys/:id") {
            try await $0.delete("/api-keys/\(try await $0.apiKey().data["apiKey"]["id"].text ?? "")")
        },
        RouteAnswer(withoutJSON: "GET //docs") { try await $0.get("//docs", as: nil) },
        RouteAnswer(withoutJSON: "GET //invitation") { try await $0.get("//invitation", as: nil) },
        RouteAnswer(withoutJSON: "GET //reset-password") { try await $0.get("//reset-password", as: nil) },
        RouteAnswer(withoutJSON: "GET //setup") { try await $0.get("//setup", as: nil) },
        RouteAnswer("GET /setup", ["setup": FoundSetup.self]) { _ in
            let house = try await House.empty()
            return try await house.setUp(.get, try house.setupToken())
        },
        RouteAnswer("PUT /setup", whole: Doorward.SignedIn.self) { _ in
            let house = try await House.empty()
            return try await house.setUp(.put, try house.setupToken(), "{\(SetupRouteTests.person)}")
        },
    ]

    private static let places: [RouteAnswer] = [
        RouteAnswer("GET /portfolios", whole: Page<Doorward.Portfolio>.self) { try await $0.get("/portfolios") },
        RouteAnswer("POST /portfolios", ["portfolio": Doorward.Portfolio.self]) {
            try await $0.post("/portfolios", #"{"name":"New"}"#, as: .superAdmin)
        },
        RouteAnswer("GET /portfolios/:id", ["portfolio": Doorward.Portfolio.self]) {
            try await $0.get("/portfolios/\($0.ids.portfolio)")
        },
        RouteAnswer("PUT /portfolios/:id", ["portfolio": Doorward.Portfolio.self]) {
            try await $0.put("/portfolios/\($0.ids.portfolio)", #"{"name":"Oak"}"#)
        },
        RouteAnswer("DELETE /portfolios/:id", ["preview": Doorward.RemovalPreview.self]) {
            try await $0.delete("/portfolios/\($0.ids.portfolio)?cascade=true&dryRun=true")
        },
        RouteAnswer("PUT /properties/:id", ["property": Doorward.Property.self]) {
            try await $0.put("/properties/\($0.ids.property)", #"{"address":{"city":"Ulm"}}"#)
        },
        RouteAnswer(withoutJSON: "DELETE /properties/:id") {
            try await $0.delete("/properties/\($0.ids.property)?cascade=true")
        },
        RouteAnswer("PUT /units/:id", ["unit": Doorward.Unit.self]) {
            try await $0.put("/units/\($0.ids.unit)", #"{"commonAreaAccessIds":["\#($0.ids.frontDoor)"]}"#)
        },
        RouteAnswer(withoutJSON: "DELETE /units/:id") { try await $0.delete("/units/\($0.ids.unit)?cascade=true") },
        RouteAnswer("POST /units/:id/devices", ["device": Doorward.LockDevice.self]) {
            try await $0.post("/units/\($0.ids.unit)/devices", #"{"deviceId":"\#($0.ids.frontDoor)"}"#)
        },
        RouteAnswer(withoutJSON: "DELETE /units/:id/devices/:deviceId") {
            try await $0.delete("/units/\($0.ids.unit)/devices/\($0.ids.door)")
        },
        RouteAnswer("GET /properties", whole: Page<Doorward.Property>.self) { try await $0.get("/properties") },
        RouteAnswer("POST /properties", ["property": Doorward.Property.self]) {
            try await $0.post(
                "/properties", #"{"name":"New","portfolioId":"\#($0.ids.portfolio)","address":{"street":"Oak Street 7"}}"#)
        },
        RouteAnswer("GET /properties/:id", ["property": Doorward.Property.self]) {
            try await $0.get("/properties/\($0.ids.property)")
        },
        RouteAnswer("GET /portfolios/:id/properties", whole: Page<Doorward.Property>.self) {
            try await $0.get("/portfolios/\($0.ids.portfolio)/properties")
        },
        RouteAnswer("POST /portfolios/:id/properties", ["property": Doorward.Property.self]) {
            try await $0.post("/portfolios/\($0.ids.portfolio)/properties", #"{"name":"New"}"#)
        },
        RouteAnswer("GET /units", whole: Page<Doorward.Unit>.self) { try await $0.get("/units") },
        RouteAnswer("POST /units", ["unit": Doorward.Unit.self]) {
            try await $0.post("/units", #"{"name":"New","propertyId":"\#($0.ids.property)"}"#)
        },
        RouteAnswer("GET /units/:id", ["unit": Doorward.Unit.self]) { try await $0.get("/units/\($0.ids.unit)") },
        RouteAnswer("GET /properties/:id/units", whole: Page<Doorward.Unit>.self) {
            try await $0.get("/properties/\($0.ids.property)/units")
        },
        RouteAnswer("POST /properties/:id/units", ["unit": Doorward.Unit.self]) {
            try await $0.post("/properties/\($0.ids.property)/units", #"{"name":"New"}"#)
        },
        RouteAnswer("GET /units/:id/devices", whole: Page<Doorward.LockDevice>.self) {
            try await $0.get("/units/\($0.ids.unit)/devices")
        },
    ]

    private static let settings: [RouteAnswer] = [
        RouteAnswer("POST /properties/:id/lockdown", whole: Doorward.LockdownStart.self) {
            _ = try await $0.put("/devices/\($0.ids.door)", #"{"isRemoteOperationEnabled":false}"#)
            return try await $0.post("/properties/\($0.ids.property)/lockdown", #"{"reason":"Alarm"}"#)
        },
        RouteAnswer("DELETE /properties/:id/lockdown", ["property": Doorward.Property.self]) {
            try await $0.delete("/properties/\($0.ids.property)/lockdown")
        },
        RouteAnswer("GET /portfolios/:id/subscription", ["subscription": Doorward.Subscription.self]) {
            try await $0.get("/portfolios/\($0.ids.portfolio)/subscription")
        },
        RouteAnswer("PUT /portfolios/:id/subscription", ["subscription": Doorward.Subscription.self]) {
            try await $0.put("/portfolios/\($0.ids.portfolio)/subscription", #"{"tier":"free"}"#, as: .superAdmin)
        },
        RouteAnswer("GET /portfolios/:id/retention", ["retention": Retention.self]) {
            try await $0.get("/portfolios/\($0.ids.portfolio)/retention")
        },
        RouteAnswer("PUT /portfolios/:id/retention", ["retention": Retention.self]) {
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
            RouteAnswer("GET /\(places)/:id/\(people)", whole: Page<Doorward.User>.self) { try await $0.get(path($0)) },
            RouteAnswer("POST /\(places)/:id/\(people)", ["roleAssociation": Doorward.RoleAssociation.self]) {
                try await $0.post(path($0), #"{"userId":"\#($0.ids[.nobody])","role":"\#(role)"}"#)
            },
            RouteAnswer(withoutJSON: "DELETE /\(places)/:id/\(people)/:userId") {
                try await $0.delete("\(path($0))/\($0.ids[holder])")
            },
        ]
    }

    private static let devices: [RouteAnswer] = [
        RouteAnswer("GET /devices", whole: Page<Doorward.LockDevice>.self) { try await $0.get("/devices") },
        RouteAnswer("POST /devices", ["device": Doorward.LockDevice.self]) {
            try await $0.post(
                "/devices",
                #"{"name":"N","adapter":"scripted","address":{"topic":"n"},"propertyId":"\#($0.ids.property)"}"#)
        },
        RouteAnswer("GET /devices/:id", ["device": Doorward.LockDevice.self]) { try await $0.get("/devices/\($0.ids.door)") },
        RouteAnswer("GET /devices/:id/status", ["status": DeviceStatus.self]) {
            try await $0.get("/devices/\($0.ids.door)/status")
        },
        RouteAnswer("GET /devices/:id/permissions", ["permissions": [Doorward.Decision].self]) {
            try await $0.get("/devices/\($0.ids.door)/permissions", as: .guest)
        },
        RouteAnswer("POST /authorize", ["decision": Doorward.Decision.self]) {
            try await $0.post("/authorize", #"{"deviceId":"\#($0.ids.door)","operation":"UNLATCH"}"#, as: .guest)
        },
        RouteAnswer("GET /devices/:id/who-can", whole: Page<Doorward.PermittedPrincipal>.self) {
            try await $0.get("/devices/\($0.ids.door)/who-can?operation=UNLOCK")
        },
        RouteAnswer("PUT /devices/:id", ["device": Doorward.LockDevice.self]) {
            try await $0.put("/devices/\($0.ids.door)", #"{"name":"Door"}"#)
        },
        RouteAnswer("PUT /devices/:id/settings", ["device": Doorward.LockDevice.self, "command": Doorward.Command.self]) {
            try await $0.put("/devices/\($0.ids.door)/settings", #"{"code":"1234","autoRelockSeconds":30}"#)
        },
        RouteAnswer(withoutJSON: "DELETE /devices/:id") { try await $0.delete("/devices/\($0.ids.frontDoor)") },
        RouteAnswer("GET /devices/discovered", whole: Page<Doorward.DiscoveredDevice>.self) {
            try await $0.get("/devices/discovered")
        },
        RouteAnswer("POST /devices/:id/lock", whole: Doorward.EndedCommand.self) {
            try await $0.post("/devices/\($0.ids.door)/lock", as: .tenant)
        },
        RouteAnswer("POST /devices/:id/unlock", whole: Doorward.EndedCommand.self) {
            try await $0.post("/devices/\($0.ids.door)/unlock", #"{"override":{"reason":"fire"}}"#, as: .owner)
        },
        RouteAnswer("POST /devices/:id/unlatch", whole: Doorward.EndedCommand.self) {
            try await $0.post("/devices/\($0.ids.door)/unlatch", as: .tenant)
        },
        RouteAnswer("POST /bulk", ["results": [BulkResult].self]) {
            try await $0.post("/bulk", #"{"requests":[{"method":"POST","path":"/devices/\#($0.ids.door)/lock","body":{}}]}"#)
        },
        RouteAnswer("POST /simulator/devices/:id/events", ["device": Doorward.LockDevice.self]) {
            try await $0.post("/simulator/devices/\($0.ids.simulated)/events", #"{"event":"jam"}"#, as: .manager)
        },
    ]

    private static let events: [RouteAnswer] = [
        RouteAnswer("GET /commands", whole: Page<Doorward.Command>.self) { try await $0.get("/commands", as: .coTenant) },
        RouteAnswer("GET /commands/:id", whole: Doorward.EndedCommand.self) {
            try await $0.get("/commands/\($0.command)", as: .tenant)
        },
        RouteAnswer("GET /guest-access", whole: Page<Doorward.GuestAccess>.self) { try await $0.get("/guest-access") },
        RouteAnswer("POST /guest-access", ["guestAccess": Doorward.GuestAccess.self]) {
            try await $0.post(
                "/guest-access",
                """
                {"label":"Plumber","deviceIds":["\($0.ids.door)"],"operations":["UNLOCK"],
                "validFrom":"2030-01-01T00:00:00Z","validUntil":"2030-01-02T00:00:00Z"}
                """)
        },
        RouteAnswer("GET /guest-access/:id", ["guestAccess": Doorward.GuestAccess.self]) {
            try await $0.get("/guest-access/\($0.ids.guestAccess)")
        },
        RouteAnswer("PUT /guest-access/:id", ["guestAccess": Doorward.GuestAccess.self, "warning": String.self]) {
            try await $0.put("/guest-access/\($0.ids.guestAccess)", #"{"label":"Sister"}"#)
        },
        RouteAnswer("POST /guest-access/:id/link", ["link": Doorward.GuestLink.self]) {
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
        RouteAnswer("GET /access-records", whole: AccessRecordPage.self) { try await $0.get("/access-records") },
        RouteAnswer("GET /access-records/summary", ["buckets": [Bucket].self]) {
            try await $0.get(
                "/access-records/summary?by=day&from=\($0.house.clock.now().advanced(by: .seconds(-86_400)))"
                    + "&until=\($0.house.clock.now().advanced(by: .seconds(86_400)))")
        },
        RouteAnswer("GET /access-records/:id", ["accessRecord": Doorward.AccessRecord.self]) {
            let record = $0.house.store.log(.portfolio($0.ids.portfolio)).first { $0.body.kind == .commandIntent }
            return try await $0.get("/access-records/\(record?.body.id.description ?? "")")
        },
        RouteAnswer("GET /devices/:id/access-records", whole: AccessRecordPage.self) {
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
        RouteAnswer("GET /audit/logs", ["logs": [Doorward.AuditedLog].self]) { try await $0.get("/audit/logs") },
        RouteAnswer(withoutJSON: "GET /audit/logs/:logId/checkpoint") {
            try await $0.get("/audit/logs/\($0.ids.portfolio)/checkpoint")
        },
        RouteAnswer(withoutJSON: "POST /audit/logs/:logId/cosignatures") {
            let path = "/audit/logs/\($0.ids.portfolio)"
            let note = try $0.house.cosigned(try await $0.get("\(path)/checkpoint").text)
            return try await $0.post("\(path)/cosignatures", #"{"note":"\#(note.replacing("\n", with: "\\n"))"}"#)
        },
        RouteAnswer("GET /audit/logs/:logId/proof/inclusion", ["proof": Doorward.InclusionProof.self]) {
            try await $0.get("/audit/logs/\($0.ids.portfolio)/proof/inclusion?seq=0&size=2")
        },
        RouteAnswer("GET /audit/logs/:logId/proof/consistency", ["proof": Doorward.ConsistencyProof.self]) {
            try await $0.get("/audit/logs/\($0.ids.portfolio)/proof/consistency?from=1&to=2")
        },
        RouteAnswer(withoutJSON: "GET /audit/public-key") { try await $0.get("/audit/public-key") },
        RouteAnswer(withoutJSON: "GET /reports/compliance") {
            _ = try await $0.put(
                "/portfolios/\($0.ids.portfolio)/subscription", #"{"modules":{"complianceReport":true}}"#, as: .superAdmin)
            return try await $0.get(
                "/reports/compliance?portfolioId=\($0.ids.portfolio)&from=2026-01-01T00:00:00Z&until=2027-01-01T00:00:00Z")
        },
        RouteAnswer("POST /iap/validate-receipt", ["user": Doorward.User.self, "message": String.self]) {
            try await $0.post("/iap/validate-receipt", PurchaseRouteTests.body(TestAppStore.shared.get().transaction()))
        },
        RouteAnswer("POST /audit/key-rotation", ["publicKey": String.self]) {
            try await $0.post("/audit/key-rotation", as: .superAdmin)
        },
    ]
}
