import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardKernel
@testable import DoorwardTenancy

/// A user's own sessions, password and recovery codes.
@Suite struct CredentialsTests {
    private static let newPassword = Secret("another long passphrase")
    private static let origin = RequestOrigin(clientAddress: "192.0.2.9", requestID: "own")

    private func isUnauthenticated(_ body: () async throws -> Void) async -> Bool {
        if case .unauthenticated = await failure(body) { true } else { false }
    }

    private func caller(_ signedIn: SignedIn) -> Caller {
        Caller(userID: signedIn.user.id, sessionID: signedIn.session.id, origin: Self.origin)
    }

    private func isLive(_ signed: SignInTests.Signed, _ session: Session) -> Bool {
        signed.house.control.signIn.sessions.session(session.id, at: signed.house.clock.now()) != nil
    }

    // MARK: - Sessions

    @Test("a user lists the own sessions, oldest first, and ends one at once, also the current one")
    func sessions() async throws {
        let signed = try await SignInTests.Signed()
        let (first, second) = (try await signed.logIn(), try await signed.logIn())
        let credentials = signed.house.control.credentials
        #expect(try credentials.sessions(of: caller(second)) == [first.session, second.session].sorted { $0.id < $1.id })
        try await credentials.endSession(caller(second), first.session.id)
        #expect(!isLive(signed, first.session) && isLive(signed, second.session))
        #expect(await isUnauthenticated { _ = try await signed.refresh(first.refreshToken) })
        #expect(signed.house.gatewayLog.last?.body.event == .signedOut)
        try await credentials.endSession(caller(second), second.session.id)
        #expect(try await signed.house.store.liveSessions(at: signed.house.clock.now()).isEmpty)
    }

    @Test("another user's session does not exist, like one that was never started")
    func foreignSession() async throws {
        let signed = try await SignInTests.Signed()
        let own = try await signed.logIn()
        let stranger = Caller(userID: signed.house.ids.stranger, sessionID: SessionID(high: 1, low: 1))
        for id in [own.session.id, SessionID(high: 7, low: 7)] {
            guard case .notFound = await failure({ try await signed.house.control.credentials.endSession(stranger, id) }) else {
                Issue.record("not 'not found'")
                continue
            }
        }
        #expect(isLive(signed, own.session))
    }

    // MARK: - Password

