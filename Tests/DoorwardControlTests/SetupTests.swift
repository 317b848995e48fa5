import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardKernel
@testable import DoorwardTenancy

/// The set-up of a gateway without a super admin: who can make the first one, once.
@Suite struct SetupTests {
    private static let password = Secret("a long enough passphrase")
    private static let unknown = Secret(String(repeating: "A", count: 43))

    /// A gateway with nothing in its store.
    private func empty(_ store: InMemoryStore = InMemoryStore(), clock: VirtualClock = VirtualClock()) async throws -> House {
        try await House(clock: clock, store: store)
    }

    private func origin(_ address: String = "192.0.2.9") -> RequestOrigin {
        RequestOrigin(clientAddress: address, requestID: "set-up")
    }

    private static func new(
        _ email: String = "root@example.com", portfolio: String? = "Home", property: String? = "Quay 1", unit: String? = "1A",
        simulated: Bool = false
    ) -> NewSetup {
        NewSetup(
            email: email, firstName: "Ada", lastName: "Ames", password: password, portfolio: portfolio,
            property: property.map { NewProperty(name: $0, address: nil, defaultTimeZone: "Europe/Berlin", managers: []) },
            unit: unit.map { NewUnit(name: $0, tenants: [], devices: []) }, attachesSimulatedLock: simulated)
    }

    private func offer(_ house: House) throws -> Secret<String> { try #require(house.control.setup.offer()).token }

    private func complete(
        _ house: House, _ token: Secret<String>?, _ new: NewSetup = new(), from address: String = "192.0.2.9"
    ) async throws -> SignedIn { try await house.control.setup.complete(token, new, origin: origin(address)) }

    /// The class of an error, for comparisons.
    private func outcome(_ body: () async throws -> Void) async -> String {
        switch await failure(body) {
        case nil: "done"
        case .unauthenticated: "unauthenticated"
        case .rateLimited: "limited"
        case .unavailable: "unavailable"
        case .alreadyExists: "exists"
        case .invalid(let problems): problems.map { "\($0.field): \($0.problem)" }.joined(separator: ", ")
        case let error?: "\(error)"
        }
    }

    private func status(_ house: House, _ token: Secret<String>?, from address: String = "192.0.2.9") async -> String {
        await outcome { _ = try await house.control.setup.status(token, origin: origin(address)) }
    }

    @Test("the first super admin owns the first portfolio, and all is one transaction with one record for each object")
    func everything() async throws {
        let house = try await empty()
        let token = try offer(house)
        let found = try await house.control.setup.status(token, origin: origin())
        #expect(found.userCount == 0 && found.portfolioCount == 0 && found.deviceCount == 0)
        #expect(found.expiresAt == house.clock.now().advanced(by: .seconds(3600)))
        let (commits, records) = (house.store.commitCount, house.gatewayLog.count)
        let signedIn = try await complete(house, token)
        #expect(house.store.commitCount == commits + 2, "the set-up, and the session")
        let tenancy = house.control.directory.current
        #expect(tenancy.superAdminIDs == [signedIn.user.id] && signedIn.user.fullName == "Ada Ames")
        let portfolio = try #require(tenancy.portfolioIDs.first.flatMap { tenancy.portfolio($0) })
        let roles = tenancy.associations(on: .portfolio(portfolio.id))
        #expect(roles.map(\.userID) == [signedIn.user.id] && roles.map(\.role) == [.owner])
        let property = try #require(tenancy.propertyIDs(of: portfolio.id).first.flatMap { tenancy.property($0) })
        #expect(property.name == "Quay 1" && property.defaultTimeZone == "Europe/Berlin")
        #expect(tenancy.unitIDs(of: property.id).compactMap { tenancy.unit($0)?.name } == ["1A"])
        let written = house.gatewayLog[records...].map(\.body)
        let types = written.compactMap { $0.target?.type }
        #expect(types == ["User", "Portfolio", "UserRoleAssociation", "Property", "Unit", "Session"])
        #expect(written.allSatisfy { $0.actor.userID == signedIn.user.id && $0.clientAddress == "192.0.2.9" })
        #expect(house.control.signIn.sessions.session(signedIn.session.id, at: house.clock.now()) != nil)
        _ = try await house.control.signIn.logIn(email: "ROOT@example.com", password: Self.password, origin: origin())
    }

    @Test("places may be left out, and one that is named needs the one above it")
    func places() async throws {
        let house = try await empty()
        let token = try offer(house)
        for (new, problem) in [
            (Self.new(portfolio: nil), "portfolio: required"), (Self.new(property: nil), "property: required"),
            (Self.new(property: nil, unit: nil, simulated: true), "property: required"),
            (Self.new(simulated: true), "simulatedLocks: unknown"),
        ] {
            #expect(await outcome { _ = try await complete(house, token, new) } == problem)
            #expect(house.control.directory.current.userIDs.isEmpty, "nothing was made, and the token is not used up")
        }
        _ = try await complete(house, token, Self.new(portfolio: nil, property: nil, unit: nil))
        #expect(house.control.directory.current.portfolioIDs.isEmpty)
        #expect(house.control.directory.current.superAdminIDs.count == 1)
    }

    @Test("a token that was used is an unknown one, also from another address, and so is every token once there is a super admin")
    func once() async throws {
        let house = try await empty()
        let token = try offer(house)
        _ = try await complete(house, token)
        for address in ["192.0.2.9", "198.51.100.7"] {
            let again = Self.new("thief@example.com")
            #expect(await outcome { _ = try await complete(house, token, again, from: address) } == "unauthenticated")
            #expect(await status(house, token, from: address) == "unauthenticated")
        }
        #expect(house.control.setup.offer() == nil)
        #expect(house.control.directory.current.userIDs.count == 1)
        let furnished = try await House()
        #expect(furnished.control.setup.offer() == nil)
        #expect(await status(furnished, Self.unknown) == "unauthenticated")
    }

    @Test("the token is bound to no address")
    func addresses() async throws {
        let house = try await empty()
        let token = try offer(house)
        #expect(await status(house, token, from: "192.0.2.9") == "done")
        _ = try await complete(house, token, from: "198.51.100.7")
        for address in ["192.0.2.9", "198.51.100.7"] { #expect(await status(house, token, from: address) == "unauthenticated") }
    }

    @Test("a token works for an hour, whatever the wall clock shows, and a restart replaces it")
    func hour() async throws {
        let store = InMemoryStore()
        let house = try await empty(store)
        let token = try offer(house)
        house.clock.advance(by: .seconds(3599))
        house.clock.stepWall(by: .seconds(7200))
        #expect(await status(house, token) == "done")
        house.clock.advance(by: .seconds(1))
        #expect(await status(house, token) == "unauthenticated")
        #expect(await outcome { _ = try await complete(house, token) } == "unauthenticated")
        let old = try offer(house)
        let again = try await empty(store.reopened(), clock: house.clock)
        #expect(await status(again, old) == "unauthenticated")
        let new = try offer(again)
        #expect(await status(again, old) == "unauthenticated")
        _ = try await complete(again, new)
    }

    @Test(
        "after five wrong tokens in a minute, from any addresses, wrong ones wait, the valid one does not, and the failures are recorded"
    )
    func guesses() async throws {
        let house = try await empty()
        let token = try offer(house)
        let records = house.gatewayLog.count
        for _ in 0..<10 { #expect(await status(house, nil) == "unauthenticated", "a request without a token is no try") }
        for index in 0..<5 {
            let guess = index.isMultiple(of: 2) ? Self.unknown : Secret("short")
            #expect(await status(house, guess, from: "198.51.100.\(index)") == "unauthenticated")
        }
        #expect(house.gatewayLog.count == records + 5)
        #expect(await status(house, Self.unknown, from: "203.0.113.1") == "limited")
        #expect(await outcome { _ = try await complete(house, Self.unknown) } == "limited")
        #expect(house.gatewayLog.count == records + 5, "one that waits is not recorded")
        #expect(await status(house, nil) == "unauthenticated")
        #expect(await status(house, token) == "done", "a stranger cannot prevent the set-up")
        #expect(await outcome { try house.control.signIn.admitLink(clientAddress: "198.51.100.0") } == "done")
        _ = try await complete(house, token)
        #expect(await status(house, token) == "limited", "used, and so a wrong one")
        house.clock.advance(by: .seconds(60))
        #expect(await status(house, token) == "unauthenticated")
    }

    @Test("concurrent guesses do not exceed the limit")
    func concurrentGuesses() async throws {
        let house = try await empty()
        _ = try offer(house)
        let outcomes = await withTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { await status(house, Self.unknown) } }
            return await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == "unauthenticated" } == 5 && outcomes.count { $0 == "limited" } == 15)
    }

