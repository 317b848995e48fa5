import Foundation
import NIOHTTP1
import Testing

extension EndToEnd {
    /// The scenarios of a portfolio's owner, its admin, a property's manager, a tenant and a guest, each on the one before.
    @Suite("Five people over HTTP") struct PersonaTests {
        @Test("setting up, managing, living there, letting a guest in, and everything that each of them may not")
        func scenarios() async throws {
            let gateway = try await RunningGateway.first(in: TemporaryFolder())
            let people = try await setUp(gateway)
            try await manage(people)
            try await live(people)
            try await visit(people)
            try await refuse(people)
            #expect(await gateway.stop() == 0)
            try await RunningGateway.verifyLogs(in: gateway.folder)
        }

        /// The people, and the ids that the scenarios create.
        private final class People {
            let gateway: RunningGateway
            let root: Caller
            var owner, admin, manager, tenant, guest: Caller
            var ids: [String: String] = [:]

            init(_ gateway: RunningGateway, _ root: Caller) {
                (self.gateway, self.root) = (gateway, root)
                (owner, admin, manager, tenant, guest) = (root, root, root, root, root)
            }

            subscript(_ name: String) -> String { ids[name] ?? "missing" }
        }

        /// Sends a request that must succeed; returns the id of the object, which is also kept under `name`.
        @discardableResult
        private func create(
            _ name: String, _ noun: String, by caller: Caller, _ path: String, _ body: String, _ people: People
        ) async throws -> String {
            let answer = try await caller.post(path, body)
            let id = try #require(answer.data[noun]["id"].text, "\(answer.status) \(answer.body)")
            people.ids[name] = id
            return id
        }

