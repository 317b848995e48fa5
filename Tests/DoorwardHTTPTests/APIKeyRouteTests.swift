import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// API keys over HTTP.
@Suite struct APIKeyRouteTests {
    private func body(
        _ house: House, name: String = "Robot", role: String = "MAINTENANCE", type: String = "PROPERTY", id: String? = nil,
        seconds: Int = 86_400
    ) -> String {
        """
        {"name":"\(name)","entityType":"\(type)","entityId":"\(id ?? house.ids.property.description)","role":"\(role)",
        "expiresAt":"\(house.clock.now().advanced(by: .seconds(seconds)))"}
        """
    }

    private func create(_ house: House, as person: House.Person = .owner, _ text: String? = nil) async throws -> Reply {
        try await house.call(.post, "/api-keys", as: person, text ?? body(house))
    }

    private func headers(_ secret: String) -> HTTPFields {
        [.authorization: "Bearer \(secret)", .contentType: "application/json"]
    }

    @Test("a key is created with its secret, listed without it, used as a bearer token and removed")
    func lifecycle() async throws {
        let house = try await House()
        let made = try await create(house)
        #expect(made.status == 201)
        let (key, secret) = (made.data["apiKey"], try #require(made.data["secret"].text))
        let id = try #require(key["id"].text)
        #expect(made.headers[.location] == "/api/v1/api-keys/\(id)")
        #expect(key.keys == ["id", "name", "entityType", "entityId", "role", "userId", "createdAt", "expiresAt"])
        #expect(key["userId"].text == house.ids[.owner].description && secret.hasPrefix("dw_"))
        let list = try await house.call(.get, "/api-keys?sortBy=name", as: .owner)
        #expect(list.data["apiKeys"].elements == [key] && !list.text.contains(secret))
        #expect(list.data["pagination"]["totalItems"].number == 1)
        let path = "/api/v1/devices/\(house.ids.door)"
        #expect(try await house.send(.get, path, headers(secret)).status == 200)
        let unlocked = try await house.send(.post, "\(path)/unlock", headers(secret), "{}")
        #expect(unlocked.status == 200 && unlocked.data["command"]["actor"]["kind"].text == "API_KEY")
        let command = try #require(unlocked.data["command"]["id"].text)
        #expect(try await house.send(.get, "/api/v1/commands/\(command)", headers(secret)).status == 200)
        #expect(try await house.call(.delete, "/api-keys/\(id)", as: .owner).status == 204)
        let refused = try await house.send(.get, path, headers(secret))
        #expect(refused.status == 401 && refused.headers[.wwwAuthenticate] == "Bearer")
        #expect(try await house.call(.get, "/api-keys", as: .owner).data["apiKeys"].elements.isEmpty)
    }

    @Test("a key sees what its role and its creator see, at the lower level of the two")
    func projection() async throws {
        let house = try await House()
        let text = body(house, role: "TENANT", type: "UNIT", id: house.ids.unit.description)
        let secret = try #require(try await create(house, text).data["secret"].text)
        let own = try await house.send(.get, "/api/v1/devices/\(house.ids.door)", headers(secret))
        #expect(own.status == 200 && own.data["device"]["batteryLevel"] == own.data["device"]["batteryLevel"])
        #expect(!own.data["device"].keys.contains("address") && own.data["device"].keys.contains("propertyId"))
        let devices = try await house.send(.get, "/api/v1/devices", headers(secret))
        #expect(
            Set(devices.data["devices"].elements.compactMap { $0["id"].text })
                == [house.ids.door, house.ids.frontDoor].description())
        let other = try await house.send(.get, "/api/v1/units/\(house.ids.otherUnit)", headers(secret))
        let missing = try await house.send(.get, "/api/v1/units/\(UnitID(high: 7, low: 7))", headers(secret))
        #expect(other.status == 403 && other.withoutRequestID == missing.withoutRequestID)
    }

    @Test("a malformed, unknown or foreign key gets the one answer of a missing sign-in")
    func forged() async throws {
        let house = try await House()
        let secret = try #require(try await create(house).data["secret"].text)
        let id = secret.prefix(25)
        for text in [
            "dw_", "dw_x", secret + "=", String(secret.dropLast(2)) + "AA", "\(id)\(String(repeating: "A", count: 43))",
            "DW_\(secret.dropFirst(3))", "dw_\(String(repeating: "_", count: 65))", "dw_\(String(repeating: "A", count: 4000))",
        ] {
            let reply = try await house.send(.get, "/api/v1/users/me", headers(text))
            #expect(reply.status == 401 && reply.code == "unauthenticated", "\(text.prefix(30))")
        }
        let query = try await house.send(.get, "/api/v1/devices?access_token=\(secret)")
        #expect(query.status == 401, "a key in the URL")
    }

