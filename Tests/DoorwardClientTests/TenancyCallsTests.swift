import FoundationEssentials
import NIOHTTP1
import Testing

@testable import DoorwardClient

@Suite("Calls about places, people and rights") struct TenancyCallsTests {
    private static let time = #""2030-01-01T00:00:00.000Z""#
    private static let property = #"{"property":{"id":"p","name":"Quay 1","lockdown":{"active":true}}}"#

    /// `data` of an empty page.
    private static func page(_ key: String) -> String {
        #"{"\#(key)":[],"pagination":{"totalItems":0,"totalPages":0,"currentPage":1,"pageSize":200}}"#
    }

    /// A request as the gateway receives it, without the parts that differ from run to run.
    private struct Sent: Equatable {
        let line: String
        let body: Doorward.JSONValue?
        let hasKey: Bool

        init(_ line: String, _ body: Doorward.JSONValue? = nil, hasKey: Bool = false) {
            (self.line, self.body, self.hasKey) = (line, body, hasKey)
        }

        init(_ request: StubGateway.Request) throws {
            let path = request.uri.replacing("/api/v1", with: "")
            self.init(
                "\(request.method) \(path)", request.body.isEmpty ? nil : try decoded(request.body), hasKey: request.key != nil)
        }
    }

    /// Runs `call` against a gateway that answers with this `data`, and checks that it sends this request alone.
    ///
    /// - Returns: the result of `call`.
    @discardableResult
    private func check<Value: Sendable>(
        _ expected: Sent, answering data: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ call: (DoorwardClient) async throws -> Value
    ) async throws -> Value {
        let gateway = try await StubGateway { _, _ in .data(data) }
        let value = try await call(try DoorwardClient(patient: gateway.address, credentials: .bearer("t")))
        let sent = try gateway.requests.map { try Sent($0) }
        #expect(sent == [expected], sourceLocation: sourceLocation)
        return value
    }

    @Test("a portfolio is created with its owners, shown, renamed, and its subscription is read and changed")
    func portfolios() async throws {
        let answer = #"{"portfolio":{"id":"a b","name":"Harbour"}}"#
        let body = Doorward.JSONValue.object(["name": .string("Harbour"), "administratorUserIds": .array([.string("u")])])
        let created = try await check(Sent("POST /portfolios", body, hasKey: true), answering: answer) {
            try await $0.portfolios.create(body)
        }
        #expect(created.content.id == "a b")
        try await check(Sent("GET /portfolios/a%20b"), answering: answer) { try await $0.portfolios.get("a b") }
        try await check(Sent("PUT /portfolios/a", .object(["name": .string("B")])), answering: answer) {
            try await $0.portfolios.change("a", ["name": "B"])
        }
    }

    @Test("only named parts of a subscription are sent; a limit that is cleared is sent as null")
    func subscriptions() async throws {
        let answer = #"{"subscription":{"tier":"pro","modules":{},"limits":{"maxUnits":3},"usage":{"units":1}}}"#
        let shown = try await check(Sent("GET /portfolios/a/subscription"), answering: answer) {
            try await $0.portfolios.subscription(of: "a")
        }
        #expect(shown.content.limits == ["maxUnits": 3])
        let body = Doorward.JSONValue.object([
            "modules": .object(["webhooks": .bool(false)]),
            "limits": .object(["maxUnits": .null, "maxDevices": .integer(9)]),
        ])
        try await check(Sent("PUT /portfolios/a/subscription", body), answering: answer) {
            try await $0.portfolios.changeSubscription(of: "a", body)
        }
    }

    @Test("a property is created, listed by portfolio and renamed")
    func properties() async throws {
        let body = Doorward.JSONValue.object([
            "name": .string("Quay 1"), "portfolioId": .string("a"), "defaultTimeZone": .string("Europe/Berlin"),
        ])
        try await check(Sent("POST /properties", body, hasKey: true), answering: Self.property) {
            try await $0.properties.create(body)
        }
        let list = Sent("GET /properties?portfolioId=a&sortBy=name&page=1&limit=200")
        try await check(list, answering: Self.page("properties")) { try await $0.properties.list([("portfolioId", "a")]).all() }
        try await check(Sent("PUT /properties/p", .object(["name": .string("Q")])), answering: Self.property) {
            try await $0.properties.change("p", ["name": "Q"])
        }
    }

