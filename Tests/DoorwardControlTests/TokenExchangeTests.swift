import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardKernel
@testable import DoorwardTenancy

/// The repetition of an exchange of a refresh token whose answer was lost.
@Suite struct TokenExchangeTests {
    private typealias Signed = SignInTests.Signed

    private func refresh(
        _ control: GatewayControl, _ token: Secret<String>, from address: String? = "192.0.2.9"
    ) async throws -> SignedIn {
        try await control.signIn.refresh(token, origin: RequestOrigin(clientAddress: address))
    }

    /// Expects that the token ends its session.
    private func expectReuse(
        _ signed: Signed, _ token: Secret<String>, from address: String? = "192.0.2.9", _ session: SessionID,
        _ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await failure { _ = try await refresh(signed.house.control, token, from: address) }
        guard case .unauthenticated = error else {
            Issue.record("\(comment): \(String(describing: error))", sourceLocation: sourceLocation)
            return
        }
        #expect(signed.house.gatewayLog.last?.body.event == .refreshReused, comment, sourceLocation: sourceLocation)
        let now = signed.house.clock.now()
        #expect(
            signed.house.control.signIn.sessions.session(session, at: now) == nil, comment, sourceLocation: sourceLocation)
    }

    @Test("the token before the current one gets the same answer once more, without another exchange")
    func repeated() async throws {
        let signed = try await Signed()
        let first = try await signed.logIn()
        let lost = try await refresh(signed.house.control, first.refreshToken)
        signed.house.clock.advance(by: .milliseconds(9999))
        let again = try await refresh(signed.house.control, first.refreshToken)
        #expect(again.refreshToken.reveal() == lost.refreshToken.reveal() && again.session == lost.session)
        let next = try await refresh(signed.house.control, again.refreshToken)
        #expect(next.session.id == first.session.id && next.refreshToken.reveal() != again.refreshToken.reveal())
        #expect(signed.house.gatewayLog.allSatisfy { $0.body.event != .refreshReused })
    }

    @Test("a second repetition ends the session")
    func twice() async throws {
        let signed = try await Signed()
        let first = try await signed.logIn()
        for _ in 0..<2 { _ = try await refresh(signed.house.control, first.refreshToken) }
        await expectReuse(signed, first.refreshToken, first.session.id, "twice")
    }

    @Test("a repetition after ten seconds, from another network or without an address ends the session")
    func refused() async throws {
        for (delay, address, comment) in [
            (10_000, "192.0.2.9", "late"), (0, "192.0.2.10", "another address"), (0, nil, "no address"),
        ] as [(Int64, String?, Comment)] {
            let signed = try await Signed()
            let first = try await signed.logIn()
            _ = try await refresh(signed.house.control, first.refreshToken)
            signed.house.clock.advance(by: .milliseconds(delay))
            await expectReuse(signed, first.refreshToken, from: address, first.session.id, comment)
        }
    }

    @Test("a network of IPv6 is a /64")
    func subscriberNetwork() async throws {
        for (address, isSame) in [("2001:db8:1:2::9", true), ("2001:db8:1:3::8", false)] {
            let signed = try await Signed()
            let first = try await signed.logIn()
            _ = try await refresh(signed.house.control, first.refreshToken, from: "2001:db8:1:2::8")
            if isSame {
                _ = try await refresh(signed.house.control, first.refreshToken, from: address)
            } else {
                await expectReuse(signed, first.refreshToken, from: address, first.session.id, "another /64")
            }
        }
    }

    @Test("when the next token has been exchanged, the one before the last ends the session")
    func twoBefore() async throws {
        let signed = try await Signed()
        let first = try await signed.logIn()
        let second = try await refresh(signed.house.control, first.refreshToken)
        _ = try await refresh(signed.house.control, second.refreshToken)
        await expectReuse(signed, first.refreshToken, first.session.id, "two before")
    }

    @Test("after a restart nothing is repeated")
    func restart() async throws {
        let signed = try await Signed()
        let first = try await signed.logIn()
        _ = try await refresh(signed.house.control, first.refreshToken)
        let restarted = try await House(clock: signed.house.clock, store: signed.house.store.reopened())
        await expectReuse(Signed(house: restarted, user: signed.user), first.refreshToken, first.session.id, "restart")
    }

    @Test("two concurrent uses of one token in one network get the same next token", arguments: 0..<50 as Range<UInt64>)
    func twins(seed: UInt64) async throws {
        let signed = try await Signed()
        let first = try await signed.logIn()
        let control = signed.house.control
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<2 { group.addTask { try await refresh(control, first.refreshToken).refreshToken.reveal() } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
    }

    @Test("an ended session is not repeated")
    func ended() async throws {
        let signed = try await Signed()
        let first = try await signed.logIn()
        _ = try await refresh(signed.house.control, first.refreshToken)
        try await signed.house.control.signIn.logOut(Caller(userID: signed.user.id, sessionID: first.session.id))
        let error = await failure { _ = try await refresh(signed.house.control, first.refreshToken) }
        guard case .unauthenticated = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(signed.house.gatewayLog.last?.body.event == .signedOut)
    }
}
