import DoorwardDomain
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// `ETag` and `If-Match`: an entity is changed only if the caller has read its present version.
@Suite struct EntityTagTests {
    private func tag(_ house: House, _ path: String, as person: House.Person = .owner) async throws -> String {
        try #require(try await house.call(.get, path, as: person).headers[.eTag])
    }

    @Test("A lock can be changed and deleted with its current ETag; an outdated ETag gives 412")
    func device() async throws {
        let house = try await House()
        let path = "/devices/\(house.ids.door)"
        let first = try await tag(house, path)
        let changed = try await house.call(.put, path, as: .owner, #"{"name":"A"}"#, headers: [.ifMatch: first])
        #expect(changed.status == 200)
        let second = try #require(changed.headers[.eTag])
        #expect(second != first)
        #expect(try await tag(house, path) == second)
        for method in [HTTPRequest.Method.put, .delete] {
            let stale = try await house.call(
                method, path, as: .owner, method == .put ? #"{"name":"B"}"# : nil, headers: [.ifMatch: first])
            #expect(stale.status == 412 && stale.code == "precondition_failed")
        }
        #expect(try await tag(house, path) == second, "the rejected requests have changed nothing")
        let deleted = try await house.call(.delete, path, as: .owner, headers: [.ifMatch: #""other", \#(second)"#])
        #expect(deleted.status == 204)
    }

    @Test("A state report of the lock does not change its ETag")
    func condition() async throws {
        let house = try await House()
        let path = "/devices/\(house.ids.door)"
        let before = try await tag(house, path)
        #expect(try await house.command(as: .owner).status == 200)
        #expect(try await tag(house, path) == before)
    }

    @Test("An ETag changes with the fields that its reader sees, and not with other fields")
    func readers() async throws {
        let house = try await House()
        let path = "/devices/\(house.ids.door)"
        let before = try await tag(house, path, as: .guest)
        _ = try await house.call(.put, path, as: .owner, #"{"metadata":{"hidden":true}}"#)
        #expect(try await tag(house, path, as: .guest) == before)
        _ = try await house.call(.put, path, as: .owner, #"{"name":"Seen"}"#)
        #expect(try await tag(house, path, as: .guest) != before)
    }

    @Test("If-Match is checked after visibility and rights and before conflicts; `*` matches any version")
    func order() async throws {
        let house = try await House()
        let stale: [HTTPField.Name: String] = [.ifMatch: #""stale""#]
        let path = "/devices/\(house.ids.door)"
        #expect(try await house.call(.delete, path, as: .stranger, headers: stale).code == "forbidden")
        #expect(try await house.call(.delete, path, as: .auditor, headers: stale).code == "role_insufficient")
        let last = "/users/\(house.ids[.superAdmin])"
        let disabling = try await house.call(.put, last, as: .superAdmin, #"{"isEnabled":false}"#, headers: stale)
        #expect(disabling.code == "precondition_failed")
        let any = try await house.call(.put, last, as: .superAdmin, #"{"isEnabled":false}"#, headers: [.ifMatch: "*"])
        #expect(any.code == "conflict")
        let access = "/guest-access/\(house.ids.guestAccess)"
        #expect(try await house.call(.delete, access, as: .tenant, headers: stale).status == 412)
        let tag = try await tag(house, access, as: .tenant)
        #expect(try await house.call(.delete, access, as: .tenant, headers: [.ifMatch: "W/" + tag]).status == 412, "weak ETag")
        #expect(try await house.call(.delete, access, as: .tenant, headers: [.ifMatch: tag]).status == 204)
    }

    @Test("A malformed If-Match is 400", arguments: ["stale", #""a" "b""#, #""a",,"b""#, "*, *", #"""#, #""a b""#])
    func malformed(_ header: String) async throws {
        let house = try await House()
        let reply = try await house.call(.put, "/users/me", as: .tenant, #"{"firstName":"T"}"#, headers: [.ifMatch: header])
        #expect(reply.problems == ["If-Match: malformed"])
    }

    @Test(
        "Every entity that is read by its id has an ETag, which stays the same while the entity does not change",
        arguments: ["portfolios", "properties", "units", "devices", "users", "guest-access"])
    func everywhere(_ kind: String) async throws {
        let house = try await House()
        let ids: [String: String] = [
            "portfolios": house.ids.portfolio.description, "properties": house.ids.property.description,
            "units": house.ids.unit.description, "devices": house.ids.door.description,
            "users": house.ids[.owner].description, "guest-access": house.ids.guestAccess.description,
        ]
        let path = "/\(kind)/\(ids[kind] ?? "")"
        #expect(try await tag(house, path) == tag(house, path))
    }
}