    @Test("a lockdown is started with a reason or without one, and lifted")
    func lockdowns() async throws {
        let answer = #"{"property":{"id":"p","name":"Quay 1"},"results":[{"deviceId":"d","command":null}]}"#
        let path = "POST /properties/p/lockdown"
        let started = try await check(Sent(path, .object(["reason": .string("fire")]), hasKey: true), answering: answer) {
            try await $0.properties.startLockdown(of: "p", reason: "fire")
        }
        #expect(started.content.results.map(\.deviceId) == ["d"])
        try await check(Sent(path, .object([:]), hasKey: true), answering: answer) {
            try await $0.properties.startLockdown(of: "p")
        }
        let lifted = try await check(Sent("DELETE /properties/p/lockdown"), answering: Self.property) {
            try await $0.properties.liftLockdown(of: "p")
        }
        #expect(lifted.content.lockdown?.active == true, "the response is decoded as the gateway sent it")
    }

    @Test("a decision is requested without an idempotency key, and everyone who may do something is listed by name")
    func authorization() async throws {
        let decision =
            #"{"allowed":false,"operation":"UNLOCK","deviceId":"d","at":\#(Self.time),"rule":null,"reason":"no_association","#
            + #""opensAt":null,"closesAt":null,"missing":null,"assumes":"current_rules"}"#
        let body = Doorward.JSONValue.object([
            "deviceId": .string("d"), "operation": .string("UNLOCK"), "userId": .string("u"), "at": .string("t"),
        ])
        let asked = try await check(Sent("POST /authorize", body), answering: #"{"decision":\#(decision)}"#) {
            try await $0.decide(.unlock, on: "d", by: "u", at: "t")
        }
        #expect(asked.content.reason == "no_association" && asked.content.assumes == "current_rules")
        let short = Doorward.JSONValue.object(["deviceId": .string("d"), "operation": .string("LOCK")])
        try await check(Sent("POST /authorize", short), answering: #"{"decision":\#(decision)}"#) {
            try await $0.decide(.lock, on: "d")
        }
        let list = Sent("GET /devices/d/who-can?operation=UNLOCK&at=t&sortBy=name&page=1&limit=200")
        let entries =
            #"{"entries":[{"principal":{"kind":"USER","id":null,"name":"staff"},"rule":{"kind":"ASSOCIATION","#
            + #""id":null,"role":"OWNER"},"until":null}],"pagination":{"totalItems":1,"totalPages":1,"currentPage":1,"pageSize":200}}"#
        let found = try await check(list, answering: entries) {
            try await $0.whoCan(.unlock, on: "d", at: "t").all()
        }
        #expect(found.content.map(\.principal.name) == ["staff"])
    }

    @Test("a unit is created, shown and renamed")
    func units() async throws {
        let answer = #"{"unit":{"id":"u","name":"1A"}}"#
        let body = Doorward.JSONValue.object(["name": .string("1A"), "propertyId": .string("p")])
        try await check(Sent("POST /units", body, hasKey: true), answering: answer) {
            try await $0.units.create(body)
        }
        try await check(Sent("PUT /units/u", .object(["name": .string("1B")])), answering: answer) {
            try await $0.units.change("u", ["name": "1B"])
        }
        try await check(Sent("GET /units/u"), answering: answer) { try await $0.units.get("u") }
    }

    @Test("a user is created with a password, or with an invitation and without an idempotency key")
    func users() async throws {
        let names: [String: Doorward.JSONValue] = [
            "email": .string("t@doors.example"), "firstName": .string("Tom"), "lastName": .string("Example"),
        ]
        let user = #"{"user":{"id":"u","email":"t@doors.example"}}"#
        let whole = Doorward.JSONValue.object(names.merging(["password": .string("secret")]) { $1 })
        try await check(Sent("POST /users", whole, hasKey: true), answering: user) {
            try await $0.users.create(whole)
        }
        let invited =
            #"{"user":{"id":"u"},"invitation":{"id":"i","email":"t","role":null,"url":"link","expiresAt":\#(Self.time)}}"#
        let answer = try await check(Sent("POST /users", .object(names)), answering: invited) {
            try await $0.users.createInvited(Doorward.JSONValue.object(names))
        }
        #expect(answer.content.invitation.url == "link")
        try await check(Sent("PUT /users/me", .object(["lastName": .string("B")])), answering: user) {
            try await $0.users.change("me", ["lastName": "B"])
        }
    }

