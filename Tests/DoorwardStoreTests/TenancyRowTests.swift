import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardStore

/// A variant of a `FullTenancy` that differs in one value.
struct TenancyVariant: Sendable, CustomStringConvertible {
    let description: String
    let change: @Sendable (inout FullTenancy) -> Void

    init(_ description: String, _ change: @escaping @Sendable (inout FullTenancy) -> Void) {
        (self.description, self.change) = (description, change)
    }

    static let all = missing + flags + lists + schedules + addresses

    /// Variants in each of which one optional field is missing.
    private static let missing = [
        TenancyVariant("a property without a time zone") { $0.property.defaultTimeZone = nil },
        TenancyVariant("a property without a lockdown") { $0.property.lockdown = nil },
        TenancyVariant("a lockdown without a user") {
            $0.property.lockdown = Lockdown(since: $0.property.createdAt, byUserID: nil, reason: "Alarm")
        },
        TenancyVariant("a lockdown without a reason") {
            $0.property.lockdown = Lockdown(since: $0.property.createdAt, byUserID: $0.user.id)
        },
        TenancyVariant("a portfolio without a limit of units") { $0.portfolio.subscription.limits[.maxUnits] = nil },
        TenancyVariant("a portfolio without limits") { $0.portfolio.subscription.limits = [:] },
        TenancyVariant("a portfolio without modules") { $0.portfolio.subscription.modules = [] },
        TenancyVariant("a portfolio of another tier") { $0.portfolio.subscription.tier = "" },
        TenancyVariant("a portfolio that keeps its log") { $0.portfolio.retention.days = nil },
        TenancyVariant("a device without a manufacturer") { $0.device.texts[.manufacturer] = nil },
        TenancyVariant("a device without a model") { $0.device.texts[.model] = nil },
        TenancyVariant("a device without notes") { $0.device.texts[.notes] = nil },
        TenancyVariant("a device without a firmware version") { $0.device.firmwareVersion = nil },
        TenancyVariant("a device of a property") { $0.device.unitID = nil },
        TenancyVariant("a device of a portfolio") { ($0.device.propertyID, $0.device.unitID) = (nil, nil) },
        TenancyVariant("a device of no portfolio") {
            ($0.device.portfolioID, $0.device.propertyID, $0.device.unitID) = (nil, nil, nil)
        },
        TenancyVariant("a device without a sealed code") { $0.device.sealedCode = nil },
        TenancyVariant("a device with an empty sealed code") { $0.device.sealedCode = [] },
        TenancyVariant("a device that never relocks") { $0.device.settings.autoRelockSeconds = nil },
        TenancyVariant("a user without a default portfolio") { $0.user.defaultPortfolioID = nil },
        TenancyVariant("a user without a default property") { $0.user.defaultPropertyID = nil },
        TenancyVariant("a user without a default unit") { $0.user.defaultUnitID = nil },
        TenancyVariant("a guest without an account") { $0.guestAccess.guestUserID = nil },
        TenancyVariant("a guest without a label") { $0.guestAccess.label = nil },
        TenancyVariant("a guest of the whole property") { $0.guestAccess.unitID = nil },
        TenancyVariant("a guest whose access is not revoked") { $0.guestAccess.revokedAt = nil },
        TenancyVariant("a guest without a schedule") { $0.guestAccess.schedule = nil },
        TenancyVariant("a guest with any number of uses") { $0.guestAccess.maxUses = nil },
        TenancyVariant("a guest without a zone") { $0.guestAccess.resolution.timeZone = nil },
        TenancyVariant("a guest without local times") { $0.guestAccess.resolution = .asGiven },
        TenancyVariant("a guest without restrictions") {
            ($0.guestAccess.schedule, $0.guestAccess.maxUses, $0.guestAccess.resolution) = (nil, nil, .asGiven)
        },
    ]

