import DoorwardDomain
import Testing

@Suite struct GuestWindowTests {
    private let window = GuestWindow(validFrom: Timestamp(milliseconds: 100), validUntil: Timestamp(milliseconds: 200))

    @Test("A window includes its start and excludes its end", arguments: [(99, false), (100, true), (199, true), (200, false)])
    func halfOpen(milliseconds: Int64, isInside: Bool) {
        #expect(window.contains(Timestamp(milliseconds: milliseconds)) == isInside)
    }

    @Test(
        "An access ends with its window, or with its revocation if that is earlier",
        arguments: [(nil, 200), (150, 150), (50, 50), (300, 200)] as [(Int64?, Int64)])
    func end(revokedAt: Int64?, end: Int64) {
        let access = GuestAccess(
            id: EntityID(high: 0, low: 1), guestUserID: nil, propertyID: EntityID(high: 0, low: 2), deviceIDs: [], operations: [],
            window: window, grantedByUserID: EntityID(high: 0, low: 3), grantedUnderAssociationID: EntityID(high: 0, low: 4),
            grantedUnderRole: .tenant, revokedAt: revokedAt.map(Timestamp.init(milliseconds:)),
            createdAt: Timestamp(milliseconds: 0))
        #expect(access.endsAt == Timestamp(milliseconds: end))
    }
}