    @Test("of several set-ups at the same time one makes the super admin, and the others are refused")
    func race() async throws {
        let house = try await empty()
        let token = try offer(house)
        let outcomes = await withTaskGroup(of: String.self) { group in
            for index in 0..<4 {
                group.addTask { await outcome { _ = try await complete(house, token, Self.new("root\(index)@example.com")) } }
            }
            return await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(outcomes.sorted() == ["done"] + Array(repeating: "unauthenticated", count: 3))
        let tenancy = house.control.directory.current
        #expect(tenancy.userIDs.count == 1 && tenancy.superAdminIDs.count == 1 && tenancy.portfolioIDs.count == 1)
    }

    @Test("a crash while the set-up is written leaves all of it or nothing", arguments: [false, true])
    func crash(isDurable: Bool) async throws {
        let store = InMemoryStore()
        let house = try await empty(store)
        let token = try offer(house)
        store.failNext(.failed("disk I/O error"), isDurable: isDurable)
        #expect(await outcome { _ = try await complete(house, token) } == "unavailable")
        #expect(await outcome { _ = try await complete(house, token) } == "unavailable", "the write is in doubt")
        let again = try await empty(store.reopened(), clock: house.clock)
        let tenancy = again.control.directory.current
        #expect(tenancy.userIDs.count == (isDurable ? 1 : 0) && tenancy.deviceIDs.isEmpty)
        #expect(tenancy.portfolioIDs.count == tenancy.userIDs.count)
        if isDurable {
            #expect(again.control.setup.offer() == nil)
            _ = try await again.control.signIn.logIn(email: "root@example.com", password: Self.password, origin: origin())
        } else {
            _ = try await complete(again, try offer(again))
        }
    }
}
