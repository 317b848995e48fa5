import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardKernel
@testable import DoorwardTenancy

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

    @Test("a failed sign-in makes the same store calls for an unknown address, a wrong password, no password and a disabled user")
    func signIn() async throws {
        let counted = try await Counted()
        let (ids, root) = (counted.house.ids, counted.house.caller(counted.house.ids.superAdmin))
        let hash = try await PasswordHasher(cost: 10, random: RandomSource(SeededGenerator(seed: 2))).hash(SignInTests.password)
        for user in [ids.owner, ids.tenant] {
            _ = try await counted.store.commit(StoreTransaction(credentials: [.setPassword(user, hash: hash)]))
        }
        _ = try await counted.control.users.update(root, ids.tenant, UserChanges(isEnabled: false))
        func calls(_ email: String, _ password: Secret<String>) async throws -> [String] {
            _ = counted.store.takeCalls()
            guard
                case .unauthenticated = await failure({
                    _ = try await counted.control.signIn.logIn(
                        email: email, password: password, origin: RequestOrigin(clientAddress: "192.0.2.9"))
                })
            else {
                Issue.record("\(email) got another answer")
                return []
            }
            return counted.store.takeCalls()
        }
        let wrong = Secret("a wrong passphrase here")
        let unknown = try await calls("nobody@example.org", wrong)
        #expect(unknown.count == 2, "one read of a hash, one record: \(unknown)")
        for (user, password) in [(ids.owner, wrong), (ids.stranger, wrong), (ids.tenant, SignInTests.password)] {
            let email = try #require(counted.control.directory.current.user(user)).email
            #expect(try await calls(email, password) == unknown, "\(email)")
        }
    }
}
