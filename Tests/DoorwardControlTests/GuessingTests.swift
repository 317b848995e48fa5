import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardKernel
@testable import DoorwardTenancy

/// Password guessing: how many guesses an attacker gets, and how many records and how much memory they cost.
@Suite struct GuessingTests {
    private static let wrong = Secret("a wrong passphrase here")
    /// Longer than any valid password, so that checking it costs no hash.
    private static let absurd = Secret(String(repeating: "x", count: 5000))

    private static func wait(_ throttle: SignInThrottle, email: String? = nil, address: String? = nil) -> Bool {
        do {
            try throttle.admit(email: email, address: address)
            return false
        } catch {
            return true
        }
    }

    private func fail(_ signed: SignInTests.Signed, _ email: String, _ password: Secret<String>, from address: String) async {
        _ = await failure {
            _ = try await signed.house.control.signIn.logIn(
                email: email, password: password, origin: RequestOrigin(clientAddress: address))
        }
    }

    private func failures(_ house: House) -> [RecordBody] { house.gatewayLog.map(\.body).filter { $0.event == .signInFailed } }

    /// Returns the number of failures that the records count.
    private func told(_ house: House) -> Int64 {
        failures(house).reduce(0) { total, record in
            if case .integer(let count)? = record.details["failures"] { total + count } else { total + 1 }
        }
    }

    private func until(_ condition: () -> Bool) async { while !condition() { await Task.yield() } }

    /// Waits until a task sleeps to the end of the current counting minute, then advances the clock to that time.
    private func passMinute(_ house: House) async {
        let end = house.clock.monotonicNow().advanced(by: .seconds(60))
        await until { house.clock.nextSleeper.map { $0 <= end } == true }
        house.clock.advance(to: end)
    }

    // MARK: - Refresh tokens

