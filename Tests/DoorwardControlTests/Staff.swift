import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Logging
import Testing

/// A gateway for a house in which each user has exactly one role, for tables of rights.
struct Staff: Sendable {
    let clock: VirtualClock
    let store: InMemoryStore
    let adapter: ScriptedAdapter
    let control: GatewayControl
    let portfolio: PortfolioID
    let property: PropertyID
    let unit: UnitID
    let door: DeviceID
    let otherProperty: PropertyID
    let otherUnit: UnitID
    let access: GuestAccessID
    private let users: [Person: UserID]

    enum Person: CaseIterable, Sendable {
        case superAdmin, owner, portfolioAdmin, propertyManager, maintenance, auditor, tenant, guest, stranger
    }

    /// The result of a call, as its caller sees it.
    enum Verdict: Hashable, Sendable {
        case done
        /// Denied for a target that the caller can see.
        case insufficient
        /// Denied as if the target did not exist.
        case hidden
        case notFound
        case invalid([FieldProblem])
        case other(String)
    }

    init(seed: UInt64 = 1, suspensions: Int = 1) async throws {
        clock = VirtualClock()
        var world = TenancyFixture(seed: 11, createdAt: clock.now())
        portfolio = world.portfolio("Oak Street")
        property = world.property("No. 5", in: portfolio)
        unit = world.unit("2B", in: property)
        otherProperty = world.property("No. 7", in: portfolio)
        otherUnit = world.unit("9", in: otherProperty)
        door = world.device("Flat door", in: .unit(unit))
        var users: [Person: UserID] = [:]
        for person in Person.allCases { users[person] = world.user("\(person)", isSuperAdmin: person == .superAdmin) }
        func user(_ person: Person) -> UserID { users[person] ?? world.id() }
        world.assign(user(.owner), .owner, .portfolio(portfolio))
        world.assign(user(.portfolioAdmin), .portfolioAdmin, .portfolio(portfolio))
        world.assign(user(.propertyManager), .propertyManager, .property(property))
        world.assign(user(.maintenance), .maintenance, .property(property))
        world.assign(user(.auditor), .auditor, .portfolio(portfolio))
        let tenancy = world.assign(user(.tenant), .tenant, .unit(unit))
        let guestAccess = world.guestAccess(for: user(.guest), to: [door], under: tenancy)
        access = try #require(guestAccess)
        self.users = users
        store = InMemoryStore(suspensions: suspensions)
        _ = try await store.commit(StoreTransaction(changes: world.changes))
        adapter = ScriptedAdapter(clock: clock)
        var limits = GatewayControl.Limits()
        limits.passwordCost = 10
        control = GatewayControl(
            store: store, adapters: [adapter], clock: clock, random: RandomSource(SeededGenerator(seed: seed)), limits: limits,
            logger: Logger(label: "staff") { _ in SwiftLogNoOpLogHandler() })
        try await control.start()
    }

    func user(_ person: Person) throws -> UserID { try #require(users[person]) }

    func caller(_ person: Person) throws -> Caller { Caller(userID: try user(person)) }

    /// Returns the result of `body` for its caller.
    func verdict(_ body: () async throws -> Void) async -> Verdict {
        do {
            try await body()
            return .done
        } catch GatewayError.denied(let denial, _, _) {
            if !denial.hasReach { return .hidden }
            let isRight = [.roleInsufficient, .operationNotGranted].contains(denial.reason)
            return isRight ? .insufficient : .other("\(denial.reason)")
        } catch GatewayError.notFound {
            return .notFound
        } catch GatewayError.invalid(let problems) {
            return .invalid(problems)
        } catch {
            return .other("\(error)")
        }
    }
}
