import DoorwardDomain
import DoorwardPolicy
import Testing

/// The fields of objects, commands and people that an API key sees.
@Suite struct APIKeyFieldTests {
    private static let key = APIKeyID(high: 2, low: 1)

    /// The house of a person with a role, and a key of this person with another role.
    private func house(_ given: [Given], key role: Role) -> House {
        var house = House(given)
        house.directory.apply(
            .putAPIKey(
                APIKey(
                    id: Self.key, name: "Key", userID: house.person, entity: house.place(of: role), role: role, digest: [1],
                    createdAt: House.now, expiresAt: House.now.advanced(by: House.day))))
        return house
    }

    private func subject(_ house: House) -> Subject { house.directory.subject(of: .apiKey(Self.key)) }

    private func level(_ house: House, _ object: FieldObject) -> FieldLevel? {
        SecurityService.fieldLevel(of: subject(house), for: object, at: .trusted(House.now), in: house.directory)
    }

    @Test(
        "The level on an object is the lower of the levels of the key's role and of its creator",
        arguments: [
            (Role.owner, Role.owner, FieldLevel.owner), (.owner, .propertyManager, .management), (.owner, .tenant, .resident),
            (.propertyManager, .maintenance, .operations), (.tenant, .propertyManager, .resident),
            (.auditor, .owner, .management),
        ])
    func level(creator: Role, key: Role, expected: FieldLevel) {
        #expect(level(house([.role(creator)], key: key), .device(house([], key: key).flatDoor)) == expected)
    }

    @Test("A key sees no field of an object that its role or its creator does not reach")
    func outOfReach() {
        let managers = house([.role(.propertyManager)], key: .owner)
        #expect(level(managers, .portfolio(managers.portfolio)) == nil)
        #expect(level(managers, .property(managers.property)) == .management)
        let tenants = house([.role(.owner)], key: .tenant)
        #expect(level(tenants, .unit(tenants.otherUnit)) == nil && level(tenants, .device(tenants.otherDoor)) == nil)
        #expect(level(tenants, .device(tenants.frontDoor)) == .resident, "a common area of the key's unit")
    }

    @Test("A key of a super admin has at most the super admin's level")
    func superAdmin() {
        let house = house([.superAdmin], key: .owner)
        #expect(level(house, .device(house.flatDoor)) == .operations && level(house, .portfolio(house.portfolio)) == .management)
        #expect(level(house, .user(house.person)) == nil, "the creator has no role that the key's role could see")
    }

    @Test("A key sees its own commands whole, and those of its creator by its role alone")
    func commands() {
        let house = house([.role(.owner)], key: .maintenance)
        func level(_ actor: RecordActor?) -> FieldLevel? {
            self.level(
                house, .event(unit: house.unit, property: house.property, portfolio: house.portfolio, actor: actor))
        }
        let own = RecordActor(kind: .apiKey, id: Self.key.description, userID: house.person)
        let other = RecordActor(kind: .apiKey, id: APIKeyID(high: 2, low: 2).description, userID: house.person)
        #expect(level(own) == .management)
        #expect(level(other) == .operations && level(RecordActor(kind: .user, userID: house.person)) == .operations)
        #expect(level(nil) == .operations)
    }

    @Test("The creator sees the commands of the key as the own ones; the key does not see those of the creator so")
    func actors() {
        let house = house([.role(.owner)], key: .tenant)
        let own = RecordActor(kind: .apiKey, id: Self.key.description, userID: house.person)
        let person = RecordActor(kind: .user, id: house.person.description, userID: house.person)
        #expect(house.subject.isActor(own) && house.subject.isActor(person))
        #expect(subject(house).isActor(own) && !subject(house).isActor(person) && !subject(house).isActor(.gateway))
        let reader = FieldReader(subject(house), level: .resident, at: .trusted(House.now))
        func label(_ actor: RecordActor) -> String? {
            reader.label(of: actor, under: nil, unit: house.unit, at: House.now, in: house.directory)
        }
        #expect(label(own) == "you" && label(person) == "staff")
    }

    @Test("A key sees the associations of people on the entities that it reaches")
    func associations() throws {
        var house = house([.role(.owner)], key: .propertyManager)
        house.assign(.tenant, on: .unit(house.unit), number: 5, to: house.other)
        house.assign(.auditor, on: .portfolio(house.portfolio), number: 6, to: house.other)
        let other = try #require(house.directory.user(house.other))
        let level = try #require(self.level(house, .user(house.other)))
        #expect(level == .management)
        let field = try #require(ShownUser.fields.first { $0.name == "roleAssociations" })
        let reader = FieldReader(subject(house), level: level, at: .trusted(House.now))
        guard case .list(let shown) = field.value(of: ShownUser(other), for: reader, in: house.directory) else {
            Issue.record("no list")
            return
        }
        #expect(shown.count == 1, "not the one on the portfolio, which the key's role does not reach")
    }

    @Test("The entities of a key for searches are those of its role and of its creator; lists of history their common ones")
    func entities() {
        var house = house([.role(.auditor)], key: .tenant)
        house.assign(.tenant, on: .unit(house.otherUnit), number: 7)
        #expect(
            Set(subject(house).roleEntities) == [.unit(house.unit), .unit(house.otherUnit), .property(house.property)])
        let history = SecurityService.entities(where: subject(house), holds: .viewAccessHistory, in: house.directory)
        #expect(history == [.unit(house.unit)])
        #expect(subject(house).tenancyStart(in: house.unit) == nil)
        let wide = self.house([.role(.propertyManager)], key: .owner)
        let below = SecurityService.entities(where: subject(wide), holds: .viewAccessHistory, in: wide.directory)
        #expect(below == [.property(wide.property)])
    }

    @Test("Lists are read with a place of their own for each key, and commands are recorded under the creator")
    func readers() {
        let house = house([.role(.owner)], key: .tenant)
        #expect(subject(house).readerID == Self.key.cast() && subject(house).actorUserID == house.person)
        #expect(house.subject.readerID == house.person && house.subject.actorUserID == house.person)
        let unknown = house.directory.subject(of: .apiKey(APIKeyID(high: 9, low: 9)))
        #expect(unknown.readerID == nil && unknown.actorUserID == nil && !unknown.isEnabled)
        #expect(unknown.roleEntities.isEmpty && !unknown.isActor(.outside))
    }

    @Test("Records of an API key and of an invitation contain neither digest nor token")
    func records() {
        let house = house([.role(.owner)], key: .tenant)
        let key = house.directory.apiKey(Self.key)
        #expect(
            key.map { Set(APIKey.fields.recorded($0).keys) } == ["name", "entityType", "entityId", "role", "userId", "expiresAt"])
        let invitation = Invitation(
            id: InvitationID(high: 1, low: 1), email: "e@example.org", offer: .account(house.other), userID: house.person,
            digest: [1], createdAt: House.now, expiresAt: House.now)
        let shown = ShownInvitation(invitation, link: (Secret("token"), Secret("url#token")))
        let recorded = ShownInvitation.fields.recorded(shown)
        #expect(Set(recorded.keys) == ["email", "role", "expiresAt", "entityType", "entityId", "userId"])
        #expect(recorded["email"] == .personal("e@example.org", person: nil) && recorded["role"] == .null)
        #expect(recorded["userId"] == .string(house.other.description))
    }
}
