import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting

/// Random changes of a tenancy, all of them valid: parents exist, and email addresses differ.
struct RandomTenancy {
    private var random: SeededGenerator
    private(set) var changes: [TenancyChange] = [] { didSet { changes.last.map { forms[$0.entity] = $0 } } }
    /// The last change of each entity.
    private var forms: [TenancyEntity: TenancyChange] = [:]
    private var portfolios: [PortfolioID] = []
    private var properties: [Property] = []
    private var units: [Unit] = []
    private var devices: [DeviceID] = []
    private var users: [UserID] = []
    private var associations: [UserRoleAssociation] = []
    private var keys: [APIKeyID] = []
    private var invitations: [InvitationID] = []
    private var guestAccesses: [GuestAccessID] = []

    init(seed: UInt64, steps: Int) {
        random = SeededGenerator(seed: seed)
        putPortfolio()
        putUser()
        for _ in 0..<steps { step() }
    }

    private mutating func step() {
        switch Int.random(in: 0..<25, using: &random) {
        case 0: putPortfolio()
        case 1, 2: putProperty()
        case 3, 4: putUnit()
        case 5, 6: putDevice()
        case 7: putUser()
        case 8, 9: putAssociation()
        case 10: removeAssociation()
        case 11: removeDevice()
        case 12, 13, 14: removeUnreferenced()
        case 15: putAPIKey()
        case 16: removeAPIKey()
        case 17: putInvitation()
        case 18: removeInvitation()
        case 19, 20: putGuestLink()
        case 21: removeGuestLink()
        default: putGuestAccess()
        }
    }

    // MARK: Values

    private mutating func id<Entity>() -> EntityID<Entity> { EntityID(high: random.next(), low: random.next()) }
    private mutating func flag() -> Bool { Bool.random(using: &random) }
    private mutating func instant() -> Timestamp { Timestamp(milliseconds: Int64.random(in: -1 << 45...1 << 45, using: &random)) }

    private mutating func text() -> String {
        let alphabet = ["", "a", "Ünit", "'; DROP TABLE units; --", "\u{1}", "e\u{301}", "🔑", "%_", "\"", "\n"]
        return (0..<Int.random(in: 0...4, using: &random)).map { _ in alphabet[Int.random(in: 0..<10, using: &random)] }.joined()
    }

    private mutating func optionalText() -> String? { flag() ? text() : nil }

    /// Returns one of the ids, or sometimes a new one.
    private mutating func known<Entity>(_ ids: [EntityID<Entity>]) -> EntityID<Entity> {
        let id: EntityID<Entity> = id()
        return Int.random(in: 0..<3, using: &random) == 0 ? id : ids.randomElement(using: &random) ?? id
    }

