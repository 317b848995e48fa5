import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardControl

/// Requests about an address do the same work whether or not the address belongs to a user.
@Suite struct AccountWorkTests {
    private struct Counted {
        let house: House
        let store: CountingStore
        let control: GatewayControl

        init() async throws {
            house = try await House()
            store = CountingStore(house.store.reopened())
            var limits = GatewayControl.Limits()
            limits.passwordCost = 10
            control = GatewayControl(
                store: store, adapters: [ScriptedAdapter(clock: house.clock)], clock: house.clock,
                random: RandomSource(SeededGenerator(seed: 99)), limits: limits)
            try await control.start()
            _ = store.takeCalls()
        }
    }

    @Test("a wrong recovery code for an unknown address makes the same store calls as for a known one, with codes or without")
    func recovery() async throws {
        let counted = try await Counted()
        let ids = counted.house.ids
        let code = CredentialChange.setRecoveryCodes(of: ids.owner, digests: [[1], [2]])
        _ = try await counted.store.commit(StoreTransaction(credentials: [code]))
        func calls(_ email: String) async throws -> [String] {
            _ = counted.store.takeCalls()
            guard
                case .unauthenticated = await failure({
                    try await counted.control.credentials.resetPassword(
                        email: email, recoveryCode: Secret("AAAAA-AAAAA-AAAAA-AAAAA"), newPassword: SignInTests.password,
                        origin: RequestOrigin(clientAddress: "192.0.2.9"))
                })
            else {
                Issue.record("\(email) got another answer")
                return []
            }
            return counted.store.takeCalls()
        }
        let unknown = try await calls("nobody@example.org")
        #expect(unknown == ["recovery codes", "commit [\"SESSION in gateway\"]"])
        for user in [ids.owner, ids.tenant] {
            let email = try #require(counted.control.directory.current.user(user)).email
            #expect(try await calls(email) == unknown)
        }
    }

    @Test("inviting an address of a user, with the role or without, writes as many records as inviting an unknown one")
    func invitation() async throws {
        let counted = try await Counted()
        let ids = counted.house.ids
        func calls(_ email: String) async throws -> [String] {
            _ = counted.store.takeCalls()
            _ = try await counted.control.invitations.invite(
                counted.house.caller(ids.owner), email, to: .tenant, on: .unit(ids.unit))
            return counted.store.takeCalls()
        }
        let unknown = try await calls("nobody@example.org")
        #expect(unknown.count == 1)
        for user in [ids.tenant, ids.stranger] {
            let email = try #require(counted.control.directory.current.user(user)).email
            #expect(try await calls(email) == unknown)
        }
    }
}
