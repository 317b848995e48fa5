import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardStore
import DoorwardTesting
import Testing

/// One thing that is other than in a `FullTenancy`.
struct TenancyVariant: Sendable, CustomStringConvertible {
    let description: String
    let change: @Sendable (inout FullTenancy) -> Void

    init(_ description: String, _ change: @escaping @Sendable (inout FullTenancy) -> Void) {
        (self.description, self.change) = (description, change)
    }

    static let all = missing + flags + lists + addresses

    /// Each field that may be missing, by itself.
    private static let missing = [
        TenancyVariant("a property without a time zone") { $0.property.defaultTimeZone = nil },
        TenancyVariant("a device without a maker") { $0.device.manufacturer = nil },
        TenancyVariant("a device without a model") { $0.device.model = nil },
        TenancyVariant("a device without a firmware") { $0.device.firmwareVersion = nil },
        TenancyVariant("a device of a property") { $0.device.unitID = nil },
        TenancyVariant("a device of a portfolio") { ($0.device.propertyID, $0.device.unitID) = (nil, nil) },
        TenancyVariant("a device of nobody") {
            ($0.device.portfolioID, $0.device.propertyID, $0.device.unitID) = (nil, nil, nil)
        },
        TenancyVariant("a device without a code") { $0.device.sealedCode = nil },
        TenancyVariant("a device with an empty sealed code") { $0.device.sealedCode = [] },
        TenancyVariant("a device that relocks never") { $0.device.settings.autoRelockSeconds = nil },
        TenancyVariant("a user without a portfolio") { $0.user.defaultPortfolioID = nil },
        TenancyVariant("a user without a property") { $0.user.defaultPropertyID = nil },
        TenancyVariant("a user without a unit") { $0.user.defaultUnitID = nil },
        TenancyVariant("a guest without an account") { $0.guestAccess.guestUserID = nil },
        TenancyVariant("a guest without a label") { $0.guestAccess.label = nil },
        TenancyVariant("a guest of the whole property") { $0.guestAccess.unitID = nil },
        TenancyVariant("a guest who was not sent away") { $0.guestAccess.revokedAt = nil },
    ]

    private static let flags = [
        TenancyVariant("a device that is moved by hand alone") { $0.device.isRemoteOperationEnabled = false },
        TenancyVariant("a device that can nothing") { $0.device.capabilities = [] },
        TenancyVariant("a device that can more than this program knows") {
            $0.device.capabilities = LockCapabilities(rawValue: .max)
        },
        TenancyVariant("a device that relocks at once") { $0.device.settings.autoRelockSeconds = 0 },
        TenancyVariant("a device that relocks very late") { $0.device.settings.autoRelockSeconds = .max },
        TenancyVariant("a user who is disabled") { $0.user.isEnabled = false },
        TenancyVariant("a user like others") { $0.user.isSuperAdmin = false },
        TenancyVariant("a user without the pack") { $0.user.hasCompliancePack = false },
    ]

    private static let lists = [
        TenancyVariant("a unit that shares nothing") { $0.unit.commonAreaAccessIDs = [] },
        TenancyVariant("a unit that shares one device twice") { $0.unit.commonAreaAccessIDs = [$0.device.id, $0.device.id] },
        TenancyVariant("a unit that shares a thousand") {
            $0.unit.commonAreaAccessIDs = (0..<1000).map { DeviceID(high: .max, low: 1000 - $0) }
        },
        TenancyVariant("a guest without devices") { $0.guestAccess.deviceIDs = [] },
        TenancyVariant("a guest whose doors two tenancies carry") {
            let (one, other) = (AssociationID(high: 1, low: .max), AssociationID(high: .max, low: 1))
            $0.guestAccess = $0.guestAccess.carried { $0 == 0 ? [one, other] : [one] }
        },
        TenancyVariant("a guest whose doors nothing carries") { $0.guestAccess = $0.guestAccess.carried { _ in [] } },
        TenancyVariant("a guest who may do nothing") { $0.guestAccess.operations = [] },
        TenancyVariant("a guest who may do everything, in another order") {
            $0.guestAccess.operations = LockOperation.allCases.reversed()
        },
        TenancyVariant("a device without an address") { $0.device.address = [:] },
        TenancyVariant("a device without metadata") { $0.device.metadata = [:] },
        TenancyVariant("an address of every size of head") {
            $0.device.address = ["a": .array((0..<300).map { .integer(1 << ($0 % 63)) }), "": .string("")]
        },
    ]

