import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

@Suite struct AuthorizationRouteTests {
    private func authorize(
        _ house: House, as person: House.Person, _ operation: String = "UNLOCK", on device: DeviceID? = nil,
        about user: UserID? = nil, at: Timestamp? = nil
    ) async throws -> Reply {
        let members = [
            #""deviceId":"\#(device ?? house.ids.door)""#, #""operation":"\#(operation)""#, user.map { #""userId":"\#($0)""# },
            at.map { #""at":"\#($0)""# },
        ]
        return try await house.call(
            .post, "/authorize", as: person, "{\(members.compactMap(\.self).joined(separator: ","))}")
    }

    private func whoCan(_ house: House, as person: House.Person, _ query: String) async throws -> Reply {
        try await house.call(.get, "/devices/\(house.ids.door)/who-can?\(query)", as: person)
    }

    // MARK: - authorize

    @Test("A denial is a response with 200 that explains itself, and nothing is recorded")
    func denial() async throws {
        let house = try await House()
        let commits = house.store.commitCount
        let reply = try await authorize(house, as: .guest, "UNLATCH")
        #expect(reply.status == 200)
        let decision = reply.data["decision"]
        #expect(decision["allowed"].flag == false && decision["reason"].text == "operation_not_granted")
        #expect(decision["missing"]["operation"].text == "UNLATCH" && decision["rule"]["kind"].text == "GUEST_ACCESS")
        #expect(decision["deviceId"].text == house.ids.door.description && decision["operation"].text == "UNLATCH")
        #expect(decision["at"].text == house.clock.now().description && decision["assumes"] == .null)
        #expect(try await authorize(house, as: .owner).data["decision"]["allowed"].flag == true)
        #expect(house.adapter.sentCommands.isEmpty && house.store.commitCount == commits)
    }

    @Test("A decision about the future assumes the current rights, and one about the past is rejected")
    func future() async throws {
        let house = try await House()
        let now = house.clock.now()
        let before = try await authorize(house, as: .guest, at: now.advanced(by: .milliseconds(-60_001)))
        #expect(before.status == 400 && before.problems == ["at: in_the_past"])
        // The clock of a client can be behind that of the gateway.
        for milliseconds in [0, -1, -60_000] as [Int64] {
            let same = try await authorize(house, as: .guest, at: now.advanced(by: .milliseconds(milliseconds)))
            let decision = same.data["decision"]
            #expect(decision["allowed"].flag == true && decision["assumes"] == .null, "\(same.text)")
            #expect(decision["at"].text == now.description)
        }
        let ended = try await authorize(house, as: .guest, at: now.advanced(by: .seconds(86_400)))
        #expect(ended.data["decision"]["reason"].text == "guest_window_ended")
        #expect(ended.data["decision"]["assumes"].text == "current_rules")
        // After 30 days the guest no longer sees the lock. The guest sees it now, and gets an answer.
        let later = try await authorize(house, as: .guest, at: now.advanced(by: .seconds(40 * 86_400)))
        #expect(later.status == 200 && later.data["decision"]["reason"].text == "no_association")
        // The time is checked before the lock is looked up.
        let unknown = try await authorize(house, as: .guest, on: house.ids.foreignDoor, at: now.advanced(by: .seconds(-61)))
        #expect(unknown.status == 400)
    }

    @Test("Another person needs GRANT_ACCESS on the lock; oneself, also by one's own id, needs nothing")
    func others() async throws {
        let house = try await House()
        let guest = house.ids[.guest]
        for person in [House.Person.owner, .admin, .manager, .tenant] {
            let reply = try await authorize(house, as: person, about: guest)
            #expect(reply.data["decision"]["rule"]["id"].text == house.ids.guestAccess.description, "\(person)")
        }
        for person in [House.Person.maintenance, .auditor, .superAdmin] {
            let reply = try await authorize(house, as: person, about: guest)
            #expect(reply.status == 403 && reply.code == "role_insufficient", "\(person): \(reply.text)")
            #expect(reply.details["operation"].text == "GRANT_ACCESS")
            #expect(try await authorize(house, as: person, about: house.ids[person]).status == 200)
        }
        let byGuest = try await authorize(house, as: .guest, about: house.ids[.tenant])
        #expect(byGuest.code == "operation_not_granted")
        // Without reach there is nothing to learn.
        #expect(try await authorize(house, as: .stranger, about: guest).code == "forbidden")
    }

    @Test("An unknown person, a stranger and a disabled stranger get the same decision, byte for byte")
    func unknownPeople() async throws {
        let house = try await House()
        _ = try await house.call(.put, "/users/\(house.ids[.nobody])", as: .superAdmin, #"{"isEnabled":false}"#)
        for person in [House.Person.owner, .manager, .tenant] {
            let unknown = try await authorize(house, as: person, about: UserID(high: 42, low: 42))
            #expect(unknown.status == 200 && unknown.data["decision"]["reason"].text == "no_association")
            for other in [House.Person.stranger, .nobody] {
                let reply = try await authorize(house, as: person, about: house.ids[other])
                #expect(reply.withoutRequestID == unknown.withoutRequestID, "\(person) about \(other)")
            }
        }
        // Someone with a right there is explained, also when disabled.
        _ = try await house.call(.put, "/users/\(house.ids[.coTenant])", as: .superAdmin, #"{"isEnabled":false}"#)
        let disabled = try await authorize(house, as: .owner, about: house.ids[.coTenant])
        #expect(disabled.data["decision"]["reason"].text == "user_disabled")
    }

    @Test(
        "Bad requests name each wrong field",
        arguments: [
            (#"{}"#, ["deviceId: required", "operation: required"]),
            (#"{"deviceId":"x","operation":"OPEN"}"#, ["operation: unknown_value"]),
            (#"{"deviceId":"x","operation":null,"at":"tomorrow"}"#, ["at: bad_time", "operation: required"]),
            (#"{"deviceId":"x","operation":"LOCK","at":"2030-01-01T00:00:00"}"#, ["at: missing_zone"]),
            (#"{"deviceId":"x","operation":"LOCK","override":{}}"#, ["override: unknown_key"]),
            (#"{"deviceId":1,"operation":"LOCK","userId":[]}"#, ["deviceId: wrong_type", "userId: wrong_type"]),
        ])
    func badRequests(body: String, problems: [String]) async throws {
        let reply = try await House().call(.post, "/authorize", as: .owner, body)
        #expect(reply.status == 400 && reply.problems == problems, "\(reply.text)")
    }

    @Test("A super admin may view every lock and do nothing else, and gets 404 for a missing one")
    func superAdmin() async throws {
        let house = try await House()
        #expect(try await authorize(house, as: .superAdmin, "VIEW_STATUS").data["decision"]["allowed"].flag == true)
        #expect(try await authorize(house, as: .superAdmin).data["decision"]["reason"].text == "role_insufficient")
        #expect(try await authorize(house, as: .superAdmin, on: DeviceID(high: 4, low: 2)).status == 404)
    }

    @Test(
        "authorize, permissions, who-can and the command itself agree for every person", arguments: ["LOCK", "UNLOCK", "UNLATCH"])
    func agreement(operation: String) async throws {
        let house = try await House()
        let list = try await whoCan(house, as: .owner, "operation=\(operation)&limit=200").data["entries"].elements
        for person in House.Person.allCases {
            let decision = try await authorize(house, as: person, operation)
            let permissions = try await house.call(.get, "/devices/\(house.ids.door)/permissions", as: person)
            let same = permissions.data["permissions"].elements.first { $0["operation"].text == operation }
            #expect(same ?? .null == decision.data["decision"], "\(person)")
            let entry = list.first { $0["principal"]["id"].text == house.ids[person].description }
            #expect((entry != nil) == (decision.data["decision"]["allowed"].flag == true), "\(person)")
            let command = try await house.command(operation.lowercased(), as: person)
            #expect((command.status == 200) == (entry != nil), "\(person): \(command.text)")
            if let entry {
                #expect(command.data["command"]["rule"] == .null || command.data["command"]["rule"] == entry["rule"])
                #expect(entry["rule"] == decision.data["decision"]["rule"])
            } else if decision.status == 200 {
                #expect(command.code == decision.data["decision"]["reason"].text, "\(person)")
            } else {
                #expect(command.code == "forbidden" && decision.code == "forbidden")
            }
        }
    }

    // MARK: - who-can

    @Test("Everyone who may do it is listed by name, with the rule and the end, and the total is exact")
    func list() async throws {
        let house = try await House()
        let reply = try await whoCan(house, as: .manager, "operation=UNLOCK")
        let names = reply.data["entries"].elements.map { $0["principal"]["name"].text ?? "-" }
        let expected = [House.Person.admin, .coTenant, .guest, .maintenance, .manager, .owner, .tenant].map { "\($0.name) Last" }
        #expect(names == expected)
        #expect(reply.data["pagination"]["totalItems"].number == 7)
        let guest = reply.data["entries"].elements[2]
        #expect(guest["rule"]["id"].text == house.ids.guestAccess.description && guest["rule"]["role"].text == "GUEST")
        #expect(guest["until"].text != nil && reply.data["entries"].elements[3]["until"] == .null)
        let second = try await whoCan(house, as: .manager, "operation=UNLOCK&limit=3&page=3&sortBy=-name")
        #expect(second.data["entries"].elements.map { $0["principal"]["name"].text } == ["Admin Last"])
        let byEnd = try await whoCan(house, as: .manager, "operation=UNLOCK&sortBy=until&limit=1")
        #expect(byEnd.data["entries"][0]["principal"]["name"].text == "Guest Last")
        let found = try await whoCan(house, as: .manager, "operation=UNLOCK&q=TENANT")
        #expect(found.data["pagination"]["totalItems"].number == 2)
    }

    @Test("At a later instant the list is that of the current rights then")
    func later() async throws {
        let house = try await House()
        let now = house.clock.now()
        let tomorrow = try await whoCan(house, as: .owner, "operation=UNLOCK&at=\(now.advanced(by: .seconds(86_400)))")
        #expect(tomorrow.data["pagination"]["totalItems"].number == 6, "without the guest")
        let recent = try await whoCan(house, as: .owner, "operation=UNLOCK&at=\(now.advanced(by: .seconds(-60)))")
        #expect(recent.data["pagination"]["totalItems"].number == 7, "as now: \(recent.text)")
        let past = try await whoCan(house, as: .owner, "operation=UNLOCK&at=\(now.advanced(by: .milliseconds(-60_001)))")
        #expect(past.status == 400 && past.problems == ["at: in_the_past"])
    }

    @Test("Super admins are listed for VIEW_STATUS only, and may not ask themselves")
    func superAdmins() async throws {
        let house = try await House()
        func lists(_ operation: LockOperation) async throws -> Bool {
            let reply = try await whoCan(house, as: .owner, "operation=\(operation.rawValue)&limit=200")
            return reply.data["entries"].elements.contains { $0["rule"]["kind"].text == "SUPER_ADMIN" }
        }
        for operation in LockOperation.allCases { #expect(try await lists(operation) == (operation == .viewStatus)) }
        #expect(try await whoCan(house, as: .superAdmin, "operation=UNLOCK").code == "role_insufficient")
    }

    @Test("A tenant sees co-tenants and guests, and everyone else as staff, without ids")
    func tenant() async throws {
        let house = try await House()
        let reply = try await whoCan(house, as: .tenant, "operation=UNLOCK&limit=200")
        let shown = reply.data["entries"].elements.map { ($0["principal"]["name"].text, $0["principal"]["id"].text) }
        // The guest's access is not one of the tenant's unit, so the tenant sees what the log shows: the first name.
        #expect(shown.filter { $0.0 == "staff" }.count == 4)
        #expect(shown.allSatisfy { ["staff", "Guest"].contains($0.0) == ($0.1 == nil) })
        #expect(Set(shown.compactMap(\.0)) == ["staff", "CoTenant Last", "Guest", "Tenant Last"])
        for person in [House.Person.owner, .admin, .manager, .maintenance] {
            #expect(!reply.text.contains(house.ids[person].description) && !reply.text.contains("\(person.name) Last"))
        }
        // A search matches only what is shown.
        #expect(try await whoCan(house, as: .tenant, "operation=UNLOCK&q=Owner").data["pagination"]["totalItems"].number == 0)
        #expect(!reply.text.contains("@example.com"))
    }

    @Test("Links of guests without an account and API keys are listed with their names and ends")
    func linksAndKeys() async throws {
        let house = try await House()
        let now = house.clock.now()
        let until = now.advanced(by: .seconds(3600))
        _ = try await house.call(
            .post, "/guest-access", as: .manager,
            #"{"label":"Plumber","deviceIds":["\#(house.ids.door)"],"operations":["UNLOCK"],"#
                + #""validFrom":"\#(now)","validUntil":"\#(until)"}"#)
        let made = try await house.call(
            .post, "/api-keys", as: .owner,
            #"{"name":"Robot","entityType":"PROPERTY","entityId":"\#(house.ids.property)","role":"MAINTENANCE","#
                + #""expiresAt":"\#(now.advanced(by: .seconds(7200)))"}"#)
        let entries = try await whoCan(house, as: .auditor, "operation=UNLOCK&limit=200").data["entries"].elements
        let link = entries.first { $0["principal"]["kind"].text == "GUEST_LINK" }
        #expect(link?["principal"]["name"].text == "Plumber" && link?["until"].text == until.description)
        let key = entries.first { $0["principal"]["kind"].text == "API_KEY" }
        #expect(key?["principal"]["name"].text == "Robot" && key?["principal"]["id"] == made.data["apiKey"]["id"])
        #expect(key?["until"].text == now.advanced(by: .seconds(7200)).description)
        let secret = try #require(made.data["secret"].text)
        let headers: [HTTPField.Name: String] = [.authorization: "Bearer \(secret)"]
        let asked = try await house.call(
            .post, "/authorize", #"{"deviceId":"\#(house.ids.door)","operation":"UNLOCK"}"#, headers: headers)
        #expect(asked.data["decision"]["allowed"].flag == true)
        // A key is not the user who made it: asking about that user needs GRANT_ACCESS.
        let creator = try await house.call(
            .post, "/authorize",
            #"{"deviceId":"\#(house.ids.door)","operation":"UNLOCK","userId":"\#(house.ids[.owner])"}"#, headers: headers)
        #expect(creator.code == "role_insufficient")
    }

    @Test(
        "A query without a known operation, or with an unknown key, is rejected",
        arguments: [
            ("", ["operation: required"]), ("operation=OPEN", ["operation: unknown_value"]),
            ("operation=LOCK&sortBy=createdAt", ["sortBy: unknown_value"]), ("operation=LOCK&userId=x", ["userId: unknown_key"]),
            ("operation=LOCK&at=soon&limit=0", ["at: bad_time", "limit: out_of_range"]),
        ])
    func badQueries(query: String, problems: [String]) async throws {
        let house = try await House()
        let reply = try await whoCan(house, as: .owner, query)
        #expect(reply.status == 400 && reply.problems == problems, "\(reply.text)")
    }
}
