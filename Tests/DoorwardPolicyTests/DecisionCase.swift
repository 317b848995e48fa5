import DoorwardDomain
import DoorwardPolicy
import Testing

/// A decision case: the facts about the house, the access request, and the expected decision.
struct DecisionCase: CustomTestStringConvertible, Sendable {
    let words: String
    let given: [Given]
    let operation: LockOperation
    let door: Door
    let instant: Duration
    let asker: Asker
    let override: Bool
    let answer: Answer

    /// - Parameter at: the time of the request, counted from `House.now`.
    init(
        _ words: String, _ given: [Given], _ operation: LockOperation = .unlock, _ door: Door = .flat, at: Duration = .zero,
        by asker: Asker = .person, override: Bool = false, is answer: Answer
    ) {
        (self.words, self.given, self.operation, self.door) = (words, given, operation, door)
        (instant, self.asker, self.override, self.answer) = (at, asker, override, answer)
    }

    var testDescription: String { words }

    /// Builds the house, decides the request, and compares the complete decision.
    func check(_ location: SourceLocation = #_sourceLocation) {
        let house = House(given)
        let principal: Principal =
            switch asker {
            case .person: .user(house.person)
            case .other: .user(house.other)
            case .nobody: .user(UserID(high: 9, low: 9))
            case .link(let number): .guestLink(GuestAccessID(high: 1, low: number))
            }
        let decision = house.decide(operation, on: house.id(of: door), at: instant, by: principal, override: override)
        #expect(decision == answer.decision, "\(words)", sourceLocation: location)
    }
}

/// The doors of the house, as seen by `person` as a tenant of the first unit.
enum Door: CaseIterable {
    case flat, other, front, cellar, unassigned, unknown
}

/// The principal of the request.
enum Asker {
    case person, other, nobody
    case link(UInt64)
}

/// The expected decision, with instants counted from `House.now`.
enum Answer {
    case allowed(Rule)
    /// Allowed only because of the override.
    case overridden(Rule)
    case denied(
        DenialReason, reach: Bool = true, by: Rule? = nil, opens: Duration? = nil, closes: Duration? = nil,
        missing: Denial.Missing? = nil)

    /// The denial for a device that is not visible to the principal. It contains no details.
    static let hidden = Answer.denied(.noAssociation, reach: false)

    var decision: Decision {
        switch self {
        case .allowed(let rule): .allowed(rule, override: false)
        case .overridden(let rule): .allowed(rule, override: true)
        case .denied(let reason, let reach, let rule, let opens, let closes, let missing):
            .denied(
                Denial(
                    reason, hasReach: reach, rule: rule, opensAt: opens.map { House.now.advanced(by: $0) },
                    closesAt: closes.map { House.now.advanced(by: $0) }, missing: missing))
        }
    }
}

/// One fact about the house.
struct Given: Sendable {
    let apply: @Sendable (inout House) -> Void

    /// `person` has a role, on the usual entity for this role or on the given one.
    static func role(_ role: Role, _ number: UInt64 = 1, on type: AssociatedEntityType? = nil) -> Self {
        Self { house in house.assign(role, on: type.map(house.entity), number: number) }
    }

    /// The other user has a role, on the usual entity for this role.
    static func other(_ role: Role, _ number: UInt64) -> Self {
        Self { house in house.assign(role, number: number, to: house.other) }
    }

    /// The association with this number has been removed.
    static func removed(_ number: UInt64) -> Self {
        Self { house in house.directory.apply(.removeAssociation(AssociationID(high: 1, low: number))) }
    }

    /// `person` has a guest access to LOCK and UNLOCK that began one hour ago and ends in one hour,
    /// unless other values are given.
    static func guest(
        _ number: UInt64 = 1, at doors: [Door] = [.flat], _ operations: [LockOperation] = [.lock, .unlock],
        from: Duration = .seconds(-3600), until: Duration = .seconds(3600), under: (UInt64, Role) = (99, .propertyManager),
        revoked: Duration? = nil, created: Duration = .seconds(-7200), linkOnly: Bool = false
    ) -> Self {
        Self { house in
            house.admit(
                number: number, devices: doors.map(house.id), operations: operations, from: from, until: until,
                under: (under.0, under.1), revokedAt: revoked, createdAt: created, isLinkOnly: linkOnly)
        }
    }

    static let superAdmin = Self { house in house.put(user: house.person, isSuperAdmin: true) }
    static let disabled = Self { house in house.put(user: house.person, isEnabled: false) }
    static let disabledSuperAdmin = Self { house in house.put(user: house.person, isEnabled: false, isSuperAdmin: true) }

    /// The flat's door belongs to the unit, with the given properties.
    static func flatDoor(isRemote: Bool = true, _ capabilities: LockCapabilities = .all) -> Self {
        Self { house in house.put(device: house.flatDoor, unit: house.unit, isRemote: isRemote, capabilities: capabilities) }
    }

    /// The property is under lockdown.
    static let lockdown = Self { house in house.put(lockdown: Lockdown(since: House.now, byUserID: house.other)) }
    /// The lockdown of the property has ended.
    static let lifted = Self { house in house.put(lockdown: nil) }

    /// The portfolio's subscription has these modules.
    static func modules(_ modules: Set<SubscriptionModule>) -> Self {
        Self { house in
            house.directory.apply(
                .putPortfolio(
                    Portfolio(
                        id: house.portfolio, name: "P", subscription: Subscription(tier: "T", modules: modules),
                        createdAt: House.now, updatedAt: House.now)))
        }
    }

    /// The door belongs to the given unit.
    static func attached(_ door: Door, to unit: any KeyPath<House, UnitID> & Sendable) -> Self {
        Self { house in house.put(device: house.id(of: door), unit: house[keyPath: unit]) }
    }

    static func attachedToNoUnit(_ door: Door) -> Self { Self { house in house.put(device: house.id(of: door), unit: nil) } }
}

extension Rule {
    /// Returns the rule of a role that `Given.role` added.
    static func held(_ role: Role, _ number: UInt64 = 1) -> Rule { .association(AssociationID(high: 1, low: number), role) }

    /// Returns the rule of a guest access that `Given.guest` added.
    static func guest(_ number: UInt64 = 1) -> Rule { .guestAccess(GuestAccessID(high: 1, low: number)) }
}

extension Denial.Missing {
    static func role(_ role: Role) -> Self { Self(role: role) }
    static func operation(_ operation: LockOperation) -> Self { Self(operation: operation) }
    static func capability(_ name: String) -> Self { Self(capability: name) }
    static func module(_ name: String) -> Self { Self(module: name) }
}

extension House {
    init(_ given: [Given]) {
        self.init()
        for fact in given { fact.apply(&self) }
    }

    func id(of door: Door) -> DeviceID {
        switch door {
        case .flat: flatDoor
        case .other: otherDoor
        case .front: frontDoor
        case .cellar: cellar
        case .unassigned: unassigned
        case .unknown: DeviceID(high: 9, low: 9)
        }
    }

    /// Returns the entity of a type that contains the flat's door.
    func entity(_ type: AssociatedEntityType) -> AssociatedEntity {
        switch type {
        case .portfolio: .portfolio(portfolio)
        case .property: .property(property)
        case .unit: .unit(unit)
        }
    }
}