    /// An address is there or not; and one that is there may hold nothing.
    private static let addresses =
        [
            TenancyVariant("a property without an address") { $0.property.address = nil },
            TenancyVariant("a property with an empty address") { $0.property.address = PostalAddress() },
            TenancyVariant("a street alone") { $0.property.address = PostalAddress(street: "") },
            TenancyVariant("a city alone") { $0.property.address = PostalAddress(city: "Ulm") },
            TenancyVariant("a state alone") { $0.property.address = PostalAddress(state: "BW") },
            TenancyVariant("a postal code alone") { $0.property.address = PostalAddress(postalCode: "007") },
            TenancyVariant("a country alone") { $0.property.address = PostalAddress(country: "DE") },
        ]
        + Role.allCases.map { role in
            TenancyVariant("a guest let in by \(role.rawValue)") { tenancy in
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
    /// The same, with what carries each device by its place in the list.
    fileprivate func carried(_ carriers: (Int) -> [AssociationID]) -> GuestAccess {
        GuestAccess(
            id: id, guestUserID: guestUserID, label: label, propertyID: propertyID, unitID: unitID, deviceIDs: deviceIDs,
            operations: operations, window: window, grantedByUserID: grantedByUserID,
            grantedUnderAssociationID: grantedUnderAssociationID, grantedUnderRole: grantedUnderRole,
            carriersByDevice: Dictionary(uniqueKeysWithValues: deviceIDs.enumerated().map { ($0.element, carriers($0.offset)) }),
            revokedAt: revokedAt, createdAt: createdAt)
    }
}

/// Every field of every entity, by itself.
@Suite struct TenancyRowTests {
    @Test(
        "An entity that differs in one thing is stored as it is, over the full one and back again", arguments: TenancyVariant.all)
    func oneThing(_ variant: TenancyVariant) async throws {
        let database = try TemporaryDatabase()
        let full = FullTenancy(seed: 1)
        var other = full
        variant.change(&other)
        #expect(Set(other.changes) != Set(full.changes), "the variant is one")
        var store = try database.open()
        // What is missing takes the place of what was there, and what is there the place of what was missing.
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
        "Instants at the ends of what 64 bits hold come back to the millisecond",
        arguments: [Int64.min, .min + 1, -1, 0, 1, 999, 253_402_300_799_999, .max - 1, .max])
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
            window: GuestWindow(validFrom: at, validUntil: Timestamp(milliseconds: .max)), grantedByUserID: tenancy.user.id,
            grantedUnderAssociationID: tenancy.association.id, grantedUnderRole: .owner, revokedAt: at, createdAt: at)
        let store = try database.open()
        _ = try await store.commit(StoreTransaction(changes: tenancy.changes))
        #expect(try await load(store) == tenancy.changes)
        try await store.close()
    }

    @Test(
        "Text comes back byte for byte: neither composed nor decomposed, neither trimmed nor cut",
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
        // Two texts are equal in Swift when they look the same; what is promised is the bytes.
        let found = try await load(store).flatMap(texts)
        #expect(found.count == 15)
        #expect(found.allSatisfy { Array($0.utf8) == Array(text.utf8) })
        try await store.close()
    }

    @Test("Putting one entity again touches no other of its table", arguments: 0..<7)
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

    /// Every text that `text` has put in.
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
        case .putAssociation, .removeAssociation, .removeDevice: []
        }
    }
}

extension JSONValue {
    fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
}
