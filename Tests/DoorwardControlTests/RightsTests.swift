import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// The rights to each call: the call is made by a user of each role, and a denial must not reveal more than this user may know.
@Suite struct RightsTests {
    typealias Person = Staff.Person

    /// A call, and the users who get each result; all others must not learn that the target exists.
    struct Row: Sendable, CustomTestStringConvertible {
        let call: String
        let done: Set<Person>
        let insufficient: Set<Person>
        var notFound: Set<Person> = []
        /// Whether a success writes to the store.
        var isChange = true
        let body: @Sendable (Staff, Caller) async throws -> Void

        var testDescription: String { call }

        func verdict(for person: Person) -> Staff.Verdict {
            done.contains(person)
                ? .done : insufficient.contains(person) ? .insufficient : notFound.contains(person) ? .notFound : .hidden
        }
    }

    static let creations: [Row] = [
        Row(call: "create a portfolio", done: [.superAdmin], insufficient: Set(Person.allCases).subtracting([.superAdmin])) {
            _ = try await $0.control.portfolios.create($1, name: "New", owners: [], repeatable: nil)
        },
        Row(call: "create a property", done: [.owner, .portfolioAdmin], insufficient: [.superAdmin, .auditor]) {
            let new = NewProperty(name: "New", address: nil, defaultTimeZone: nil, managers: [])
            _ = try await $0.control.portfolios.createProperty($1, in: $0.portfolio, new, repeatable: nil)
        },
        Row(
            call: "create a unit", done: [.owner, .portfolioAdmin, .propertyManager],
            insufficient: [.superAdmin, .maintenance, .auditor, .tenant]
        ) {
            let new = NewUnit(name: "New", tenants: [], devices: [])
            _ = try await $0.control.portfolios.createUnit($1, in: $0.property, new, repeatable: nil)
        },
        Row(
            call: "attach a device", done: [.superAdmin, .owner, .portfolioAdmin, .propertyManager],
            insufficient: [.maintenance, .auditor, .tenant]
        ) { _ = try await $0.control.attachedDevices.attach($1, .test(in: $0.property), repeatable: nil) },
        Row(
            call: "detach a device", done: [.owner, .portfolioAdmin, .propertyManager],
            insufficient: [.superAdmin, .maintenance, .auditor, .tenant, .guest]
        ) { try await $0.control.attachedDevices.detach($1, $0.door) },
        Row(
            call: "rename a device", done: [.owner, .portfolioAdmin, .propertyManager],
            insufficient: [.superAdmin, .maintenance, .auditor, .tenant, .guest]
        ) { staff, caller in
            var changes = DeviceChanges()
            changes.name = "Renamed"
            _ = try await staff.control.attachedDevices.change(caller, staff.door, changes)
        },
        Row(
            call: "change the address of a device", done: [.superAdmin, .owner, .portfolioAdmin, .propertyManager],
            insufficient: [.maintenance, .auditor, .tenant, .guest]
        ) { staff, caller in
            var changes = DeviceChanges()
            changes.address = ["line": .string("2")]
            _ = try await staff.control.attachedDevices.change(caller, staff.door, changes)
        },
        Row(
            call: "move a device to another property", done: [.owner, .portfolioAdmin], insufficient: [.superAdmin, .auditor]
        ) { staff, caller in
            var changes = DeviceChanges()
            changes.propertyID = .set(staff.otherProperty)
            _ = try await staff.control.attachedDevices.change(caller, staff.door, changes)
        },
        Row(
            call: "remove a device from its property", done: [.owner, .portfolioAdmin, .propertyManager],
            insufficient: [.superAdmin, .maintenance, .auditor, .tenant, .guest]
        ) { staff, caller in
            var changes = DeviceChanges()
            changes.propertyID = .cleared
            _ = try await staff.control.attachedDevices.change(caller, staff.door, changes)
        },
        Row(call: "create a user", done: [.superAdmin], insufficient: Set(Person.allCases).subtracting([.superAdmin])) {
            let new = NewUser(
                email: "new@example.com", firstName: "N", lastName: "", password: Secret("a long enough passphrase"))
            _ = try await $0.control.users.create($1, new, repeatable: nil)
        },
    ]