    private mutating func json(depth: Int = 0) -> JSONValue {
        switch Int.random(in: 0..<(depth < 3 ? 7 : 5), using: &random) {
        case 0: .null
        case 1: .bool(flag())
        case 2: .integer(Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0..<64, using: &random))
        case 3: .number(Double.random(in: -1e9...1e9, using: &random))
        case 4: .string(text())
        case 5: .array((0..<Int.random(in: 0...30, using: &random)).map { _ in json(depth: depth + 1) })
        default: .object(object(depth: depth + 1))
        }
    }

    private mutating func object(depth: Int = 0) -> [String: JSONValue] {
        var object: [String: JSONValue] = [:]
        for _ in 0..<Int.random(in: 0...3, using: &random) { object[text()] = json(depth: depth) }
        return object
    }

    // MARK: Entities

    private mutating func putPortfolio() {
        var subscription = Subscription(
            tier: text(), modules: Set(SubscriptionModule.allCases.filter { _ in flag() }))
        for limit in SubscriptionLimit.allCases where flag() {
            subscription.limits[limit] = Int.random(in: 0...1_000_000_000, using: &random)
        }
        let portfolio = Portfolio(
            id: known(portfolios), name: text(), subscription: subscription,
            retention: Retention(days: flag() ? Int.random(in: 1...36_525, using: &random) : nil, legalHold: flag()),
            createdAt: instant(), updatedAt: instant())
        portfolios.append(portfolio.id)
        changes.append(.putPortfolio(portfolio))
    }

    private mutating func putProperty() {
        guard let portfolio = portfolios.randomElement(using: &random) else { return }
        let address = PostalAddress(
            street: optionalText(), city: optionalText(), state: optionalText(), postalCode: optionalText(),
            country: optionalText())
        let property = Property(
            id: known(properties.map(\.id)), name: text(), portfolioID: portfolio,
            address: flag() ? address : nil, defaultTimeZone: optionalText(),
            lockdown: flag() ? Lockdown(since: instant(), byUserID: flag() ? id() : nil, reason: optionalText()) : nil,
            createdAt: instant(), updatedAt: instant())
        properties.append(property)
        changes.append(.putProperty(property))
    }

    private mutating func putUnit() {
        guard let property = properties.randomElement(using: &random) else { return }
        let unit = Unit(
            id: known(units.map(\.id)), name: text(), propertyID: property.id, portfolioID: property.portfolioID,
            commonAreaAccessIDs: Array(devices.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random))),
            createdAt: instant(), updatedAt: instant())
        units.append(unit)
        changes.append(.putUnit(unit))
    }

    private mutating func putDevice() {
        let unit = flag() ? units.randomElement(using: &random) : nil
        let property = unit?.propertyID ?? (flag() ? properties.randomElement(using: &random)?.id : nil)
        var device = LockDevice(
            id: known(devices), name: text(), adapter: text(), address: object(),
            firmwareVersion: optionalText(),
            portfolioID: property.flatMap { id in properties.last { $0.id == id }?.portfolioID }, propertyID: property,
            unitID: unit?.id, isRemoteOperationEnabled: flag(),
            capabilities: LockCapabilities(rawValue: UInt16.random(in: 0...UInt16.max, using: &random)),
            settings: LockSettings(autoRelockSeconds: flag() ? Int.random(in: -1...600, using: &random) : nil),
            sealedCode: flag() ? [UInt8.random(in: .min ... .max, using: &random)] : nil,
            metadata: object(),
            createdAt: instant(), updatedAt: instant())
        for text in DeviceText.allCases { device.texts[text] = optionalText() }
        devices.append(device.id)
        changes.append(.putDevice(device))
    }

    private mutating func removeDevice() {
        guard let index = devices.indices.randomElement(using: &random) else { return }
        changes.append(.removeDevice(devices[index]))
    }

    /// Removes an entity of the hierarchy, a user or a guest access that no other entity refers to.
    private mutating func removeUnreferenced() {
        let referenced = Set(forms.values.flatMap(\.references))
        let removable = forms.values.compactMap(\.removal).filter { !referenced.contains($0.entity) }
        guard let removal = removable.sorted(by: { "\($0)" < "\($1)" }).randomElement(using: &random) else { return }
        switch removal.entity {
        // Earlier versions of entities may refer to the removed one.
        case .portfolio(let id):
            portfolios.removeAll { $0 == id }
            properties.removeAll { $0.portfolioID == id }
            units.removeAll { $0.portfolioID == id }
        case .property(let id):
            properties.removeAll { $0.id == id }
            units.removeAll { $0.propertyID == id }
        case .unit(let id): units.removeAll { $0.id == id }
        case .user(let id): users.removeAll { $0 == id }
        case .device, .association, .guestAccess, .guestLink, .apiKey, .invitation: break
        }
        changes.append(removal)
    }

    private mutating func putUser() {
        let user = User(
            id: known(users), email: "\(text())\(random.next())@Example.com", firstName: text(), lastName: text(),
            isEnabled: flag(), isSuperAdmin: flag(), defaultPortfolioID: flag() ? id() : nil,
            defaultPropertyID: flag() ? id() : nil,
            defaultUnitID: flag() ? id() : nil, hasCompliancePack: flag(), createdAt: instant(), updatedAt: instant())
        users.append(user.id)
        changes.append(.putUser(user))
    }

    private mutating func putAssociation() {
        let entities: [AssociatedEntity] =
            portfolios.map { .portfolio($0) } + properties.map { .property($0.id) } + units.map { .unit($0.id) }
        guard let entity = entities.randomElement(using: &random), let user = users.randomElement(using: &random) else { return }
        let role = entity.type.assignableRoles.sorted { $0.rank < $1.rank }.randomElement(using: &random) ?? .owner
        let association = UserRoleAssociation(
            id: id(), userID: user, entity: entity, role: role, createdAt: instant(), updatedAt: instant())
        associations.append(association)
        changes.append(.putAssociation(association))
    }

    private mutating func digest() -> [UInt8] {
        (0..<4).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
    }

    private mutating func putAPIKey() {
        guard let user = users.randomElement(using: &random), let like = associations.randomElement(using: &random) else {
            return
        }
        let key = APIKey(
            id: known(keys), name: text(), userID: user, parentID: flag() ? known(keys) : nil, entity: like.entity,
            role: like.role, digest: digest(), createdAt: instant(), expiresAt: instant())
        keys.append(key.id)
        changes.append(.putAPIKey(key))
    }

    private mutating func removeAPIKey() {
        if let id = keys.randomElement(using: &random) { changes.append(.removeAPIKey(id)) }
    }

    private mutating func putInvitation() {
        guard let user = users.randomElement(using: &random), let like = associations.randomElement(using: &random) else {
            return
        }
        let invitation = Invitation(
            id: known(invitations), email: "\(text())@Example.com",
            offer: flag() ? .role(like.role, on: like.entity) : .account(like.userID), userID: user,
            keyID: flag() ? known(keys) : nil, digest: digest(), createdAt: instant(), expiresAt: instant())
        invitations.append(invitation.id)
        changes.append(.putInvitation(invitation))
    }

    private mutating func removeInvitation() {
        if let id = invitations.randomElement(using: &random) { changes.append(.removeInvitation(id)) }
    }

    private mutating func putGuestLink() {
        guard let access = guestAccesses.randomElement(using: &random), forms[.guestAccess(access)]?.isPut == true else { return }
        let link = GuestLink(accessID: access, userID: EntityID(high: 1, low: 2), digest: digest(), createdAt: instant())
        changes.append(.putGuestLink(link))
    }

    private mutating func removeGuestLink() {
        if let access = guestAccesses.randomElement(using: &random) { changes.append(.removeGuestLink(of: access)) }
    }

    private mutating func removeAssociation() {
        guard let index = associations.indices.randomElement(using: &random) else { return }
        changes.append(.removeAssociation(associations.remove(at: index).id))
    }

    private mutating func schedule() -> Schedule {
        func minute(_ random: inout SeededGenerator) -> Int { Int.random(in: 0...1440, using: &random) }
        func period(_ random: inout SeededGenerator) -> Schedule.Period {
            Schedule.period(Weekday.allCases.filter { _ in Bool.random(using: &random) }, minute(&random), minute(&random))
        }
        return Schedule(
            timeZone: flag() ? "Europe/Rome" : nil,
            periods: (0..<Int.random(in: 0...2, using: &random)).map { _ in period(&random) },
            specialDays: (0..<Int.random(in: 0...2, using: &random)).map { _ in
                Schedule.SpecialDay(
                    date: CivilDate(daysSinceEpoch: Int64.random(in: 0...40_000, using: &random)),
                    periods: flag() ? [period(&random).hours] : [])
            }, specialDayCut: flag() ? .instant : .start)
    }

    private mutating func putGuestAccess() {
        guard let property = properties.randomElement(using: &random), let grantor = associations.randomElement(using: &random)
        else { return }
        let from = instant()
        let unit = flag() ? units.filter { $0.propertyID == property.id }.randomElement(using: &random) : nil
        let opened = Array(devices.shuffled(using: &random).prefix(3))
        let carriers = opened.map { device in (device, associations.shuffled(using: &random).prefix(flag() ? 1 : 2).map(\.id)) }
        let access: GuestAccessID = id()
        guestAccesses.append(access)
        changes.append(
            .putGuestAccess(
                GuestAccess(
                    id: access, guestUserID: flag() ? users.randomElement(using: &random) : nil, label: optionalText(),
                    propertyID: property.id, unitID: unit?.id, deviceIDs: opened,
                    operations: LockOperation.allCases.filter { _ in flag() },
                    window: GuestWindow(validFrom: from, validUntil: from.advanced(by: .seconds(60))),
                    resolution: WindowResolution(
                        timeZone: optionalText(), validFrom: flag() ? ClockChange.none : .gap,
                        validUntil: flag() ? ClockChange.none : .overlap),
                    schedule: flag() ? schedule() : nil, maxUses: flag() ? Int.random(in: 0...9, using: &random) : nil,
                    grantedByUserID: grantor.userID, grantedUnderAssociationID: grantor.id, grantedUnderRole: grantor.role,
                    carriersByDevice: flag() ? Dictionary(carriers) { $0 + $1 } : nil,
                    widenedUnder: flag() ? associations.shuffled(using: &random).prefix(2).map(\.id) : [],
                    revokedAt: flag() ? instant() : nil, createdAt: instant())))
    }
}