    @Test("the person's own routes are closed to a key, whatever its creator's rights")
    func personal() async throws {
        let house = try await House(withPasswords: true)
        let text = body(house, role: "OWNER", type: "PORTFOLIO", id: house.ids.portfolio.description)
        let secret = try #require(try await create(house, as: .superAdmin, text).data["secret"].text)
        for (method, path, text) in [
            (.get, "/users/me", nil), (.put, "/users/me", #"{"firstName":"X"}"#), (.get, "/users/me/sessions", nil),
            (.delete, "/users/me/sessions/\(House.session(of: .superAdmin))", nil), (.post, "/auth/logout", "{}"),
            (.post, "/users/me/recovery-codes", #"{"currentPassword":"\#(House.password)"}"#),
            (.post, "/users/me/password", #"{"currentPassword":"\#(House.password)","newPassword":"another long password"}"#),
        ] as [(HTTPRequest.Method, String, String?)] {
            let reply = try await house.send(method, "/api/v1" + path, headers(secret), text)
            #expect(reply.status == 403 && reply.code == "forbidden" && reply.details.keys.isEmpty, "\(path): \(reply.text)")
        }
        for (path, text) in [
            ("/users", #"{"email":"n@example.com","firstName":"N","lastName":"M"}"#), ("/portfolios", #"{"name":"N"}"#),
        ] {
            #expect(try await house.send(.post, "/api/v1" + path, headers(secret), text).status == 403)
        }
    }

    @Test("who may create which key: outside one's reach it does not exist, a higher role is refused")
    func rights() async throws {
        let house = try await House()
        let portfolio = house.ids.portfolio.description
        for (person, role, type, id, status, code) in [
            (.admin, "OWNER", "PORTFOLIO", portfolio, 403, "role_insufficient"),
            (.manager, "PROPERTY_MANAGER", "PROPERTY", house.ids.property.description, 201, nil),
            (.tenant, "TENANT", "UNIT", house.ids.unit.description, 403, "role_insufficient"),
            (.maintenance, "MAINTENANCE", "PROPERTY", house.ids.property.description, 403, "role_insufficient"),
            (.stranger, "OWNER", "PORTFOLIO", portfolio, 403, "forbidden"),
            (.stranger, "OWNER", "PORTFOLIO", "no id", 403, "forbidden"),
            (.superAdmin, "OWNER", "PORTFOLIO", "no id", 404, "not_found"),
            (.superAdmin, "OWNER", "PORTFOLIO", portfolio, 201, nil),
        ] as [(House.Person, String, String, String, Int, String?)] {
            let reply = try await create(house, as: person, body(house, role: role, type: type, id: id))
            #expect(reply.status == status && reply.code == code, "\(person) \(role): \(reply.text)")
        }
    }

    @Test("bad input is refused field by field")
    func badInput() async throws {
        let house = try await House()
        for (text, problems) in [
            ("{}", ["entityId: required", "entityType: required", "expiresAt: required", "name: required", "role: required"]),
            (body(house, role: "TENANT"), ["role: unknown_value"]), (body(house, role: "SUPER_ADMIN"), ["role: unknown_value"]),
            (body(house, type: "DEVICE"), ["entityType: unknown_value"]), (body(house, name: " "), ["name: blank"]),
            (body(house, seconds: 0), ["expiresAt: in_the_past"]),
            (body(house, seconds: 367 * 86_400), ["expiresAt: out_of_range"]),
            (
                String(body(house).dropLast()) + #","secret":"dw_x","userId":"x"}"#,
                ["secret: unknown_key", "userId: unknown_key"]
            ),
        ] as [(String, [String])] {
            let reply = try await create(house, text)
            #expect(reply.status == 400 && reply.problems == problems, "\(text): \(reply.text)")
        }
        #expect(try await house.call(.get, "/api-keys?mine=true", as: .owner).problems == ["mine: unknown_key"])
        #expect(try await house.call(.get, "/api-keys?sortBy=role", as: .owner).problems == ["sortBy: unknown_value"])
    }

    @Test("an idempotency key creates no second secret of the same key: each request is carried out")
    func notRepeated() async throws {
        let house = try await House()
        let repeated: [HTTPField.Name: String] = [.idempotencyKey: "k"]
        let replies = [
            try await house.call(.post, "/api-keys", as: .owner, body(house), headers: repeated),
            try await house.call(.post, "/api-keys", as: .owner, body(house), headers: repeated),
        ]
        #expect(replies[0].data["secret"] != replies[1].data["secret"])
        #expect(replies[0].data["apiKey"]["id"] != replies[1].data["apiKey"]["id"])
    }

    @Test("denied commands of a key are limited like those of a person, and do not limit its creator")
    func limited() async throws {
        let house = try await House(deniedPerMinute: 3)
        let text = body(house, role: "AUDITOR")
        let secret = try #require(try await create(house, text).data["secret"].text)
        var statuses: [Int] = []
        for _ in 0..<4 {
            let path = "/api/v1/devices/\(house.ids.door)/unlock"
            statuses.append(try await house.send(.post, path, headers(secret), "{}").status)
        }
        #expect(statuses == [403, 403, 403, 429])
        #expect(try await house.command(as: .owner).status == 200)
    }
}

extension [DeviceID] {
    fileprivate func description() -> Set<String> { Set(map(\.description)) }
}