    @Test("a changed password ends all other sessions and the password link, and keeps the current session")
    func change() async throws {
        let signed = try await SignInTests.Signed()
        let (other, current) = (try await signed.logIn(), try await signed.logIn())
        let house = signed.house
        let offer = try await house.control.passwordResets.offer(house.caller(house.ids.superAdmin), to: signed.user.id)
        try await house.control.credentials.changePassword(
            caller(current), current: SignInTests.password, new: Self.newPassword)
        #expect(isLive(signed, current.session) && !isLive(signed, other.session))
        #expect(try await house.store.liveSessions(at: house.clock.now()).map(\.id) == [current.session.id])
        #expect(await isUnauthenticated { _ = try await signed.logIn() })
        _ = try await signed.logIn("ann@example.com", Self.newPassword)
        _ = try await signed.refresh(current.refreshToken)
        #expect(
            await isUnauthenticated {
                try await house.control.passwordResets.use(offer.token, newPassword: SignInTests.password, origin: Self.origin)
            })
        let records = house.gatewayLog.map(\.body)
        #expect(records.contains { $0.details["after"] == .object(["password": .string("changed")]) })
        #expect(!"\(records)".contains(Self.newPassword.reveal()))
    }

    @Test("a wrong current password is limited like a sign-in, recorded, and changes nothing")
    func wrongPassword() async throws {
        let signed = try await SignInTests.Signed()
        let current = try await signed.logIn()
        let credentials = signed.house.control.credentials
        func change(_ password: Secret<String>) async throws {
            try await credentials.changePassword(caller(current), current: password, new: Self.newPassword)
        }
        for _ in 0..<5 { #expect(await isUnauthenticated { try await change(Secret("not the password at all")) }) }
        let record = try #require(signed.house.gatewayLog.last { $0.body.event == .signInFailed }?.body)
        #expect(record.target == RecordTarget(signed.user))
        guard case .rateLimited = await failure({ try await change(SignInTests.password) }) else {
            Issue.record("not limited")
            return
        }
        guard case .rateLimited = await failure({ _ = try await signed.logIn() }) else {
            Issue.record("guesses are not counted together with those of sign-ins")
            return
        }
        signed.house.clock.advance(by: .seconds(2))
        _ = try await signed.logIn()
        #expect(isLive(signed, current.session))
    }

    @Test("a new password must keep the rules")
    func rules() async throws {
        let signed = try await SignInTests.Signed()
        let current = try await signed.logIn()
        guard
            case .invalid(let problems) = await failure({
                try await signed.house.control.credentials.changePassword(
                    caller(current), current: SignInTests.password, new: Secret("short"))
            })
        else {
            Issue.record("accepted")
            return
        }
        #expect(problems == [FieldProblem(field: "newPassword", problem: "too_short")])
    }

    @Test("a password change in a session that is ended meanwhile changes nothing", arguments: 0..<20 as Range<UInt64>)
    func race(seed: UInt64) async throws {
        let signed = try await SignInTests.Signed()
        let house = signed.house
        let current = try await signed.logIn()
        let offer = try await house.control.passwordResets.offer(house.caller(house.ids.superAdmin), to: signed.user.id)
        let resetPassword = Secret("the password of the link")
        await withTaskGroup { group in
            group.addTask {
                for _ in 0..<(seed % 5) { await Task.yield() }
                try? await house.control.credentials.changePassword(
                    caller(current), current: SignInTests.password, new: Self.newPassword)
            }
            group.addTask {
                for _ in 0..<(seed / 5) { await Task.yield() }
                try? await house.control.passwordResets.use(offer.token, newPassword: resetPassword, origin: Self.origin)
            }
        }
        // The change ends the link, and the link ends the session: exactly one of them takes effect.
        let changed = (try? await signed.logIn("ann@example.com", Self.newPassword)) != nil
        let reset = (try? await signed.logIn("ann@example.com", resetPassword)) != nil
        #expect(changed != reset)
        #expect(isLive(signed, current.session) == changed)
    }

    // MARK: - Recovery codes

    private func codes(_ signed: SignInTests.Signed) async throws -> [Secret<String>] {
        try await signed.house.control.credentials.createRecoveryCodes(
            caller(try await signed.logIn()), current: SignInTests.password)
    }

    private func recover(
        _ signed: SignInTests.Signed, _ code: Secret<String>, email: String = "ANN@example.com",
        _ password: Secret<String> = newPassword
    ) async throws {
        try await signed.house.control.credentials.resetPassword(
            email: email, recoveryCode: code, newPassword: password, origin: Self.origin)
    }

    @Test("eight different codes of 100 bits are created, stored as digests, and recorded without them")
    func created() async throws {
        let signed = try await SignInTests.Signed()
        let codes = try await codes(signed).map { $0.reveal() }
        #expect(Set(codes).count == 8)
        for code in codes {
            #expect(code.split(separator: "-").map(\.count) == [5, 5, 5, 5])
            #expect(code.allSatisfy { "0123456789ABCDEFGHJKMNPQRSTVWXYZ-".contains($0) })
        }
        #expect(try await signed.house.store.recoveryCodes(of: signed.user.id).count == 8)
        #expect(signed.house.gatewayLog.last?.body.details["after"] == .object(["recoveryCodes": .string("replaced")]))
        #expect(!"\(signed.house.gatewayLog)".contains(codes[0]))
    }

    @Test("codes need the current password, which is limited like a sign-in; without it the earlier codes stay")
    func proof() async throws {
        let signed = try await SignInTests.Signed()
        let caller = caller(try await signed.logIn())
        let credentials = signed.house.control.credentials
        let codes = try await credentials.createRecoveryCodes(caller, current: SignInTests.password)
        let stored = try await signed.house.store.recoveryCodes(of: signed.user.id)
        for _ in 0..<5 {
            let wrong = Secret("a wrong passphrase here")
            #expect(await isUnauthenticated { _ = try await credentials.createRecoveryCodes(caller, current: wrong) })
            #expect(signed.house.gatewayLog.last?.body.event == .signInFailed)
        }
        guard
            case .rateLimited = await failure({
                _ = try await credentials.createRecoveryCodes(caller, current: SignInTests.password)
            })
        else {
            Issue.record("guesses are not limited")
            return
        }
        #expect(try await signed.house.store.recoveryCodes(of: signed.user.id) == stored && codes.count == 8)
        #expect(
            isLive(
                signed,
                try #require(
                    signed.house.control.signIn.sessions.sessions(
                        of: signed.user.id, at: signed.house.clock.now()
                    ).first)))
    }

    @Test("each code sets the password once and ends all sessions; other codes remain valid, case and hyphens do not matter")
    func used() async throws {
        let signed = try await SignInTests.Signed()
        let codes = try await codes(signed)
        let session = try await signed.logIn().session
        try await recover(signed, Secret(codes[0].reveal().lowercased().replacing("-", with: " ")))
        #expect(!isLive(signed, session))
        _ = try await signed.logIn("ann@example.com", Self.newPassword)
        #expect(await isUnauthenticated { try await recover(signed, codes[0]) }, "second use")
        try await recover(signed, codes[1], SignInTests.password)
        _ = try await signed.logIn()
    }

    @Test("a new set of codes replaces the old one")
    func replaced() async throws {
        let signed = try await SignInTests.Signed()
        let (old, new) = (try await codes(signed), try await codes(signed))
        #expect(await isUnauthenticated { try await recover(signed, old[0]) })
        try await recover(signed, new[7])
    }

    @Test("an unknown address, a wrong code, another user's code and a disabled user get one answer, and are limited")
    func oneAnswer() async throws {
        let signed = try await SignInTests.Signed()
        let house = signed.house
        let codes = try await codes(signed)
        #expect(await isUnauthenticated { try await recover(signed, codes[0], email: "nobody@example.com") })
        #expect(house.gatewayLog.last?.body.event == .signInFailed)
        #expect(await isUnauthenticated { try await recover(signed, codes[0], email: "olga@example.com") })
        let root = house.caller(house.ids.superAdmin)
        _ = try await house.control.users.update(root, signed.user.id, UserChanges(isEnabled: false))
        #expect(await isUnauthenticated { try await recover(signed, codes[0]) })
        _ = try await house.control.users.update(root, signed.user.id, UserChanges(isEnabled: true))
        for _ in 0..<4 { #expect(await isUnauthenticated { try await recover(signed, Secret("AAAAA-AAAAA-AAAAA-AAAAA")) }) }
        guard case .rateLimited = await failure({ try await recover(signed, codes[0]) }) else {
            Issue.record("guessing codes is not limited")
            return
        }
        house.clock.advance(by: .seconds(300))
        try await recover(signed, codes[0])
    }

    @Test("two uses of one code at the same time set one password", arguments: 0..<12 as Range<UInt64>)
    func doubleUse(seed: UInt64) async throws {
        let signed = try await SignInTests.Signed()
        let code = try await codes(signed)[0]
        let passwords = ["the first new password", "the second new password"].map { Secret($0) }
        let count = await withTaskGroup(of: Bool.self) { group in
            for (index, password) in passwords.enumerated() {
                group.addTask {
                    for _ in 0..<(seed * UInt64(index)) { await Task.yield() }
                    return (try? await recover(signed, code, password)) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(count == 1)
    }
}
