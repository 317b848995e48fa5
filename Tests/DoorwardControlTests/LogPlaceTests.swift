import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// The log of each portfolio contains only ids of this portfolio and of its properties and units.
@Suite struct LogPlaceTests {
    /// Two portfolios with one owner, and a manager for each property.
    private struct Street {
        let house: House
        let otherProperty: PropertyID
        let otherManager: UserID

        init(seed: UInt64 = 1) async throws {
            house = try await House(seed: seed)
            let ids = house.ids
            otherProperty = try #require(house.control.directory.current.device(ids.otherDoor)?.propertyID)
            otherManager = ids.managers[4]
            let superAdmin = house.caller(ids.superAdmin)
            for portfolio in [ids.portfolio, ids.otherPortfolio] {
                _ = try await house.control.roles.assign(superAdmin, .owner, to: ids.owner, on: .portfolio(portfolio))
            }
            let owner = house.caller(ids.owner)
            try await house.control.roles.remove(owner, otherManager, from: .property(ids.property))
            _ = try await house.control.roles.assign(owner, .propertyManager, to: otherManager, on: .property(otherProperty))
        }

        func move(_ device: DeviceID, by user: UserID, _ body: (inout DeviceChanges) -> Void) async throws {
            var changes = DeviceChanges()
            body(&changes)
            _ = try await house.control.attachedDevices.change(house.caller(user), device, changes)
        }

        func records(of user: UserID) async throws -> [AccessRecord] {
            try await house.control.history.records(
                for: house.caller(user), filter: RecordFilter(), order: .oldestFirst, after: nil, limit: 500
            ).records
        }

        func lastMove(in log: LogID) throws -> RecordBody {
            try #require(house.store.log(log).map(\.body).last { $0.action == .move })
        }
    }

    private static func place(_ property: PropertyID?, _ unit: UnitID?) -> RecordValue {
        .object(["propertyId": .id(property), "unitId": .id(unit)])
    }

    @Test("a lock's move to another portfolio is recorded in each log with the place in that portfolio only")
    func bothSides() async throws {
        let street = try await Street()
        let ids = street.house.ids
        try await street.move(ids.door, by: ids.owner) { $0.propertyID = .set(street.otherProperty) }
        let old = try street.lastMove(in: .portfolio(ids.portfolio))
        #expect(old.portfolioID == ids.portfolio && old.propertyID == ids.property && old.unitID == ids.unit)
        #expect(old.details["before"] == Self.place(ids.property, ids.unit))
        #expect(old.details["after"] == Self.place(nil, nil))
        let new = try street.lastMove(in: .portfolio(ids.otherPortfolio))
        #expect(new.portfolioID == ids.otherPortfolio && new.propertyID == street.otherProperty && new.unitID == nil)
        #expect(new.details["before"] == Self.place(nil, nil))
        #expect(new.details["after"] == Self.place(street.otherProperty, nil))
        let whole = try street.lastMove(in: .gateway)
        #expect(whole.details["before"] == Self.place(ids.property, ids.unit))
        #expect(whole.details["after"] == Self.place(street.otherProperty, nil))
    }

    @Test("after a move each property's manager reads the move in their own portfolio's log, and nothing of the other log")
    func readers() async throws {
        let street = try await Street()
        let ids = street.house.ids
        try await street.move(ids.door, by: ids.owner) {
            ($0.propertyID, $0.name) = (.set(street.otherProperty), "Their new name")
        }
        let before = try await street.records(of: ids.managers[0])
        #expect(before.last?.body.action == .move)
        #expect(before.allSatisfy { $0.body.log == .portfolio(ids.portfolio) })
        #expect(before.allSatisfy { $0.body.device?.deviceName != "Their new name" })
        let after = try await street.records(of: street.otherManager)
        #expect(after.last?.body.action == .move && after.last?.body.device?.deviceName == "Their new name")
        #expect(after.allSatisfy { $0.body.log == .portfolio(ids.otherPortfolio) })
    }

    @Test("a record that an older version wrote into another portfolio's log is visible to no manager and in no command list")
    func earlierRecords() async throws {
        let street = try await Street()
        let ids = street.house.ids
        let now = street.house.clock.now()
        let snapshot = DeviceSnapshot(
            deviceID: ids.door, deviceName: "Flat door", propertyID: street.otherProperty, portfolioID: ids.otherPortfolio)
        let record = RecordBody(
            log: .portfolio(ids.portfolio), id: RecordID(high: 5, low: 6), at: now, kind: .adminChange, actor: .gateway,
            source: .api, device: snapshot, action: .move)
        _ = try await street.house.store.commit(StoreTransaction(records: [PendingRecord(record)]))
        #expect(try await street.records(of: street.otherManager).allSatisfy { $0.body.id != record.id })
        #expect(try await street.records(of: ids.managers[0]).allSatisfy { $0.body.id != record.id })
        let scope = RecordScope.property(street.otherProperty, in: ids.otherPortfolio)
        let command = Command(
            id: CommandID(high: 1, low: 2), deviceID: ids.door, operation: .unlock, actor: .gateway, source: .api,
            rule: .superAdmin, requestedAt: now, deadline: now)
        #expect(!StoredCommand(command: command, log: .portfolio(ids.portfolio), device: snapshot).lies(in: scope))
        #expect(StoredCommand(command: command, log: .portfolio(ids.otherPortfolio), device: snapshot).lies(in: scope))
    }

