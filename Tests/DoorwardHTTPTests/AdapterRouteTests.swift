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

    @Test("Whoever may attach locks may list adapters", arguments: House.Person.allCases)
    func rights(_ person: House.Person) async throws {
        let house = try await House()
        let reply = try await house.call(.get, "/adapters", as: person)
        let mayAttach: Set<House.Person> = [.superAdmin, .owner, .admin, .manager, .stranger]
        #expect(reply.status == (mayAttach.contains(person) ? 200 : 403))
        if !mayAttach.contains(person) { #expect(reply.code == "role_insufficient") }
        #expect(try await house.call(.get, "/adapters").status == 401)
    }

    @Test("Owners, admins and managers see the brokers of their portfolio and their own locks, and nothing of others")
    func ownBrokers() async throws {
        let house = try await House()
        func own(_ health: AdapterHealth) -> AdapterTransport {
            AdapterTransport(name: "home", owner: .portfolio(house.ids.portfolio), health: health, problem: "away")
        }
        let foreign = [
            AdapterTransport(name: "theirs", owner: .portfolio(house.ids.otherPortfolio), health: .down, problem: "secret"),
            AdapterTransport(name: "spare", owner: .gateway, health: .down, problem: "secret"),
        ]
        house.adapter.set(health: .degraded)
        for person in [House.Person.owner, .admin, .manager] {
            for health in [AdapterHealth.ok, .down] {
                house.adapter.set(transports: [own(health)] + foreign)
                let reply = try await house.call(.get, "/adapters", as: person)
                let told = reply.data["adapters"][0]
                #expect(told["transports"].elements.map { $0["name"].text } == ["home"])
                #expect(told["transports"][0]["health"].text == health.rawValue && told["health"].text == health.rawValue)
                // The manager also maintains a property of the other portfolio.
                #expect(told["deviceCount"].number == (person == .manager ? 3 : 2) && told["problem"] == .null)
                for word in ["theirs", "spare", "secret"] { #expect(!reply.text.contains(word), "\(reply.text)") }
            }
        }
        let all = try await house.call(.get, "/adapters", as: .superAdmin).data["adapters"][0]
        #expect(all["transports"].elements.count == 3 && all["health"].text == "degraded" && all["deviceCount"].number == 3)
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