    static let assignments: [Row] = [
        Row(call: "appoint a portfolio admin", done: [.superAdmin, .owner], insufficient: [.portfolioAdmin, .auditor]) {
            _ = try await $0.control.roles.assign($1, .portfolioAdmin, to: try $0.user(.stranger), on: .portfolio($0.portfolio))
        },
        Row(call: "appoint an auditor", done: [.superAdmin, .owner, .portfolioAdmin], insufficient: [.auditor]) {
            _ = try await $0.control.roles.assign($1, .auditor, to: try $0.user(.stranger), on: .portfolio($0.portfolio))
        },
        Row(
            call: "appoint a manager", done: [.owner, .portfolioAdmin],
            insufficient: [.superAdmin, .propertyManager, .maintenance, .auditor, .tenant]
        ) { _ = try await $0.control.roles.assign($1, .propertyManager, to: try $0.user(.stranger), on: .property($0.property)) },
        Row(
            call: "appoint maintenance", done: [.owner, .portfolioAdmin, .propertyManager],
            insufficient: [.superAdmin, .maintenance, .auditor, .tenant]
        ) { _ = try await $0.control.roles.assign($1, .maintenance, to: try $0.user(.stranger), on: .property($0.property)) },
        Row(
            call: "assign a tenant", done: [.owner, .portfolioAdmin, .propertyManager],
            insufficient: [.superAdmin, .maintenance, .auditor, .tenant]
        ) { _ = try await $0.control.roles.assign($1, .tenant, to: try $0.user(.stranger), on: .unit($0.unit)) },
        Row(
            call: "remove a tenant", done: [.owner, .portfolioAdmin, .propertyManager],
            insufficient: [.superAdmin, .maintenance, .auditor, .tenant]
        ) { try await $0.control.roles.remove($1, try $0.user(.tenant), from: .unit($0.unit)) },
    ]

    static let guests: [Row] = [
        Row(
            call: "grant a guest access", done: [.owner, .portfolioAdmin, .propertyManager, .tenant],
            insufficient: [.superAdmin, .maintenance, .auditor, .guest]
        ) {
            let now = $0.clock.now()
            let new = NewGuestAccess(
                guestUserID: .some(try $0.user(.stranger)), label: nil, propertyID: nil, unitID: nil, deviceIDs: [$0.door],
                operations: [.unlock], window: GuestWindow(validFrom: now, validUntil: now.advanced(by: .seconds(60))))
            _ = try await $0.control.guestAccesses.grant($1, new, repeatable: nil)
        },
        Row(
            call: "read a guest access", done: [.owner, .portfolioAdmin, .propertyManager, .tenant, .guest],
            insufficient: [.superAdmin], isChange: false
        ) { _ = try $0.control.guestAccesses.access($0.access, for: $1) },
        Row(
            call: "revoke a guest access", done: [.owner, .portfolioAdmin, .propertyManager, .tenant],
            insufficient: [.guest, .superAdmin]
        ) { try await $0.control.guestAccesses.revoke($1, $0.access) },
        Row(
            call: "list the users of a property", done: [.superAdmin, .owner, .portfolioAdmin, .propertyManager],
            insufficient: [.maintenance, .auditor, .tenant], isChange: false
        ) { _ = try $0.control.roles.people(on: .property($0.property), for: $1, PageRequest(limit: 50)) },
    ]

    @Test("a call succeeds for users with the right, and changes nothing for others", arguments: creations + assignments + guests)
    func rights(row: Row) async throws {
        for person in Person.allCases {
            let staff = try await Staff()
            let commits = staff.store.commitCount
            let caller = try staff.caller(person)
            let verdict = await staff.verdict { try await row.body(staff, caller) }
            #expect(verdict == row.verdict(for: person), "\(row.call) by \(person)")
            #expect(staff.store.commitCount == commits + (verdict == .done && row.isChange ? 1 : 0), "\(row.call) by \(person)")
        }
    }

    @Test("for a tenant, entities elsewhere, unknown ids and malformed ids give the same result")
    func noOracle() async throws {
        let staff = try await Staff()
        let tenant = try staff.caller(.tenant)
        let portfolios = staff.control.portfolios
        for property in [staff.otherProperty, PropertyID(high: 1, low: 1), .nonexistent] {
            #expect(await staff.verdict { _ = try portfolios.place(property, for: tenant) } == .hidden)
        }
        for unit in [staff.otherUnit, UnitID(high: 1, low: 1), .nonexistent] {
            #expect(await staff.verdict { _ = try portfolios.place(unit, for: tenant) } == .hidden)
        }
        for portfolio in [staff.portfolio, PortfolioID(high: 1, low: 1), .nonexistent] {
            #expect(await staff.verdict { _ = try portfolios.place(portfolio, for: tenant) } == .hidden)
        }
        #expect(await staff.verdict { _ = try portfolios.place(staff.property, for: tenant) } == .done)
        #expect(await staff.verdict { _ = try portfolios.place(staff.unit, for: tenant) } == .done)
    }

    @Test("the list of guest accesses contains exactly those that the user can read", arguments: Person.allCases)
    func guestLists(person: Person) async throws {
        let staff = try await Staff()
        let caller = try staff.caller(person)
        let isReader = await staff.verdict { _ = try staff.control.guestAccesses.access(staff.access, for: caller) } == .done
        #expect(
            staff.control.guestAccesses.list(for: caller, GuestAccessFilter(), PageRequest(limit: 50)).items.map(\.id)
                == (isReader ? [staff.access] : []))
    }
}

extension NewDevice {
    static func test(in property: PropertyID, unit: UnitID? = nil, adapter: String = "scripted") -> NewDevice {
        NewDevice(
            name: "New door", adapter: adapter, address: ["line": .string("1")], propertyID: property, unitID: unit,
            isRemoteOperationEnabled: true)
    }
}
