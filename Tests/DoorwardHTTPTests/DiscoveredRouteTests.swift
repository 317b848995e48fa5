import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// `GET /devices/discovered`, and attaching locks through brokers over HTTP.
@Suite struct DiscoveredRouteTests {
    private static func found(
        _ id: String, _ name: String?, _ owner: TransportOwner, seen seconds: Int64 = 0, problem: String? = nil,
        capabilities: LockCapabilities? = [.lock, .unlock]
    ) -> DiscoveredLock {
        DiscoveredLock(
            id: id, name: name, manufacturer: "Acme", model: nil,
            address: ["broker": .string("oak"), "topic": .string(id)], owner: owner, capabilities: capabilities,
            problem: problem, firstSeenAt: Timestamp(milliseconds: 1000 * seconds),
            lastSeenAt: Timestamp(milliseconds: 5000 - 1000 * seconds))
    }

    private static func house() async throws -> House {
        let house = try await House()
        let (oak, elm) = (TransportOwner.portfolio(house.ids.portfolio), TransportOwner.portfolio(house.ids.otherPortfolio))
        house.adapter.set(owners: ["oak": oak, "elm": elm, "spare": .gateway])
        house.adapter.set(discovered: [
            found("d", "attic", oak, seen: 3), found("b", "Cellar", oak, seen: 1, problem: "it needs a profile"),
            found("c", nil, oak, seen: 2, capabilities: nil), found("a", "Elsewhere", elm),
            found("e", "New", .gateway),
        ])
        return house
    }

    private static func ids(_ reply: Reply) -> [String?] { reply.data["discoveredDevices"].elements.map { $0["id"].text } }

    @Test("It lists the locks that the caller could attach, each with all values needed to attach it and with every key present")
    func list() async throws {
        let house = try await Self.house()
        let reply = try await house.call(.get, "/devices/discovered", as: .manager)
        #expect(reply.status == 200)
        #expect(Self.ids(reply) == ["b", "c", "d"])
        #expect(reply.data["pagination"]["totalItems"].number == 3)
        let keys: Set = [
            "id", "name", "manufacturer", "model", "adapter", "address", "capabilities", "problem", "firstSeenAt",
            "lastSeenAt",
        ]
        for lock in reply.data["discoveredDevices"].elements { #expect(lock.keys == keys) }
        let (cellar, unnamed) = (reply.data["discoveredDevices"][0], reply.data["discoveredDevices"][1])
        #expect(cellar["adapter"].text == "scripted" && cellar["address"]["topic"].text == "b")
        #expect(cellar["problem"].text == "it needs a profile")
        #expect(cellar["capabilities"].elements.map(\.text) == ["LOCK", "UNLOCK"])
        #expect(cellar["firstSeenAt"].text == "1970-01-01T00:00:01.000Z")
        #expect(unnamed["name"] == .null && unnamed["capabilities"] == .null)
    }

    @Test("List and total contain only the locks of brokers that the caller may attach through", arguments: House.Person.allCases)
    func scope(_ person: House.Person) async throws {
        let house = try await Self.house()
        let reply = try await house.call(.get, "/devices/discovered", as: person)
        let expected: [String] =
            switch person {
            case .superAdmin: ["a", "b", "c", "d", "e"]
            case .owner, .admin, .manager: ["b", "c", "d"]
            case .stranger: ["a"]
            case .maintenance, .auditor, .tenant, .coTenant, .neighbour, .guest, .nobody: []
            }
        #expect(reply.status == 200)
        #expect(Self.ids(reply) == expected)
        #expect(reply.data["pagination"]["totalItems"].number == Int64(expected.count))
    }

    @Test("It is sorted and paged as other lists are")
    func pages() async throws {
        let house = try await Self.house()
        let orders = [
            "name": ["c", "d", "b"], "-name": ["b", "d", "c"], "firstSeenAt": ["b", "c", "d"], "createdAt": ["b", "c", "d"],
            "lastSeenAt": ["d", "c", "b"],
        ]
        for (sortBy, order) in orders {
            #expect(
                Self.ids(try await house.call(.get, "/devices/discovered?sortBy=\(sortBy)", as: .owner)) == order, "\(sortBy)")
        }
        let second = try await house.call(.get, "/devices/discovered?limit=2&page=2", as: .owner)
        #expect(Self.ids(second) == ["d"])
        #expect(second.data["pagination"]["totalPages"].number == 2)
        #expect(try await house.call(.get, "/devices/discovered?sortBy=id", as: .owner).problems == ["sortBy: unknown_value"])
        #expect(try await house.call(.get, "/devices/discovered?adapter=mqtt", as: .owner).problems == ["adapter: unknown_key"])
    }

    @Test("The path `discovered` is not read as a device id")
    func path() async throws {
        let house = try await Self.house()
        #expect(try await house.call(.get, "/devices/discovered").status == 401)
        let deleted = try await house.call(.delete, "/devices/discovered", as: .owner)
        #expect(deleted.status == 405 && deleted.headers[.allow]?.contains("GET") == true)
        #expect(try await house.call(.get, "/devices/\(house.ids.door)", as: .owner).status == 200)
    }

    @Test("A discovered lock can be attached with its listed address unchanged, and only once")
    func attaching() async throws {
        let house = try await Self.house()
        let address = #"{"broker":"oak","topic":"d"}"#
        let body = #"{"name":"Attic","adapter":"scripted","address":\#(address),"propertyId":"\#(house.ids.property)"}"#
        #expect(try await house.call(.post, "/devices", as: .manager, body).status == 201)
        let again = try await house.call(.post, "/devices", as: .manager, body)
        #expect(again.status == 409 && again.code == "already_exists")
        #expect(again.json["message"].text?.contains("detach it first") == true)
        let moved = try await house.call(.put, "/devices/\(house.ids.door)", as: .owner, #"{"address":\#(address)}"#)
        #expect(moved.status == 409)
    }

    @Test("Another tenant's broker, a broker of the gateway and one that does not exist give the same error, byte for byte")
    func noOracle() async throws {
        let house = try await Self.house()
        func answer(_ broker: String, _ person: House.Person, _ property: PropertyID) async throws -> String {
            let body = #"{"name":"x","adapter":"scripted","address":{"broker":"\#(broker)"},"propertyId":"\#(property)"}"#
            return try await house.call(.post, "/devices", as: person, body).withoutRequestID
        }
        for person in [House.Person.owner, .manager, .maintenance, .tenant, .nobody] {
            for property in [house.ids.property, house.ids.otherProperty] {
                let unknown = try await answer("no such", person, property)
                #expect(unknown.contains("address.broker"))
                for broker in ["elm", "spare"] { #expect(try await answer(broker, person, property) == unknown) }
            }
        }
    }
}
