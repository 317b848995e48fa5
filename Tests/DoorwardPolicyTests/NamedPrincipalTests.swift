import DoorwardDomain
import DoorwardPolicy
import Testing

/// The names of those who may do something, as management and residents see them.
@Suite struct NamedPrincipalTests {
    private static let people: [(number: UInt64, first: String, last: String)] = [
        (20, "Olga", "Owner"), (21, "Tom", "Tenant"), (22, "Cora", "Cotenant"), (23, "Gus", "Guest"), (24, "Pia", "Passer"),
    ]
    private static func user(_ name: String) -> UserID {
        UserID(high: 0, low: people.first { $0.first == name }?.number ?? 0)
    }

    private var house: House {
        var house = House()
        for person in Self.people {
            house.directory.apply(
                .putUser(
                    User(
                        id: UserID(high: 0, low: person.number), email: "\(person.first)@example.org", firstName: person.first,
                        lastName: person.last, createdAt: House.now, updatedAt: House.now)))
        }
        house.assign(.owner, number: 1, to: Self.user("Olga"))
        house.assign(.tenant, number: 2, to: Self.user("Tom"))
        house.assign(.tenant, number: 3, to: Self.user("Cora"))
        // A guest of the unit, and a guest of the whole property.
        house.directory.apply(.putGuestAccess(access(1, for: Self.user("Gus"), unit: house.unit, in: house)))
        house.directory.apply(.putGuestAccess(access(2, for: Self.user("Pia"), unit: nil, in: house)))
        house.directory.apply(.putGuestAccess(access(3, for: nil, unit: house.unit, in: house)))
        house.directory.apply(.putGuestAccess(access(4, for: nil, unit: nil, in: house)))
        for (number, creator) in [(1, "Olga"), (2, "Tom"), (3, "Cora")] as [(UInt64, String)] {
            house.directory.apply(
                .putAPIKey(
                    APIKey(
                        id: APIKeyID(high: 3, low: number), name: "Robot of \(creator)", userID: Self.user(creator),
                        entity: .unit(house.unit), role: .tenant, digest: [1], createdAt: House.now,
                        expiresAt: House.now.advanced(by: .seconds(60 * Int(number))))))
        }
        return house
    }

    private func access(_ number: UInt64, for guest: UserID?, unit: UnitID?, in house: House) -> GuestAccess {
        GuestAccess(
            id: GuestAccessID(high: 1, low: number), guestUserID: guest, label: guest == nil ? "Link \(number)" : nil,
            propertyID: house.property, unitID: unit, deviceIDs: [house.flatDoor], operations: [.unlock],
            window: GuestWindow(validFrom: House.now, validUntil: House.now.advanced(by: House.hour)),
            grantedByUserID: house.other, grantedUnderAssociationID: AssociationID(high: 1, low: 99),
            grantedUnderRole: .propertyManager, createdAt: House.now)
    }

    /// The entries for UNLOCK of the flat's door as `reader` sees them: `name id` with `-` for nothing.
    private func entries(seenBy reader: Principal, in house: House) throws -> Set<String> {
        let device = try #require(house.directory.resolve(house.flatDoor))
        return Set(
            SecurityService.principals(permitted: .unlock, on: device.id, at: .trusted(House.now), in: house.directory).map {
                entry in
                let named = SecurityService.named(
                    entry, on: device, for: house.directory.subject(of: reader), at: .trusted(House.now), in: house.directory)
                #expect(named.showsRuleID == (named.id != nil) && named.until == entry.until && named.rule == entry.rule)
                return "\(named.kind.rawValue) \(named.name ?? "-")\(named.id == nil ? "" : " #")"
            })
    }

    @Test("Management sees everyone who may do an operation, with name and id")
    func management() throws {
        let house = house
        let seen = try entries(seenBy: .user(Self.user("Olga")), in: house)
        #expect(
            seen == [
                "USER Olga Owner #", "USER Tom Tenant #", "USER Cora Cotenant #", "USER Gus Guest #", "USER Pia Passer #",
                "GUEST_LINK Link 3 #", "GUEST_LINK Link 4 #", "API_KEY Robot of Olga #", "API_KEY Robot of Tom #",
                "API_KEY Robot of Cora #",
            ])
    }

    @Test("A tenant sees themselves, co-tenants and guests of the unit; of others the first name of a guest, and staff")
    func tenant() throws {
        let house = house
        let seen = try entries(seenBy: .user(Self.user("Tom")), in: house)
        #expect(
            seen == [
                "USER staff", "USER Tom Tenant #", "USER Cora Cotenant #", "USER Gus Guest #", "USER Pia",
                "GUEST_LINK Link 3 #", "GUEST_LINK Link 4", "API_KEY staff", "API_KEY Robot of Tom #", "API_KEY Cora",
            ])
    }

    @Test("A key sees what its role and its creator both see")
    func key() throws {
        let house = house
        let seen = try entries(seenBy: .apiKey(APIKeyID(high: 3, low: 1)), in: house)
        #expect(seen.contains("USER staff") && seen.contains("USER Tom Tenant #") && !seen.contains("USER Olga Owner #"))
    }

    @Test("A right ends with the window of its guest access, with its key, or not at all")
    func until() throws {
        let house = house
        let found = SecurityService.principals(
            permitted: .unlock, on: house.flatDoor, at: .trusted(House.now), in: house.directory)
        func until(_ principal: Principal) -> Duration? {
            found.first { $0.principal == principal }?.until?.duration(since: House.now)
        }
        #expect(until(.user(Self.user("Gus"))) == House.hour && until(.user(Self.user("Tom"))) == nil)
        #expect(until(.guestLink(GuestAccessID(high: 1, low: 3))) == House.hour)
        #expect(until(.apiKey(APIKeyID(high: 3, low: 2))) == .seconds(120))
    }
}