    private static let flags = [
        TenancyVariant("a device without remote operation") { $0.device.isRemoteOperationEnabled = false },
        TenancyVariant("a device without capabilities") { $0.device.capabilities = [] },
        TenancyVariant("a device with unknown capabilities") {
            $0.device.capabilities = LockCapabilities(rawValue: .max)
        },
        TenancyVariant("a device that relocks at once") { $0.device.settings.autoRelockSeconds = 0 },
        TenancyVariant("a device that relocks very late") { $0.device.settings.autoRelockSeconds = .max },
        TenancyVariant("a portfolio without a legal hold") { $0.portfolio.retention.legalHold = false },
        TenancyVariant("a portfolio that may have no unit") { $0.portfolio.subscription.limits[.maxUnits] = 0 },
        TenancyVariant("a user who is disabled") { $0.user.isEnabled = false },
        TenancyVariant("a user who is not a super admin") { $0.user.isSuperAdmin = false },
        TenancyVariant("a user without the compliance pack") { $0.user.hasCompliancePack = false },
    ]

    private static let lists = [
        TenancyVariant("a unit without common-area devices") { $0.unit.commonAreaAccessIDs = [] },
        TenancyVariant("a unit with a repeated device") { $0.unit.commonAreaAccessIDs = [$0.device.id, $0.device.id] },
        TenancyVariant("a unit with a thousand common-area devices") {
            $0.unit.commonAreaAccessIDs = (0..<1000).map { DeviceID(high: .max, low: 1000 - $0) }
        },
        TenancyVariant("a guest without devices") { $0.guestAccess.deviceIDs = [] },
        TenancyVariant("a guest with two associations for a device") {
            let (one, other) = (AssociationID(high: 1, low: .max), AssociationID(high: .max, low: 1))
            $0.guestAccess = $0.guestAccess.carried { $0 == 0 ? [one, other] : [one] }
        },
        TenancyVariant("a guest with no association for any device") { $0.guestAccess = $0.guestAccess.carried { _ in [] } },
        TenancyVariant("a guest without operations") { $0.guestAccess.operations = [] },
        TenancyVariant("a guest with all operations, in another order") {
            $0.guestAccess.operations = LockOperation.allCases.reversed()
        },
        TenancyVariant("a device without an address") { $0.device.address = [:] },
        TenancyVariant("a device without metadata") { $0.device.metadata = [:] },
        TenancyVariant("an address with integers of every length") {
            $0.device.address = ["a": .array((0..<300).map { .integer(1 << ($0 % 63)) }), "": .string("")]
        },
    ]

    private static let schedules =
        [
            Schedule(periods: []), Schedule(timeZone: "", periods: []), Schedule(periods: [], specialDayCut: .start),
            Schedule(periods: [Schedule.period(Weekday.allCases, 0, 0)]), Schedule(periods: [Schedule.period([], 1439, 1440)]),
            Schedule(periods: [], specialDays: [Schedule.SpecialDay(date: CivilDate(daysSinceEpoch: 1), periods: [])]),
            Schedule(periods: Schedule.full.periods.reversed(), specialDays: Schedule.full.specialDays),
        ].enumerated().map { index, schedule in
            TenancyVariant("a guest with schedule \(index)") { $0.guestAccess.schedule = schedule }
        }
        + ClockChange.allCases.map { resolution in
            TenancyVariant("a guest from a time that is \(resolution.rawValue)") {
                $0.guestAccess.resolution.validFrom = resolution
                $0.guestAccess.resolution.validUntil = resolution
            }
        }
        + [0, 1, Int.max].map { (max: Int) in TenancyVariant("a guest with \(max) uses") { $0.guestAccess.maxUses = max } }

