import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// `GET /users/me/permissions`.
@Suite struct AbilityRouteTests {
    private static let path = "/users/me/permissions"

    @Test("The rules name the caller's entities, and say which operations the caller has there")
    func rules() async throws {
        let house = try await House()
        let manager = try await house.call(.get, Self.path, as: .manager).data
        let onDevices = manager["rules"].elements.first {
            $0["subject"] == .array([.string("LockDevice")]) && $0["conditions"]["propertyId"].text == "\(house.ids.property)"
        }
        let actions = onDevices?["action"].elements.compactMap(\.text) ?? []
        #expect(Set(["UNLOCK", "LOCKDOWN", "device.change"]).isSubset(of: actions) && !actions.contains("portfolio.rename"))
        #expect(manager["nextChangeAt"] == .null)
        let nobody = try await house.call(.get, Self.path, as: .nobody).data
        #expect(nobody["rules"] == .array([]) && nobody["packedRules"] == .array([]))
    }

    @Test("The packed rules are the plain ones in the form of CASL, without the empty values at the end")
    func packed() async throws {
        let house = try await House()
        for person in [House.Person.owner, .tenant, .guest, .superAdmin] {
            let data = try await house.call(.get, Self.path, as: person).data
            let (plain, packed) = (data["rules"].elements, data["packedRules"].elements)
            #expect(plain.count == packed.count && !plain.isEmpty)
            for (rule, short) in zip(plain, packed) { #expect(Self.unpacked(short.elements) == rule, "\(rule)") }
        }
    }

    /// The inverse of CASL's `packRules`, by its documentation.
    private static func unpacked(_ packed: [JSONValue]) -> JSONValue {
        var rule: [String: JSONValue] = [:]
        let lists = [0: "action", 1: "subject", 4: "fields"]
        for (index, value) in packed.enumerated() where value != .integer(0) {
            switch index {
            case 2: rule["conditions"] = value
            case 3: rule["inverted"] = .bool(true)
            case 5: rule["reason"] = value
            default: rule[lists[index] ?? ""] = .array((value.text ?? "").split(separator: ",").map { .string(String($0)) })
            }
        }
        // Values at the end that CASL leaves out are never written.
        if packed.last == .integer(0) || packed.last == .string("") { rule["notTrimmed"] = .bool(true) }
        return .object(rule)
    }

    @Test(
        "The ETag stays while the rules stay, answers 304, and changes when a right ends; the guest's window gives nextChangeAt")
    func tagAndChange() async throws {
        let house = try await House()
        let first = try await house.call(.get, Self.path, as: .guest)
        let tag = try #require(first.headers[.eTag])
        let repeated = try await house.call(.get, Self.path, as: .guest, headers: [.ifNoneMatch: tag])
        #expect(repeated.status == 304 && repeated.text.isEmpty && repeated.headers[.eTag] == tag)
        let next = try #require(first.data["nextChangeAt"].text)
        let revoked = try await house.call(.delete, "/guest-access/\(house.ids.guestAccess)", as: .owner)
        #expect(revoked.status == 204, "\(revoked.text)")
        let after = try await house.call(.get, Self.path, as: .guest, headers: [.ifNoneMatch: tag])
        #expect(after.status == 200 && after.headers[.eTag] != tag && after.data["nextChangeAt"] == .null)
        #expect(try Timestamp(rfc3339: next) > house.clock.now())
    }

    @Test("An API key has no access to the rules of its creator")
    func keys() async throws {
        let house = try await House()
        let created = try await house.call(
            .post, "/api-keys", as: .owner,
            #"{"name":"k","entityType":"PROPERTY","entityId":"\#(house.ids.property)","role":"MAINTENANCE","expiresAt":"\#(house.clock.now().advanced(by: .seconds(86_400)))"}"#
        )
        let secret = try #require(created.data["secret"].text)
        var headers = HTTPFields()
        headers[.authorization] = "Bearer \(secret)"
        let reply = try await house.send(.get, "/api/v1" + Self.path, headers)
        #expect(reply.status == 403 && reply.code == "forbidden")
    }
}