extension TenancyChange {
    /// The entities that must exist for the changed one to exist; empty for a removal.
    fileprivate var references: [TenancyEntity] {
        switch self {
        case .putProperty(let property): [.portfolio(property.portfolioID)]
        case .putUnit(let unit): [.portfolio(unit.portfolioID), .property(unit.propertyID)]
        case .putDevice(let device):
            [
                device.portfolioID.map { .portfolio($0) }, device.propertyID.map { .property($0) },
                device.unitID.map { .unit($0) },
            ].compactMap(\.self)
        case .putAssociation(let association): [.user(association.userID), Self.entity(association.entity)]
        case .putAPIKey(let key): [.user(key.userID), Self.entity(key.entity)]
        case .putInvitation(let invitation):
            [
                .user(invitation.userID), invitation.accountID.map { .user($0) }, invitation.entity.map { Self.entity($0) },
            ].compactMap(\.self)
        case .putGuestAccess(let access):
            [.property(access.propertyID), access.unitID.map { .unit($0) }, access.guestUserID.map { .user($0) }]
                .compactMap(\.self)
        case .putGuestLink(let link): [.guestAccess(link.accessID)]
        default: []
        }
    }

    fileprivate var isPut: Bool { if case .putGuestAccess = self { true } else { false } }

    private static func entity(_ entity: AssociatedEntity) -> TenancyEntity {
        switch entity {
        case .portfolio(let id): .portfolio(id)
        case .property(let id): .property(id)
        case .unit(let id): .unit(id)
        }
    }

    /// The removal of the entity that the change has put; `nil` for devices and associations, which have tests of their own.
    fileprivate var removal: TenancyChange? {
        switch self {
        case .putPortfolio(let portfolio): .removePortfolio(portfolio.id)
        case .putProperty(let property): .removeProperty(property.id)
        case .putUnit(let unit): .removeUnit(unit.id)
        case .putUser(let user): .removeUser(user.id)
        case .putGuestAccess(let access): .removeGuestAccess(access.id)
        default: nil
        }
    }
}