    /// The address may be missing, and an address may have empty fields.
    private static let addresses =
        [
            TenancyVariant("a property without an address") { $0.property.address = nil },
            TenancyVariant("a property with an empty address") { $0.property.address = PostalAddress() },
            TenancyVariant("only an empty street") { $0.property.address = PostalAddress(street: "") },
            TenancyVariant("only a city") { $0.property.address = PostalAddress(city: "Ulm") },
            TenancyVariant("only a state") { $0.property.address = PostalAddress(state: "BW") },
            TenancyVariant("only a postal code") { $0.property.address = PostalAddress(postalCode: "007") },
            TenancyVariant("only a country") { $0.property.address = PostalAddress(country: "DE") },
        ]
        + Role.allCases.map { role in
            TenancyVariant("a guest access granted by \(role.rawValue)") { tenancy in
                let access = tenancy.guestAccess
                tenancy.guestAccess = GuestAccess(
                    id: access.id, guestUserID: access.guestUserID, propertyID: access.propertyID, deviceIDs: access.deviceIDs,
                    operations: access.operations, window: access.window, grantedByUserID: access.grantedByUserID,
                    grantedUnderAssociationID: access.grantedUnderAssociationID, grantedUnderRole: role,
                    createdAt: access.createdAt)
            }
        }
}

extension GuestAccess {
    /// Returns a copy of the access with other associations for each device. `carriers` gets the device's index.
    fileprivate func carried(_ carriers: (Int) -> [AssociationID]) -> GuestAccess {
        GuestAccess(
            id: id, guestUserID: guestUserID, label: label, propertyID: propertyID, unitID: unitID, deviceIDs: deviceIDs,
            operations: operations, window: window, resolution: resolution, schedule: schedule, maxUses: maxUses,
            grantedByUserID: grantedByUserID, grantedUnderAssociationID: grantedUnderAssociationID,
            grantedUnderRole: grantedUnderRole,
            carriersByDevice: Dictionary(uniqueKeysWithValues: deviceIDs.enumerated().map { ($0.element, carriers($0.offset)) }),
            revokedAt: revokedAt, createdAt: createdAt)
    }
}

/// The rows of the tenancy, with a variant of every field.
@Suite struct TenancyRowTests {
    @Test(
        "Updates that change one value of an entity, or change it back, are stored exactly",
        arguments: TenancyVariant.all)
    func oneThing(_ variant: TenancyVariant) async throws {
        let database = try TemporaryDatabase()
        let full = FullTenancy(seed: 1)
        var other = full
        variant.change(&other)
        #expect(Set(other.changes) != Set(full.changes), "the variant differs from the full tenancy")
        var store = try database.open()
        // A missing value replaces a stored one, and a stored one replaces a missing one.
        for tenancy in [full, other, full, other] {
            _ = try await store.commit(StoreTransaction(changes: tenancy.changes))
            #expect(try await tenancy.changes == load(store))
        }
        try await store.close()
        store = try database.open()
        #expect(try await other.changes == load(store))
        try await store.close()
    }

    @Test(
        "The earliest and latest instants that a column can contain are read back to the millisecond",
        arguments: [
            Timestamp.storedMilliseconds.lowerBound, -1, 0, 1, 999, 253_402_300_799_999, Timestamp.storedMilliseconds.upperBound,
        ])
    func instants(milliseconds: Int64) async throws {
        let (database, at) = (try TemporaryDatabase(), Timestamp(milliseconds: milliseconds))
        var tenancy = FullTenancy(seed: 2)
        tenancy.portfolio = Portfolio(id: tenancy.portfolio.id, name: "a", createdAt: at, updatedAt: at)
        tenancy.user.updatedAt = at
        tenancy.device.updatedAt = at
        tenancy.guestAccess.revokedAt = at
        let access = tenancy.guestAccess
        tenancy.guestAccess = GuestAccess(
            id: access.id, guestUserID: nil, propertyID: access.propertyID, deviceIDs: [], operations: [],
            window: GuestWindow(validFrom: at, validUntil: Timestamp(milliseconds: Timestamp.storedMilliseconds.upperBound)),
            grantedByUserID: tenancy.user.id, grantedUnderAssociationID: tenancy.association.id, grantedUnderRole: .owner,
            revokedAt: at, createdAt: at)
        let store = try database.open()
        _ = try await store.commit(StoreTransaction(changes: tenancy.changes))
        #expect(try await load(store) == tenancy.changes)
        try await store.close()
    }

