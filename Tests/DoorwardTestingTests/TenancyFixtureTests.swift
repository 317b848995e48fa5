import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@Suite struct TenancyFixtureTests {
    @Test("The same calls give the same tenancy, and another seed gives other ids")
    func seeded() {
        #expect(StoreFixture().entities.changes == StoreFixture().entities.changes)
        var (one, other) = (TenancyFixture(seed: 1), TenancyFixture(seed: 2))
        #expect(one.portfolio("Oak Street") != other.portfolio("Oak Street"))
    }

    @Test("Entities are in the directory at the place where they were added")
    func directory() throws {
        let fixture = StoreFixture()
        let directory = fixture.entities.directory
        #expect(directory.property(fixture.property)?.portfolioID == fixture.portfolio)
        #expect(directory.unit(fixture.unit)?.portfolioID == fixture.portfolio)
        #expect(directory.unit(fixture.unit)?.commonAreaAccessIDs == [fixture.frontDoor])
        let door = try #require(directory.device(fixture.flatDoor))
        #expect(door.portfolioID == fixture.portfolio)
        #expect(door.propertyID == fixture.property)
        #expect(door.unitID == fixture.unit)
        #expect(directory.association(fixture.tenancy)?.role == .tenant)
        #expect(directory.guestAccesses(on: fixture.flatDoor).map(\.grantedUnderAssociationID) == [fixture.tenancy])
    }

    @Test("Roles can be removed, users disabled, and devices left unassigned")
    func changes() {
        var entities = StoreFixture().entities
        let fixture = StoreFixture()
        entities.remove(fixture.tenancy)
        entities.change(fixture.ada) { $0.isEnabled = false }
        let spare = entities.device("Spare", in: .unassigned)
        let directory = entities.directory
        #expect(directory.association(fixture.tenancy) == nil)
        #expect(directory.user(fixture.ada)?.isEnabled == false)
        #expect(directory.deviceIDs.filter { directory.device($0)?.propertyID == nil } == [spare])
    }

    @Test("A guest access can be revoked at an instant, and requires a role of the grantor and a device on a property")
    func guests() throws {
        var fixture = StoreFixture()
        let granted = fixture.entities.guestAccess(
            for: nil, label: "Plumber", to: [fixture.flatDoor], hours: 1..<2, under: fixture.tenancy)
        let access = try #require(granted)
        fixture.entities.revoke(access, at: fixture.at)
        let stored = try #require(fixture.entities.directory.guestAccess(access))
        #expect(stored.revokedAt == fixture.at)
        #expect(stored.window.validFrom == fixture.at.advanced(by: .seconds(3600)))
        #expect(stored.grantedByUserID == fixture.ada)
        let spare = fixture.entities.device("Spare", in: .unassigned)
        let unassigned = fixture.entities.guestAccess(for: nil, label: "Nobody", to: [spare], under: fixture.tenancy)
        #expect(unassigned == nil)
        fixture.entities.remove(fixture.tenancy)
        let withoutRole = fixture.entities.guestAccess(for: nil, label: "Nobody", to: [fixture.flatDoor], under: fixture.tenancy)
        #expect(withoutRole == nil)
    }
}
