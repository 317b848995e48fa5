import DoorwardDomain
import DoorwardPolicy
import Testing

@Suite struct SubjectTests {
    private static let link = Principal.guestLink(GuestAccessID(high: 1, low: 1))

    @Test("The subject of a user matches that user only")
    func own() {
        let house = House()
        #expect(house.subject.isUser(house.person) && house.subject.userID == house.person)
        #expect(!house.subject.isUser(house.other) && !house.subject.isUser(nil))
        let unknown = house.directory.subject(UserID(high: 9, low: 9))
        #expect(unknown.userID == nil && !unknown.isEnabled && !unknown.isUser(nil))
    }

    @Test("A guest link is not a user, even if its guest access names one, and has none of the guest's roles")
    func guestLink() {
        let house = House([.guest(1), .role(.owner, 2), .superAdmin])
        let subject = house.directory.subject(of: Self.link)
        #expect(subject.isEnabled && subject.userID == nil)
        #expect(!subject.isUser(nil) && !subject.isUser(house.person))
        #expect(!subject.isSuperAdmin && subject.roleEntities.isEmpty && subject.tenancyStart(in: house.unit) == nil)
        #expect(!SecurityService.allows(subject, .portfolioRead, on: .portfolio(house.portfolio), in: house.directory).isAllowed)
        #expect(SecurityService.visiblePropertyIDs(for: subject, in: house.directory).isEmpty)
        #expect(SecurityService.visibleDeviceIDs(for: subject, at: .trusted(House.now), in: house.directory) == [house.flatDoor])
        #expect(SecurityService.carriers(of: [.unlock], by: subject, on: house.flatDoor, in: house.directory).isEmpty)
        #expect(SecurityService.reaches(subject, device: house.flatDoor, at: .trusted(House.now), in: house.directory))
        #expect(!SecurityService.reaches(subject, device: house.cellar, at: .trusted(House.now), in: house.directory))
    }

    @Test("A guest link is enabled exactly if its guest access exists and names no disabled user")
    func statusOfLink() {
        let disabled = House([.guest(1), .disabled])
        #expect(!disabled.directory.subject(of: Self.link).isEnabled)
        #expect(disabled.decide(by: Self.link) == Answer.denied(.userDisabled).decision)
        #expect(House([.guest(1, linkOnly: true)]).directory.subject(of: Self.link).isEnabled)
        #expect(!House().directory.subject(of: Self.link).isEnabled, "there is no such guest access")
    }

    @Test("A subject keeps the rights of its snapshot; resolved in a later snapshot it has lost revoked rights")
    func snapshots() {
        let before = House([.role(.tenant)])
        var after = before
        after.directory.apply(.removeAssociation(AssociationID(high: 1, low: 1)))
        func decide(_ house: House) -> Decision {
            SecurityService.decide(
                house.subject, .unlock, on: house.flatDoor, at: .trusted(House.now), override: false, in: house.directory)
        }
        #expect(decide(before).isAllowed)
        #expect(decide(after) == Answer.hidden.decision)
    }

    @Test("A tenancy starts with the user's oldest tenant role on the unit")
    func tenancyStart() {
        var house = House()
        for (number, role, unit, hours) in [
            (1, Role.tenant, house.unit, 2), (2, .tenant, house.unit, 1), (3, .auditor, house.unit, 0),
            (4, .tenant, house.otherUnit, 5),
        ] as [(UInt64, Role, UnitID, Int)] {
            house.directory.apply(
                .putAssociation(
                    UserRoleAssociation(
                        id: AssociationID(high: 1, low: number), userID: house.person, entity: .unit(unit), role: role,
                        createdAt: House.now.advanced(by: .seconds(3600 * hours)), updatedAt: House.now)))
        }
        #expect(house.subject.tenancyStart(in: house.unit) == House.now.advanced(by: House.hour))
        #expect(house.subject.tenancyStart(in: house.otherUnit) == House.now.advanced(by: .seconds(18_000)))
        #expect(house.directory.subject(house.other).tenancyStart(in: house.unit) == nil)
        #expect(house.subject.roleEntities.count == 4)
    }
}