    @Test(
        "roles are listed, assigned and offered on the path of their entity",
        arguments: [
            (Roles.Entity.portfolio("x"), "/portfolios/x/admins"), (.property("x"), "/properties/x/managers"),
            (.unit("x"), "/units/x/tenants"),
        ])
    func roles(_ entity: Roles.Entity, _ path: String) async throws {
        let list = Sent("GET \(path)?sortBy=name&page=1&limit=200")
        try await check(list, answering: Self.page("users")) { try await $0.roles.list(on: entity).all() }
        let association =
            #"{"roleAssociation":{"id":"r","userId":"u","associatedEntityType":"UNIT","associatedEntityId":"x","#
            + #""roleWithinEntity":"TENANT","createdAt":\#(Self.time),"updatedAt":\#(Self.time)}}"#
        let assigned = Sent("POST \(path)", .object(["userId": .string("u"), "role": .string("TENANT")]))
        try await check(assigned, answering: association) { try await $0.roles.assign("TENANT", to: "u", on: entity) }
        let invitation =
            #"{"invitation":{"id":"i","email":"t","role":"TENANT","token":"k","url":"link","expiresAt":\#(Self.time)}}"#
        let offered = Sent("POST \(path)", .object(["email": .string("t"), "role": .string("TENANT")]))
        try await check(offered, answering: invitation) { try await $0.roles.invite("t", to: "TENANT", on: entity) }
    }

    @Test("API keys are listed, created and deleted; a secret is neither stored for repetition nor described")
    func keys() async throws {
        let key =
            #"{"apiKey":{"id":"k","name":"display","entityType":"UNIT","entityId":"x","role":"TENANT","userId":"u","#
            + #""createdAt":\#(Self.time),"expiresAt":\#(Self.time)},"secret":"dw_hidden"}"#
        let body = Doorward.JSONValue.object([
            "name": .string("display"), "entityType": .string("UNIT"), "entityId": .string("x"), "role": .string("TENANT"),
            "expiresAt": .string("e"),
        ])
        let created = try await check(Sent("POST /api-keys", body), answering: key) { try await $0.apiKeys.issue(body) }
        #expect(created.content.secret == "dw_hidden")
        #expect(!"\(created.content)".contains("hidden"))
        let list = Sent("GET /api-keys?sortBy=name&page=1&limit=200")
        try await check(list, answering: Self.page("apiKeys")) { try await $0.apiKeys.list().all() }
    }

    @Test("the caller's sessions are listed and ended")
    func sessions() async throws {
        let answer = #"{"sessions":[{"id":"s","createdAt":\#(Self.time),"expiresAt":\#(Self.time),"isCurrent":true}]}"#
        let listed = try await check(Sent("GET /users/me/sessions"), answering: answer) { try await $0.sessions() }
        #expect(listed.content.map(\.isCurrent) == [true])
        try await check(Sent("DELETE /users/me/sessions/s"), answering: "{}") { try await $0.endSession("s") }
    }

    @Test("only the preview of a deletion carries dryRun, and both carry cascade if it is asked for")
    func deletions() async throws {
        let answer =
            #"{"preview":{"removed":[{"type":"Unit","id":"u","name":"1A"}],"ended":[{"type":"GuestAccess","id":"g"}]}}"#
        let deletions: [(String, @Sendable (DoorwardClient) -> Deletion)] = [
            ("/portfolios/x", { $0.portfolios.deletion(of: "x") }), ("/properties/x", { $0.properties.deletion(of: "x") }),
            ("/units/x", { $0.units.deletion(of: "x") }), ("/users/x", { $0.users.deletion(of: "x") }),
            ("/api-keys/x", { $0.apiKeys.deletion(of: "x") }),
            ("/units/x/tenants/u", { $0.roles.removal(of: "u", from: .unit("x")) }),
        ]
        for (path, deletion) in deletions {
            let shown = try await check(Sent("DELETE \(path)?dryRun=true"), answering: answer) {
                try await deletion($0).preview().content
            }
            #expect(shown.removed == [.init(type: "Unit", id: "u", name: "1A")])
            #expect(shown.ended == [.init(type: "GuestAccess", id: "g")])
            try await check(Sent("DELETE \(path)?cascade=true&dryRun=true"), answering: answer) {
                try await deletion($0).preview(isCascading: true)
            }
            try await check(Sent("DELETE \(path)"), answering: "{}") { try await deletion($0).perform() }
            try await check(Sent("DELETE \(path)?cascade=true"), answering: "{}") {
                try await deletion($0).perform(isCascading: true)
            }
        }
    }