    @Test("unknown refresh tokens are bounded for each network; a right one is exchanged all the same")
    func refreshTokens() async throws {
        let signed = try await SignInTests.Signed()
        let signIn = signed.house.control.signIn
        let token = try await signed.logIn().refreshToken
        let origin = RequestOrigin(clientAddress: "2001:db8::1")
        let guess = Secret("a refresh token of nobody")
        func guessed(from origin: RequestOrigin) async -> String {
            "\(await failure { _ = try await signIn.refresh(guess, origin: origin) }.map { "\($0)" } ?? "none")"
        }
        for _ in 0..<20 { #expect(await guessed(from: origin) == "unauthenticated") }
        #expect(await guessed(from: origin) == "rateLimited(retryAfterSeconds: 60)")
        #expect(await guessed(from: RequestOrigin(clientAddress: "2001:db8:0:1::1")) == "unauthenticated")
        #expect(try await signIn.refresh(token, origin: origin).user == signed.user)
        #expect(failures(signed.house).isEmpty, "a session that has expired is no attempt to sign in")
    }

    // MARK: - Sessions

    @Test("beginning, ending and extending a session examines no more sessions when there are many")
    func sessionsCost() {
        let sessions = Sessions()
        func session(_ number: UInt64, until end: Int64) -> Session {
            Session(
                id: SessionID(high: 1, low: number), userID: UserID(high: 1, low: number % 1000),
                createdAt: Timestamp(milliseconds: 5), expiresAt: Timestamp(milliseconds: end))
        }
        sessions.load((0..<20_000).map { session($0, until: $0 < 10_000 ? 4 : 1_000_000) })
        #expect(sessions.begin(session(50_000, until: 1_000_000), 0))
        #expect(sessions.examinedCount <= 4)
        for number in 10_000..<10_100 as Range<UInt64> {
            #expect(sessions.extend(session(number, until: 2_000_000)))
            sessions.end(session(number, until: 0).id)
        }
        #expect(sessions.endAll(of: UserID(high: 1, low: 999)).count == 20)
        #expect(sessions.examinedCount <= 4)
        #expect(sessions.count(at: Timestamp(milliseconds: 5)) == 10_001 - 100 - 10)
    }

    @Test("an extended session is kept past its first expiry, and removed at its last")
    func sessionsGoOn() {
        let sessions = Sessions()
        var session = Session(
            id: SessionID(high: 1, low: 1), userID: UserID(high: 1, low: 1), createdAt: Timestamp(milliseconds: 0),
            expiresAt: Timestamp(milliseconds: 10))
        #expect(sessions.begin(session, 0))
        session.expiresAt = Timestamp(milliseconds: 20)
        #expect(sessions.extend(session))
        #expect(sessions.count(at: Timestamp(milliseconds: 10)) == 1)
        #expect(sessions.ids(of: session.userID) == [session.id])
        #expect(sessions.count(at: Timestamp(milliseconds: 20)) == 0)
        #expect(sessions.ids(of: session.userID).isEmpty)
        #expect(!sessions.extend(session))
    }

    // MARK: - Rate limits

    @Test("many failed sign-ins of other accounts do not reset an account's failure count, even just after its wait has ended")
    func flood() {
        let clock = VirtualClock()
        let throttle = SignInThrottle(clock: clock, random: RandomSource(), failuresPerMinute: 1000)
        for _ in 0..<14 { throttle.recordFailure(email: "victim@example.com", address: nil) }
        clock.advance(by: .seconds(300))
        for number in 0..<10_500 { throttle.recordFailure(email: "\(number)@example.com", address: "198.51.100.\(number % 250)") }
        #expect(!Self.wait(throttle, email: "victim@example.com"))
        throttle.recordFailure(email: "victim@example.com", address: nil)
        clock.advance(by: .seconds(299))
        #expect(Self.wait(throttle, email: "victim@example.com"))
    }

    @Test("all addresses of an IPv6 /64 network count as one, and so do all spellings of one address")
    func networks() {
        let throttle = SignInThrottle(clock: VirtualClock(), random: RandomSource(), failuresPerMinute: 3)
        for host in 1...3 { throttle.recordFailure(email: nil, address: "2001:db8:1:2::\(host)") }
        for address in ["2001:db8:1:2:ffff::9", "2001:DB8:1:2:0:0:0:1", "2001:0db8:0001:0002::"] {
            #expect(Self.wait(throttle, address: address), "\(address)")
        }
        #expect(!Self.wait(throttle, address: "2001:db8:1:3::1"))
        for address in ["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:c000:201"] {
            throttle.recordFailure(email: nil, address: address)
        }
        #expect(Self.wait(throttle, address: "192.0.2.1"))
        #expect(!Self.wait(throttle, address: "192.0.2.2"))
    }

    @Test("concurrent guesses give no extra attempts: one is answered, and the others are rate limited")
    func sideBySide() async throws {
        let signed = try await SignInTests.Signed()
        for _ in 0..<13 {
            await fail(signed, "ann@example.com", Self.wrong, from: "192.0.2.1")
            signed.house.clock.advance(by: .seconds(300))
        }
        func guess(_ password: Secret<String>, from address: String) async -> GatewayError? {
            await failure {
                _ = try await signed.house.control.signIn.logIn(
                    email: "ann@example.com", password: password, origin: RequestOrigin(clientAddress: address))
            }
        }
        let answers = await withTaskGroup(of: Bool.self) { group in
            for host in 0..<8 {
                group.addTask {
                    if case .unauthenticated = await guess(Self.wrong, from: "192.0.2.\(host + 10)") { true } else { false }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(answers == 1, "one guess was answered, and the others were rate limited")
        guard case .rateLimited(300) = await guess(SignInTests.password, from: "192.0.2.99") else {
            Issue.record("the correct password was accepted while the account was rate limited")
            return
        }
    }

    @Test("a correct password is rate limited if a wrong one, checked at the same time, has used up the account's attempts")
    func rightBesideWrong() async throws {
        let signed = try await SignInTests.Signed()
        let (armed, held, goesOn) = (Promise<Void>(), Promise<Void>(), Promise<Void>())
        let store = CountingStore(signed.house.store.reopened()) {
            // The first read after `armed` is held until the next sign-in has ended.
            guard armed.current != nil, held.fulfil(()) else { return }
            await goesOn.value
        }
        var limits = GatewayControl.Limits()
        limits.passwordCost = 10
        let control = GatewayControl(
            store: store, adapters: [ScriptedAdapter(clock: signed.house.clock)], clock: signed.house.clock,
            random: RandomSource(SeededGenerator(seed: 41)), limits: limits)
        try await control.start()
        func guess(_ password: Secret<String>) async -> GatewayError? {
            await failure {
                _ = try await control.signIn.logIn(
                    email: "ann@example.com", password: password, origin: RequestOrigin(clientAddress: "192.0.2.1"))
            }
        }
        for _ in 0..<4 { _ = await guess(Self.wrong) }
        armed.fulfil(())
        async let right = guess(SignInTests.password)
        await held.value
        guard case .unauthenticated = await guess(Self.wrong) else {
            Issue.record("the fifth wrong password was not answered")
            goesOn.fulfil(())
            return
        }
        goesOn.fulfil(())
        guard case .rateLimited = await right else {
            Issue.record("the correct password was accepted while the account was rate limited")
            return
        }
    }

    @Test("all spellings of a user's email address count as one account")
    func spellings() async throws {
        let house = try await House()
        let new = NewUser(email: "Jos\u{E9}@example.com", firstName: "J", lastName: "L", password: SignInTests.password)
        let user = try #require(
            try await house.control.users.create(house.caller(house.ids.superAdmin), new, repeatable: nil).executed)
        let signed = SignInTests.Signed(house: house, user: user)
        for spelling in ["jos\u{E9}", "jose\u{301}", "JOS\u{C9}", "JOSE\u{301}", "Jose\u{301}"] {
            await fail(signed, spelling + "@example.com", Self.wrong, from: "192.0.2.1")
        }
        guard case .rateLimited = await failure({ _ = try await signed.logIn("jos\u{E9}@example.com") }) else {
            Issue.record("each spelling has its own attempts")
            return
        }
    }

    // MARK: - Records

    @Test("repeated failures for one account from one network are recorded once immediately, then in one summary per minute")
    func repeated() async throws {
        let signed = try await SignInTests.Signed()
        let house = signed.house
        for host in 1...4 { await fail(signed, "ann@example.com", Self.wrong, from: "2001:db8::\(host)") }
        #expect(failures(house).count == 1)
        #expect(failures(house).first?.target == RecordTarget(signed.user))
        await passMinute(house)
        await until { failures(house).count == 2 }
        let summary = try #require(failures(house).last)
        #expect(summary.details["failures"] == .integer(3))
        #expect(summary.target == RecordTarget(signed.user) && summary.actor == .outside)
        #expect(summary.clientAddress == "2001:db8::/64")
    }

    @Test("the number of records per minute is bounded for any accounts and networks, and every failure is counted")
    func bounded() async throws {
        let signed = try await SignInTests.Signed()
        let house = signed.house
        for number in 0..<1500 {
            await fail(signed, "\(number)@example.com", Self.absurd, from: "2001:db8:\(number / 8):\(number % 8)::1")
        }
        #expect(failures(house).count <= 64)
        await passMinute(house)
        await until { told(house) == 1500 }
        #expect(failures(house).count <= 130)
    }

    @Test("failures that are counted but not yet recorded are recorded when the gateway stops")
    func stopping() async throws {
        let signed = try await SignInTests.Signed()
        for _ in 0..<4 { await fail(signed, "ann@example.com", Self.wrong, from: "192.0.2.1") }
        await signed.house.control.stop()
        #expect(told(signed.house) == 4)
    }
}
