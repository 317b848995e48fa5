import DoorwardDomain
import DoorwardPolicy

/// One entity of each kind, with a value in every field.
struct FullTenancy: Sendable {
    var portfolio: Portfolio
    var property: Property
    var unit: Unit
    var device: LockDevice
    var user: User
    var association: UserRoleAssociation
    var guestAccess: GuestAccess
    var apiKey: APIKey
    var invitation: Invitation
    var accountInvitation: Invitation
    var guestLink: GuestLink

    init(seed: UInt64, at: Timestamp = Timestamp(milliseconds: 1_795_248_000_000)) {
        func id<Entity>(_ low: UInt64, _: Entity.Type = Entity.self) -> EntityID<Entity> { EntityID(high: seed, low: low) }
        let later = at.advanced(by: .seconds(60))
        let metadata: [String: JSONValue] = ["rooms": .array([.integer(2), .string("b")]), "since": .number(1.5)]
        portfolio = Portfolio(
            id: id(1), name: "Oak Street",
            subscription: Subscription(
                tier: "gold", modules: [.guestAccess, .webhooks],
                limits: [.maxProperties: 1, .maxUnits: 2, .maxDevices: 3, .maxActiveGuestAccess: 4]),
            retention: Retention(days: 30, legalHold: true), createdAt: at, updatedAt: later)
        property = Property(
            id: id(2), name: "No. 5", portfolioID: portfolio.id,
            address: PostalAddress(street: "Oak Street 5", city: "Ulm", state: "BW", postalCode: "89073", country: "DE"),
            defaultTimeZone: "Europe/Berlin", lockdown: Lockdown(since: later, byUserID: id(5), reason: "Alarm"),
            createdAt: at, updatedAt: later)
        unit = Unit(
            id: id(3), name: "2B", propertyID: property.id, portfolioID: portfolio.id, commonAreaAccessIDs: [id(4), id(40)],
            createdAt: at, updatedAt: later)
        device = LockDevice(
            id: id(4), name: "Flat door", adapter: "scripted", address: ["topic": .string("locks/4")],
            texts: [.manufacturer: "Acme", .model: "One", .notes: "Key box left of the gate"], firmwareVersion: "1.2",
            portfolioID: portfolio.id, propertyID: property.id, unitID: unit.id,
            capabilities: [.lock, .unlock], settings: LockSettings(autoRelockSeconds: 30), sealedCode: [7, 0, 255],
            metadata: metadata, createdAt: at,
            updatedAt: later)
        user = User(
            id: id(5), email: "ada\(seed)@example.com", firstName: "Ada", lastName: "Lovelace", isSuperAdmin: true,
            defaultPortfolioID: portfolio.id, defaultPropertyID: property.id, defaultUnitID: unit.id, hasCompliancePack: true,
            createdAt: at, updatedAt: later)
        association = UserRoleAssociation(
            id: id(6), userID: user.id, entity: .unit(unit.id), role: .tenant, createdAt: at, updatedAt: later)
        guestAccess = GuestAccess(
            id: id(7), guestUserID: user.id, label: "Courier", propertyID: property.id, unitID: unit.id,
            deviceIDs: [device.id, id(41)], operations: [.lock, .unlock], window: GuestWindow(validFrom: at, validUntil: later),
            resolution: WindowResolution(timeZone: "Europe/Oslo", validFrom: .gap, validUntil: .overlap), schedule: .full,
            maxUses: 7,
            grantedByUserID: user.id, grantedUnderAssociationID: association.id, grantedUnderRole: .tenant,
            carriersByDevice: [device.id: [association.id, id(42)], id(41): [id(42)]], widenedUnder: [id(42)],
            revokedAt: later, createdAt: at)
        apiKey = APIKey(
            id: id(8), name: "Robot", userID: user.id, parentID: id(43), entity: .property(property.id), role: .maintenance,
            digest: [1, UInt8(truncatingIfNeeded: seed)], createdAt: at, expiresAt: later)
        invitation = Invitation(
            id: id(9), email: "Grace\(seed)@example.com", offer: .role(.auditor, on: .portfolio(portfolio.id)), userID: user.id,
            keyID: apiKey.id, digest: [2, UInt8(truncatingIfNeeded: seed)], createdAt: at, expiresAt: later)
        accountInvitation = Invitation(
            id: id(10), email: user.email, offer: .account(user.id), userID: user.id,
            digest: [3, UInt8(truncatingIfNeeded: seed)], createdAt: at, expiresAt: later)
        guestLink = GuestLink(
            accessID: guestAccess.id, userID: user.id, keyID: apiKey.id, digest: [4, UInt8(truncatingIfNeeded: seed)],
            createdAt: later)
    }

    /// All entities, parents before children.
    var changes: [TenancyChange] {
        [
            .putPortfolio(portfolio), .putProperty(property), .putUnit(unit), .putDevice(device), .putUser(user),
            .putAssociation(association), .putGuestAccess(guestAccess), .putAPIKey(apiKey), .putInvitation(invitation),
            .putInvitation(accountInvitation), .putGuestLink(guestLink),
        ]
    }
}

extension Schedule {
    /// A schedule with a value in every field.
    static let full = Schedule(
        timeZone: "Europe/Rome",
        periods: [
            period([.monday, .sunday], 9 * 60, 17 * 60), period([.friday], 22 * 60, 6 * 60), period([], 0, 24 * 60),
        ],
        specialDays: [
            SpecialDay(date: CivilDate(daysSinceEpoch: 20_812), periods: []),
            SpecialDay(date: CivilDate(daysSinceEpoch: 0), periods: [period([], 30, 31).hours, period([], 0, 24 * 60).hours]),
        ], specialDayCut: .start)

    /// A period between two minutes of the day.
    static func period(_ days: [Weekday], _ from: Int, _ until: Int) -> Period {
        func time(_ minute: Int) -> LocalTime { LocalTime(hour: minute / 60, minute: minute % 60) ?? .endOfDay }
        return Period(days: WeekdaySet(days), from: time(from), until: time(until))
    }
}