    @Test(
        "disabling a user is recorded in the logs of the user's portfolios; other changes of the user only in the gateway's log")
    func disabling() async throws {
        let street = try await Street()
        let ids = street.house.ids
        var changes = UserChanges(firstName: "Olive", isEnabled: false)
        changes.defaultPropertyID = .set(street.otherProperty)
        _ = try await street.house.control.users.update(street.house.caller(ids.superAdmin), ids.owner, changes)
        for portfolio in [ids.portfolio, ids.otherPortfolio] {
            let body = try #require(street.house.store.log(.portfolio(portfolio)).last?.body)
            #expect(body.action == .disable)
            #expect(body.details["before"] == .object(["isEnabled": .bool(true)]))
            #expect(body.details["after"] == .object(["isEnabled": .bool(false)]))
        }
        guard case .object(let whole) = street.house.gatewayLog.last?.body.details["after"] else {
            return _ = Issue.record("the gateway's log does not contain the changes")
        }
        #expect(whole["defaultPropertyId"] == .id(street.otherProperty) && whole["firstName"] != nil)
    }

    // MARK: - Random changes

    @Test(
        "the place of a record belongs to its log's portfolio, and the record contains no place of another portfolio",
        arguments: 1...6)
    func always(seed: UInt64) async throws {
        let street = try await Street(seed: seed)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<120 {
            // A step that is not allowed is rejected, and changes nothing.
            do { try await Self.step(street, &random) } catch is GatewayError {}
        }
        let tenancy = street.house.control.directory.current
        let portfolios = [street.house.ids.portfolio, street.house.ids.otherPortfolio]
        var seen = 0
        for portfolio in portfolios {
            let foreign = Self.places(of: portfolios.filter { $0 != portfolio }, in: tenancy)
            for record in street.house.store.log(.portfolio(portfolio)) {
                let body = record.body
                #expect(body.portfolioID == nil || body.portfolioID == portfolio)
                #expect(body.propertyID.map { tenancy.property($0)?.portfolioID == portfolio } ?? true)
                #expect(body.unitID.map { tenancy.unit($0)?.portfolioID == portfolio } ?? true)
                let named = Self.texts(.object(body.details)) + [body.target?.id].compactMap(\.self)
                #expect(foreign.isDisjoint(with: named), "\(body)")
                seen += body.action == .move ? 1 : 0
            }
        }
        #expect(seen > 5)
    }

    /// Performs one random step: a change of the tenancy, a command or a report, for any device, unit or property.
    private static func step(_ street: Street, _ random: inout SeededGenerator) async throws {
        let (house, ids) = (street.house, street.house.ids)
        let tenancy = house.control.directory.current
        let portfolios = [ids.portfolio, ids.otherPortfolio]
        let properties = portfolios.flatMap { tenancy.propertyIDs(of: $0) }
        let units = properties.flatMap { tenancy.unitIDs(of: $0) }
        let device = tenancy.deviceIDs.randomElement(using: &random) ?? ids.door
        let person =
            [ids.owner, ids.tenant, ids.stranger, ids.superAdmin, ids.managers[0]].randomElement(using: &random) ?? ids.owner
        let property = properties.randomElement(using: &random) ?? .nonexistent
        let unit = units.randomElement(using: &random) ?? .nonexistent
        switch Int.random(in: 0..<12, using: &random) {
        case 0...2: try await street.move(device, by: ids.owner) { $0.propertyID = .set(property) }
        case 3:
            try await street.move(device, by: ids.owner) {
                ($0.propertyID, $0.unitID, $0.name) = (
                    .set(property), .set(unit), "Door \(UInt8.random(in: 0...99, using: &random))"
                )
            }
        case 4: try await street.move(device, by: ids.owner) { $0.propertyID = .cleared }
        case 5: try await street.move(device, by: ids.superAdmin) { $0.propertyID = .set(property) }
        case 6:
            _ = try await house.control.portfolios.createUnit(
                house.caller(ids.owner), in: property, NewUnit(name: "New", tenants: [ids.tenant], devices: [device]),
                repeatable: nil)
        case 7:
            var changes = UserChanges(isEnabled: Bool.random(using: &random))
            (changes.defaultPropertyID, changes.defaultUnitID) = (.set(property), .set(unit))
            _ = try await house.control.users.update(house.caller(ids.superAdmin), ids.tenant, changes)
        case 8: _ = try await house.run(by: person, on: device)
        case 9: house.adapter.report(Bool.random(using: &random) ? .locked : .unlocked, method: .key, from: device)
        case 10:
            let now = house.clock.now()
            _ = try await house.control.guestAccesses.grant(
                house.caller(person),
                NewGuestAccess(
                    guestUserID: .some(ids.guest), label: nil, propertyID: nil, unitID: nil,
                    deviceIDs: [device, tenancy.deviceIDs.randomElement(using: &random) ?? device], operations: [.unlock],
                    window: GuestWindow(validFrom: now, validUntil: now.advanced(by: .seconds(600)))), repeatable: nil)
        default:
            try await house.control.attachedDevices.detach(
                house.caller(person), tenancy.deviceIDs.count > 2 ? device : .nonexistent)
        }
    }

    /// Returns the ids of the portfolios and of their properties and units, as records contain them.
    private static func places(of portfolios: [PortfolioID], in tenancy: TenancyDirectory) -> Set<String> {
        let properties = portfolios.flatMap { tenancy.propertyIDs(of: $0) }
        let units = properties.flatMap { tenancy.unitIDs(of: $0) }
        return Set(portfolios.map(\.description) + properties.map(\.description) + units.map(\.description))
    }

    private static func texts(_ value: RecordValue) -> [String] {
        switch value {
        case .string(let text), .personal(let text, _): [text]
        case .array(let values): values.flatMap(texts)
        case .object(let members): members.values.flatMap(texts)
        case .null, .bool, .integer, .withheld: []
        }
    }
}

extension RecordValue {
    fileprivate static func id<Entity>(_ id: EntityID<Entity>?) -> RecordValue { id.map { .string($0.description) } ?? .null }
}