        /// Accepts an invitation without an account; returns the signed-in person and their id.
        private func accept(_ invitation: JSON, _ name: String, _ people: People) async throws -> (Caller, String) {
            let token = try #require(invitation["token"].text, "\(invitation)")
            let answer = try await people.gateway.stranger.post(
                "/auth/accept-invitation",
                #"{"token":"\#(token)","firstName":"\#(name)","lastName":"Example","password":"\#(RunningGateway.password)"}"#)
            #expect(answer.status == 201, "\(answer.body)")
            let id = try #require(answer.data["user"]["id"].text)
            return (Caller(address: people.gateway.address, token: answer.data["token"].text), id)
        }

        private func names(_ answer: Answer, _ list: String) -> [String] {
            answer.data[list].items.compactMap { $0["name"].text }
        }

        /// Scenario 1: the owner gets a portfolio, adds an admin, and they set up a property with its manager.
        private func setUp(_ gateway: RunningGateway) async throws -> People {
            let people = People(gateway, try await gateway.signIn(RunningGateway.adminEmail))
            // Without a password the new account comes back with an invitation, with which its owner sets one.
            let signedUp = try await people.root.post(
                "/users", #"{"email":"olga@doors.example","firstName":"Olga","lastName":"Example"}"#)
            #expect(signedUp.status == 201 && signedUp.headers.first(name: "Location") != nil, "\(signedUp.body)")
            let (accepted, ownerID) = try await accept(signedUp.data["invitation"], "Olga", people)
            #expect(try await accepted.get("/portfolios").data["portfolios"].items.isEmpty)
            people.owner = try await gateway.signIn("olga@doors.example")
            #expect(try await people.owner.post("/portfolios", #"{"name":"Harbour"}"#).code == "role_insufficient")
            try await create(
                "portfolio", "portfolio", by: people.root, "/portfolios",
                #"{"name":"Harbour","administratorUserIds":["\#(ownerID)"]}"#, people)
            #expect(names(try await people.owner.get("/portfolios"), "portfolios") == ["Harbour"])
            let me = try await people.owner.get("/users/me").data["user"]
            #expect(me["roleAssociations"].items.map { $0["roleWithinEntity"].text } == ["OWNER"])

            let invited = try await people.owner.post(
                "/portfolios/\(people["portfolio"])/admins", #"{"email":"ada@doors.example","role":"PORTFOLIO_ADMIN"}"#)
            (_, people.ids["ada"]) = try await accept(invited.data["invitation"], "Ada", people)
            people.admin = try await gateway.signIn("ada@doors.example")
            #expect(names(try await people.admin.get("/portfolios"), "portfolios") == ["Harbour"])
            let renamed = try await people.admin.put("/portfolios/\(people["portfolio"])", #"{"name":"Harbour Homes"}"#)
            #expect(renamed.data["portfolio"]["name"].text == "Harbour Homes")
            try await create(
                "property", "property", by: people.admin, "/properties",
                #"{"name":"Quay 1","portfolioId":"\#(people["portfolio"])","defaultTimeZone":"Europe/Berlin"}"#, people)
            try await create(
                "other", "property", by: people.owner, "/portfolios/\(people["portfolio"])/properties", #"{"name":"Quay 2"}"#,
                people)
            people.ids["mia"] = try await House.createUser("mia@doors.example", "Mia", by: people.root)
            let assigned = try await people.owner.post(
                "/properties/\(people["property"])/managers", #"{"userId":"\#(people["mia"])","role":"PROPERTY_MANAGER"}"#)
            #expect(assigned.data["roleAssociation"]["userId"].text == people["mia"])
            people.manager = try await gateway.signIn("mia@doors.example")
            return people
        }

        /// Scenario 2: the manager creates a unit, attaches locks, assigns a tenant, and operates the locks.
        private func manage(_ people: People) async throws {
            let manager = people.manager
            #expect(names(try await manager.get("/properties"), "properties") == ["Quay 1"])
            #expect(try await manager.get("/properties/\(people["other"])").code == "forbidden")
            let property = people["property"]
            for unit in ["1A", "1B"] {
                try await create(unit, "unit", by: manager, "/properties/\(property)/units", #"{"name":"\#(unit)"}"#, people)
                try await create(
                    "Door \(unit)", "device", by: manager, "/devices",
                    #"{"name":"Door \#(unit)","adapter":"simulator","address":{"latencyMs":0},"propertyId":"\#(property)"}"#,
                    people)
                let moved = try await manager.post(
                    "/units/\(people[unit])/devices", #"{"deviceId":"\#(people["Door \(unit)"])"}"#)
                #expect(moved.data["device"]["unitName"].text == unit, "\(moved.body)")
            }
            let tom = try await manager.post("/units/\(people["1A"])/tenants", #"{"email":"tom@doors.example","role":"TENANT"}"#)
            (_, people.ids["tom"]) = try await accept(tom.data["invitation"], "Tom", people)
            people.tenant = try await people.gateway.signIn("tom@doors.example")
            let tenants = try await manager.get("/units/\(people["1A"])/tenants")
            #expect(tenants.data["users"].items.compactMap { $0["id"].text } == [people["tom"]])
            #expect(names(try await manager.get("/devices?sortBy=name"), "devices") == ["Door 1A", "Door 1B"])
            let unlocked = try await manager.post("/devices/\(people["Door 1B"])/unlock", #"{"reason":"a viewing"}"#)
            #expect(unlocked.data["command"]["state"].text == "CONFIRMED" && unlocked.data["device"]["state"].text == "UNLOCKED")
            #expect(try await manager.post("/devices/\(people["Door 1B"])/lock", "{}").status == 200)
        }

        /// Scenario 3: the tenant sees and operates the locks of the own unit, and learns nothing of the others.
        private func live(_ people: People) async throws {
            let tenant = people.tenant
            #expect(names(try await tenant.get("/units"), "units") == ["1A"])
            #expect(names(try await tenant.get("/devices"), "devices") == ["Door 1A"])
            for operation in ["unlock", "lock"] {
                let answer = try await tenant.post("/devices/\(people["Door 1A"])/\(operation)", "{}")
                #expect(answer.data["command"]["state"].text == "CONFIRMED", "\(answer.body)")
            }
            for path in ["/devices/\(people["Door 1B"])", "/units/\(people["1B"])", "/properties/\(people["other"])"] {
                let foreign = try await tenant.get(path)
                #expect(foreign.status == 403 && foreign.code == "forbidden", "\(path)")
                #expect(foreign.body["details"] == .object([:]))
            }
            let denied = try await tenant.post("/devices/\(people["Door 1B"])/unlock", "{}")
            #expect(denied.status == 403 && denied.code == "forbidden" && denied.body["details"] == .object([:]))
        }

        /// Scenario 4: the tenant lets a guest in for an hour, who can open one door in that hour and nothing else.
        private func visit(_ people: People) async throws {
            people.ids["gus"] = try await House.createUser("gus@doors.example", "Gus", by: people.root)
            people.guest = try await people.gateway.signIn("gus@doors.example")
            let door = people["Door 1A"]
            let command = try await people.tenant.post("/devices/\(door)/lock", "{}").data["command"]
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            let now = try style.parse(try #require(command["requestedAt"].text, "\(command)"))
            func hours(_ hours: Double) -> String { now.addingTimeInterval(hours * 3600).ISO8601Format() }
            func grant(_ from: Double, _ until: Double) async throws {
                try await create(
                    "access", "guestAccess", by: people.tenant, "/guest-access",
                    #"{"guestUserId":"\#(people["gus"])","unitId":"\#(people["1A"])","deviceIds":["\#(door)"],"#
                        + #""operations":["UNLOCK"],"validFrom":"\#(hours(from))","validUntil":"\#(hours(until))"}"#, people)
            }
            try await grant(1, 2)
            #expect(try await people.guest.post("/devices/\(door)/unlock", "{}").code == "guest_window_not_started")
            #expect(try await people.tenant.delete("/guest-access/\(people["access"])").status == 204)
            try await grant(-1, 1)
            #expect(try await people.guest.post("/devices/\(door)/unlock", "{}").status == 200)
            #expect(try await people.guest.post("/devices/\(door)/lock", "{}").code == "operation_not_granted")
            #expect(try await people.guest.post("/devices/\(people["Door 1B"])/unlock", "{}").code == "forbidden")
            #expect(names(try await people.guest.get("/devices"), "devices") == ["Door 1A"])
            #expect(try await people.tenant.delete("/guest-access/\(people["access"])").status == 204)
            #expect(try await people.guest.post("/devices/\(door)/unlock", "{}").status == 403)
        }

        /// Scenario 5: what each of them may not do, with a message that says so and no effect.
        private func refuse(_ people: People) async throws {
            let (portfolio, property, unit) = (people["portfolio"], people["property"], people["1A"])
            let denials: [(Caller, HTTPMethod, String, String?, String)] = [
                (people.tenant, .POST, "/properties/\(property)/units", #"{"name":"Mine"}"#, "role_insufficient"),
                (
                    people.tenant, .POST, "/units/\(unit)/tenants", #"{"email":"x@doors.example","role":"TENANT"}"#,
                    "role_insufficient"
                ),
                (people.tenant, .DELETE, "/devices/\(people["Door 1A"])", nil, "role_insufficient"),
                (people.tenant, .POST, "/properties/\(property)/lockdown", "{}", "role_insufficient"),
                (people.tenant, .GET, "/portfolios/\(portfolio)", nil, "forbidden"),
                (people.guest, .GET, "/units/\(unit)", nil, "forbidden"),
                (people.guest, .GET, "/users", nil, "role_insufficient"),
                (people.manager, .DELETE, "/portfolios/\(portfolio)", nil, "forbidden"),
                (people.manager, .DELETE, "/properties/\(property)", nil, "role_insufficient"),
                (
                    people.manager, .POST, "/properties/\(property)/managers",
                    #"{"userId":"\#(people["tom"])","role":"PROPERTY_MANAGER"}"#, "role_insufficient"
                ),
                (people.admin, .DELETE, "/portfolios/\(portfolio)", nil, "role_insufficient"),
                (
                    people.admin, .POST, "/portfolios/\(portfolio)/admins", #"{"userId":"\#(people["ada"])","role":"OWNER"}"#,
                    "role_insufficient"
                ),
                (people.owner, .PUT, "/portfolios/\(portfolio)/subscription", #"{"tier":"free"}"#, "role_insufficient"),
                (
                    people.owner, .POST, "/users", #"{"email":"y@doors.example","firstName":"Y","lastName":"Z"}"#,
                    "role_insufficient"
                ),
                (people.root, .POST, "/devices/\(people["Door 1A"])/unlock", "{}", "role_insufficient"),
            ]
            for (caller, method, path, body, code) in denials {
                let answer = try await caller.send(
                    method, path, body.map { Array($0.utf8) }, body == nil ? [:] : ["Content-Type": "application/json"])
                #expect(answer.status == 403 && answer.code == code, "\(method) \(path): \(answer.body)")
                #expect(answer.body["message"].text?.hasSuffix(".") == true)
            }
            #expect(try await people.owner.get("/users/me").data["user"]["roleAssociations"].items.count == 1)
            #expect(try await people.admin.get("/users/me").data["user"]["roleAssociations"].items.count == 1)
            #expect(names(try await people.owner.get("/devices?sortBy=name"), "devices") == ["Door 1A", "Door 1B"])
            #expect(names(try await people.owner.get("/units?sortBy=name"), "units") == ["1A", "1B"])
        }
    }
}
