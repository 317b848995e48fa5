import AdapterSimulator
import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

@Suite struct AdapterRouteTests {
    @Test("A super admin sees each adapter with its health and its number of locks")
    func list() async throws {
        let house = try await House()
        _ = try await house.command(as: .tenant)
        let reply = try await house.call(.get, "/adapters", as: .superAdmin)
        #expect(reply.status == 200)
        let adapters = reply.data["adapters"].elements
        #expect(adapters.map { $0["kind"].text } == ["scripted", "simulator"])
        #expect(adapters[0].keys == ["kind", "health", "problem", "deviceCount", "onlineCount", "address", "transports"])
        #expect(adapters[0]["health"].text == "ok")
        #expect(adapters[0]["deviceCount"].number == 3)
        #expect(adapters[0]["onlineCount"].number == 1, "the lock that confirmed a command")
        #expect(adapters[1]["deviceCount"].number == 1)
        for health in AdapterHealth.allCases {
            house.adapter.set(health: health)
            let again = try await house.call(.get, "/adapters", as: .superAdmin)
            #expect(again.data["adapters"][0]["health"].text == health.rawValue)
        }
    }

    @Test("Each transport of an adapter is listed with its name, health, owner and problem")
    func transports() async throws {
        let house = try await House()
        let owner = PortfolioID(high: 0xAB, low: 1)
        house.adapter.set(transports: [
            AdapterTransport(name: "home", owner: .portfolio(owner), health: .ok),
            AdapterTransport(name: "spare", owner: .gateway, health: .down, problem: "the broker is away"),
        ])
        let adapters = try await house.call(.get, "/adapters", as: .superAdmin).data["adapters"].elements
        let told = adapters[0]["transports"].elements
        for transport in told { #expect(transport.keys == ["name", "health", "problem", "portfolioId"]) }
        #expect(told.map { $0["name"].text } == ["home", "spare"])
        #expect(told.map { $0["health"].text } == ["ok", "down"])
        #expect(told[0]["problem"] == .null && told[1]["problem"].text == "the broker is away")
        #expect(told[0]["portfolioId"].text == owner.description && told[1]["portfolioId"] == .null)
        #expect(adapters[1]["transports"].elements.isEmpty, "the simulator needs no transports")
    }

    @Test("Only a super admin may list adapters, because the counts cover all tenants", arguments: House.Person.allCases)
    func rights(_ person: House.Person) async throws {
        let house = try await House()
        let reply = try await house.call(.get, "/adapters", as: person)
        #expect(reply.status == (person == .superAdmin ? 200 : 403))
        if person != .superAdmin { #expect(reply.code == "role_insufficient") }
        #expect(try await house.call(.get, "/adapters").status == 401)
    }

    @Test("Unknown query items are rejected")
    func strict() async throws {
        let house = try await House()
        #expect(try await house.call(.get, "/adapters?kind=x", as: .superAdmin).problems == ["kind: unknown_key"])
    }

    @Test("Each address field is listed with its type, limits, default and meaning, with every key present")
    func addresses() async throws {
        let simulator = SimulatorAdapter(clock: VirtualClock())
        let house = try await House(simulator: simulator)
        let told = try await house.call(.get, "/adapters", as: .superAdmin).data["adapters"][1]["address"].elements
        #expect(told.map { $0["field"].text } == simulator.addressFields.map(\.name))
        for key in told {
            #expect(key.keys == ["field", "type", "required", "minimum", "maximum", "values", "default", "meaning"])
        }
        let latency = try #require(told.first { $0["field"].text == "latencyMs" })
        #expect(latency["type"].text == "integer" && latency["minimum"].number == 0 && latency["maximum"].number == 60_000)
        #expect(latency["default"].number == 200 && latency["values"] == .null && latency["required"].flag == false)
        let state = try #require(told.first { $0["field"].text == "initialState" })
        #expect(state["values"].elements.map(\.text) == ["LOCKED", "UNLOCKED"])
        #expect(state["minimum"] == .null && state["default"].text == "LOCKED")
    }

    @Test("The simulator accepts the defaults that it publishes and rejects values beyond the published limits")
    func truth() throws {
        let adapter = SimulatorAdapter(clock: VirtualClock())
        #expect(adapter.health == .down, "the adapter is not started")
        for field in adapter.addressFields {
            if let value = field.defaultValue { _ = try adapter.check(address: [field.name: value]) }
            let wrong: [JSONValue] =
                switch field.form {
                case .integer(let range):
                    range.upperBound < .max ? [.integer(range.upperBound + 1), .string("1")] : [.string("1")]
                case .number(let range): [.number(range.upperBound + 0.1), .bool(true)]
                case .word, .words, .text: [.integer(1), .array([.string("no such word")])]
                case .boolean: [.string("true")]
                }
            for value in wrong {
                #expect(throws: AddressErrors.self, "\(field.name)") { try adapter.check(address: [field.name: value]) }
            }
        }
        #expect(throws: AddressErrors.self) { try adapter.check(address: ["unlisted": .integer(1)]) }
    }
}