    @Test(
        "Text is read back byte for byte: not normalized, trimmed or truncated",
        arguments: [
            "\u{E9}", "e\u{301}", "\u{212B}", "A\u{30A}", "\u{1E69}", "s\u{323}\u{307}", "s\u{307}\u{323}", "\u{AC00}",
            "\u{1100}\u{1161}", "\u{FB01}", "\u{202E}abc", "\u{FEFF}a", " a ", "\t\r\n", "'; DROP TABLE users; --", "%", "NULL",
            "0x00", "1e5", "\u{10FFFF}", "👩‍👩‍👧‍👦", String(repeating: "\u{1F511}", count: 30_000),
        ])
    func text(_ text: String) async throws {
        let database = try TemporaryDatabase()
        var tenancy = FullTenancy(seed: 3)
        (tenancy.portfolio.name, tenancy.property.name, tenancy.unit.name, tenancy.device.name) = (text, text, text, text)
        tenancy.property.address = PostalAddress(street: text, city: text, state: text, postalCode: text, country: text)
        (tenancy.user.firstName, tenancy.user.lastName, tenancy.user.email) = (text, text, text)
        (tenancy.device.address, tenancy.guestAccess.label) = ([text: .string(text)], text)
        let store = try database.open()
        _ = try await store.commit(StoreTransaction(changes: tenancy.changes))
        // Swift compares strings by canonical equivalence, but the bytes must be the same.
        let found = try await load(store).flatMap(texts)
        #expect(found.count == 15)
        #expect(found.allSatisfy { Array($0.utf8) == Array(text.utf8) })
        try await store.close()
    }

    @Test("Updating one entity changes no other row of its table", arguments: 0..<7)
    func neighbours(index: Int) async throws {
        let database = try TemporaryDatabase()
        let (left, right) = (FullTenancy(seed: 4), FullTenancy(seed: 5))
        var changed = right
        for variant in TenancyVariant.all where !variant.description.hasPrefix("a device of") { variant.change(&changed) }
        let store = try database.open()
        _ = try await store.commit(StoreTransaction(changes: left.changes + right.changes))
        _ = try await store.commit(StoreTransaction(changes: [changed.changes[index]]))
        var expected = right.changes
        expected[index] = changed.changes[index]
        #expect(try await Set(load(store)) == Set(left.changes + expected))
        try await store.close()
    }

    private func load(_ store: SQLiteStore) async throws -> [TenancyChange] {
        var changes: [TenancyChange] = []
        try await store.loadTenancy { changes.append($0) }
        return changes
    }

    /// Returns the texts of an entity that the test sets to `text`.
    private func texts(_ change: TenancyChange) -> [String] {
        switch change {
        case .putPortfolio(let portfolio): [portfolio.name]
        case .putProperty(let property):
            [property.name]
                + [
                    property.address?.street, property.address?.city, property.address?.state, property.address?.postalCode,
                    property.address?.country,
                ].compactMap(\.self)
        case .putUnit(let unit): [unit.name]
        case .putDevice(let device): [device.name] + device.address.keys + device.address.values.compactMap(\.string)
        case .putUser(let user): [user.firstName, user.lastName, user.email]
        case .putGuestAccess(let access): [access.label].compactMap(\.self)
        case .putAssociation, .removePortfolio, .removeProperty, .removeUnit, .removeDevice, .removeUser, .removeAssociation,
            .removeGuestAccess, .putAPIKey, .removeAPIKey, .putInvitation, .removeInvitation, .putGuestLink,
            .removeGuestLink:
            []
        }
    }
}

extension JSONValue {
    fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
}
