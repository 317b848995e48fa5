import DoorwardDomain
import DoorwardPolicy
import Testing

/// The lists of API keys and invitations in the directory.
@Suite struct AccountListTests {
    private func invitation(
        _ number: UInt64, _ email: String, by user: UserID, _ offer: Invitation.Offer, digest: [UInt8]
    ) -> Invitation {
        Invitation(
            id: InvitationID(high: 1, low: number), email: email, offer: offer, userID: user, digest: digest,
            createdAt: House.now, expiresAt: House.now.advanced(by: House.day))
    }

    @Test("An invitation that is replaced or removed is in none of its former lists")
    func invitations() {
        var house = House()
        let (role, account) = (Invitation.Offer.role(.tenant, on: .unit(house.unit)), Invitation.Offer.account(house.other))
        let (first, second) = (
            invitation(1, "Ann@example.org", by: house.person, role, digest: [1]),
            invitation(2, "ann@example.org", by: house.person, account, digest: [2])
        )
        for one in [first, second] { house.directory.apply(.putInvitation(one)) }
        #expect(house.directory.invitations(of: "ANN@example.org") == [first, second])
        #expect(house.directory.invitations(by: house.person) == [first, second])
        #expect(house.directory.invitations(to: .unit(house.unit)) == [first], "an account is no entity")
        let moved = invitation(1, "bob@example.org", by: house.other, account, digest: [3])
        house.directory.apply(.putInvitation(moved))
        #expect(house.directory.invitation(digest: [1]) == nil && house.directory.invitation(digest: [3]) == moved)
        #expect(house.directory.invitations(of: "ann@example.org") == [second])
        #expect(house.directory.invitations(by: house.person) == [second])
        #expect(house.directory.invitations(to: .unit(house.unit)).isEmpty)
        for id in house.directory.invitationIDs { house.directory.apply(.removeInvitation(id)) }
        #expect(house.directory.invitation(digest: [2]) == nil && house.directory.invitationIDs.isEmpty)
        #expect(house.directory.invitations(by: house.other).isEmpty)
    }

    @Test("A key is listed for its creator and on its own entity only, not above or below it")
    func keys() {
        var house = House()
        let key = APIKey(
            id: APIKeyID(high: 2, low: 1), name: "K", userID: house.person, entity: .property(house.property), role: .auditor,
            digest: [1], createdAt: House.now, expiresAt: House.now)
        house.directory.apply(.putAPIKey(key))
        #expect(house.directory.apiKeys(of: house.person) == [key] && house.directory.apiKeys(of: house.other).isEmpty)
        #expect(house.directory.apiKeys(on: .property(house.property)) == [key])
        for entity in [.portfolio(house.portfolio), .unit(house.unit)] as [AssociatedEntity] {
            #expect(house.directory.apiKeys(on: entity).isEmpty)
        }
        house.directory.apply(.removeAPIKey(key.id))
        #expect(house.directory.apiKeys(of: house.person).isEmpty && house.directory.apiKey(key.id) == nil)
        #expect(house.directory.apiKeys(on: .property(house.property)).isEmpty)
    }
}
