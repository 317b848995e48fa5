import DoorwardDomain
import Testing

/// The properties of operations, states, capabilities, roles and windows, as tables written by hand.
@Suite struct LockTableTests {
    @Test(
        "Only movements require a capability",
        arguments: [
            (LockOperation.lock, true, .lock), (.unlock, true, .unlock), (.unlatch, true, .unlatch), (.viewStatus, false, nil),
            (.changeSettings, false, nil), (.viewAccessHistory, false, nil), (.grantAccess, false, nil), (.lockdown, false, nil),
        ] as [(LockOperation, Bool, LockCapabilities?)])
    func operations(operation: LockOperation, isMovement: Bool, needs: LockCapabilities?) {
        #expect(operation.isMovement == isMovement)
        #expect(operation.requiredCapability == needs)
        #expect(LockOperation.movements.contains(operation) == isMovement)
    }

    @Test(
        "Each state satisfies the operations that lead to it",
        arguments: [
            (LockState.locked, "LOCK"), (.unlocked, "UNLOCK"), (.unlatched, "UNLOCK UNLATCH"), (.locking, ""), (.unlocking, ""),
            (.jammed, ""), (.unknown, ""),
        ])
    func satisfied(state: LockState, operations: String) {
        let satisfied = LockOperation.allCases.filter(state.satisfies).map(\.rawValue)
        #expect(satisfied == operations.split(separator: " ").map(String.init))
    }

    @Test(
        "Each capability has the name and the bit with which locks are stored",
        arguments: [
            ("LOCK", 0), ("UNLOCK", 1), ("UNLATCH", 2), ("INTERMEDIATE_STATES", 3), ("JAM", 4), ("DOOR", 5), ("BATTERY", 6),
            ("OPERATOR", 7), ("FAILED_ATTEMPTS", 8), ("REFRESH", 9), ("SETTINGS", 10), ("ACCEPTS_CODE", 11),
        ] as [(String, UInt16)])
    func capability(name: String, bit: UInt16) {
        let capability = LockCapabilities(rawValue: 1 << bit)
        #expect(LockCapabilities(names: [name]) == capability)
        #expect(capability.names == [name])
        #expect(LockCapabilities.all.contains(capability))
        #expect(!LockCapabilities.all.subtracting(capability).names.contains(name))
    }

    @Test("Any set of capabilities can be written as names and read back")
    func sets() {
        for bits in 0..<(1 << 12) as Range<UInt16> {
            let set = LockCapabilities(rawValue: bits)
            #expect(LockCapabilities(names: set.names) == set)
            #expect(LockCapabilities(names: set.names.reversed() + set.names) == set)
            #expect(set.names.count == bits.nonzeroBitCount)
        }
    }

    @Test(
        "Exactly these roles can be assigned on each kind of entity",
        arguments: [
            (AssociatedEntityType.portfolio, [.owner, .portfolioAdmin, .auditor]),
            (.property, [.propertyManager, .maintenance, .auditor]), (.unit, [.tenant]),
        ] as [(AssociatedEntityType, [Role])])
    func assignable(type: AssociatedEntityType, roles: [Role]) {
        for role in Role.allCases { #expect(type.assignableRoles.contains(role) == roles.contains(role)) }
    }

    @Test("Every role has a different rank, and ranks count from 0")
    func ranks() { #expect(Role.allCases.map(\.rank).sorted() == Array(0..<8)) }

    @Test("Entities with the same bits are equal only if they are of the same kind")
    func entities() {
        let id = EntityID<AssociatedEntity>(high: 3, low: 4)
        let entities = AssociatedEntityType.allCases.map { AssociatedEntity(type: $0, id: id) }
        #expect(Set(entities).count == 3)
        #expect(entities == [.portfolio(id.cast()), .property(id.cast()), .unit(id.cast())])
        #expect(entities.allSatisfy { $0.id == id })
    }

    @Test(
        "A window includes its start, excludes its end, and is empty if it has no length",
        arguments: [
            (0, 10, -1, false), (0, 10, 0, true), (0, 10, 9, true), (0, 10, 10, false), (0, 10, 11, false), (0, 1, 0, true),
            (0, 1, 1, false), (5, 5, 5, false), (5, 5, 4, false), (10, 0, 5, false), (-10, 0, -1, true), (-10, 0, 0, false),
        ] as [(Int64, Int64, Int64, Bool)])
    func window(from: Int64, until: Int64, instant: Int64, isInside: Bool) {
        let window = GuestWindow(validFrom: Timestamp(milliseconds: from), validUntil: Timestamp(milliseconds: until))
        #expect(window.contains(Timestamp(milliseconds: instant)) == isInside)
    }

    @Test("Two adjacent windows contain every instant exactly once")
    func adjacent() {
        let (a, b) = (Timestamp(milliseconds: 0), Timestamp(milliseconds: 50))
        let windows = [
            GuestWindow(validFrom: a, validUntil: b), GuestWindow(validFrom: b, validUntil: Timestamp(milliseconds: 100)),
        ]
        for instant in 0..<100 as Range<Int64> {
            #expect(windows.count { $0.contains(Timestamp(milliseconds: instant)) } == 1)
        }
    }

    @Test("The longest window ends on the same day five years later, whatever leap days are between")
    func longest() throws {
        for year in 2000...2030 {
            let (start, end) = (
                try Timestamp(rfc3339: "\(year)-01-01T00:00:00Z"), try Timestamp(rfc3339: "\(year + 5)-01-01T00:00:00Z")
            )
            let window = GuestWindow(validFrom: start, validUntil: end)
            #expect(window.latestEnd(on: TimeZoneDatabase.system.utc) == end)
        }
    }
}