    @Test("a deletion whose response is lost is not repeated, and its effect is reported as unknown")
    func lostDeletion() async throws {
        let gateway = try await StubGateway { _, _ in .closeConnection }
        let client = try DoorwardClient(patient: gateway.address, credentials: .bearer("t"))
        let error = await #expect(throws: ClientError.self) { try await client.units.deletion(of: "u").perform() }
        guard case .noResponse = error else { throw try #require(error) }
        #expect(gateway.requests.count == 1)
    }

    @Test("the numbers of contained objects are part of the error")
    func dependents() async throws {
        let gateway = try await StubGateway { _, _ in
            .error(409, "has_dependents", #"{"dependents":{"units":2,"devices":3}}"#)
        }
        let client = try DoorwardClient(patient: gateway.address, credentials: .bearer("t"))
        let error = await #expect(throws: ClientError.self) { try await client.properties.deletion(of: "p").preview() }
        guard case .refused(let refusal) = error else { throw try #require(error) }
        #expect(refusal.code == "has_dependents" && refusal.dependents == ["units": 2, "devices": 3])
    }

    @Test("a guest access is changed only in the version that was read, and a removed limit is sent as null")
    func changedGuestAccess() async throws {
        let gateway = try await StubGateway { request, _ in
            guard request.method == .GET else { return .data(#"{"guestAccess":{"id":"g"}}"#) }
            return .response(200, #"{"status":"success","data":{"guestAccess":{"id":"g"}}}"#, ["ETag": #""v7""#])
        }
        let client = try DoorwardClient(patient: gateway.address, credentials: .bearer("t"))
        let before = try await client.guestAccesses.get("g")
        #expect(before.etag == #""v7""#)
        var change = Doorward.GuestAccessFields()
        (change.validUntil, change.timeZone) = ("2030-01-01T15:00:00", "Europe/Berlin")
        (change.schedule, change.maxUses) = (.some(nil), .some(nil))
        let after = try await client.guestAccesses.change("g", change, onlyIf: before.etag)
        #expect(after.etag == nil)
        let sent = try #require(gateway.requests.last)
        #expect(sent.headers["If-Match"] == [#""v7""#])
        #expect(
            try Sent(sent)
                == Sent(
                    "PUT /guest-access/g",
                    .object([
                        "validUntil": .string("2030-01-01T15:00:00"), "timeZone": .string("Europe/Berlin"), "schedule": .null,
                        "maxUses": .null,
                    ])))
        try await check(Sent("PUT /guest-access/a%20b", .object([:])), answering: #"{"guestAccess":{"id":"g"}}"#) {
            try await $0.guestAccesses.change("a b", Doorward.GuestAccessFields())
        }
    }

    @Test("a schedule and a number of uses are sent and read")
    func schedule() async throws {
        let schedule = Doorward.GuestAccess.Schedule(
            timeZone: nil, periods: [.init(days: ["MON"], from: "09:00", until: "24:00")],
            specialDays: [.init(date: "2026-12-25", periods: [.init(from: "10:00", until: "11:00")])], specialDayCut: "start")
        let json =
            #"{"periods":[{"days":["MON"],"from":"09:00","until":"24:00"}],"specialDays":[{"date":"2026-12-25","#
            + #""periods":[{"from":"10:00","until":"11:00"}]}],"specialDayCut":"start"}"#
        let access = #"{"id":"g","schedule":\#(json),"resolution":{"timeZone":null,"validFrom":"gap","validUntil":"none"}}"#
        let gateway = try await StubGateway { _, _ in .data(#"{"guestAccess":\#(access)}"#) }
        let client = try DoorwardClient(patient: gateway.address, credentials: .bearer("t"))
        var fields = Doorward.GuestAccessFields()
        (fields.label, fields.deviceIds, fields.operations) = ("L", ["d"], ["LOCK"])
        (fields.validFrom, fields.validUntil, fields.schedule, fields.maxUses) = ("a", "b", schedule, 3)
        let granted = try await client.guestAccesses.create(fields).content
        #expect(granted.schedule == schedule)
        #expect(granted.resolution == .init(timeZone: nil, validFrom: "gap", validUntil: "none"))
        let sent: [String: Doorward.JSONValue] = try decoded(try #require(gateway.requests.last).body)
        #expect(sent["schedule"] == (try decoded(json) as Doorward.JSONValue))
        #expect(sent["maxUses"] == .integer(3))
        #expect(sent["timeZone"] == nil)
    }

    @Test("discovered locks are listed on a path of their own")
    func discovered() async throws {
        let list = Sent("GET /devices/discovered?sortBy=name&page=1&limit=200")
        try await check(list, answering: Self.page("discoveredDevices")) { try await $0.devices.discovered().all() }
    }

    @Test("guest accesses with a link, and the names of the locks of one, are asked for")
    func guestAccessQueries() async throws {
        try await check(
            Sent("GET /guest-access?deviceId=d&hasLink=true&sortBy=validFrom&page=1&limit=200"),
            answering: Self.page("guestAccesses")
        ) {
            try await $0.guestAccesses.list([("deviceId", "d"), ("hasLink", "true")]).all()
        }
        let locks = try await check(
            Sent("GET /guest-access/g?deviceNames=true"), answering: #"{"guestAccess":{},"devices":[{"id":"d","name":"Front"}]}"#
        ) { try await $0.guestAccesses.locks(of: "g") }
        #expect(locks == [.init(id: "d", name: "Front")])
    }
}
