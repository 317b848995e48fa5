import Crypto
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardKernel
@testable import DoorwardTenancy

/// Rate limits on password guesses, and the bounds of the limiter itself.
@Suite struct ThrottleTests {
    private static func wait(_ throttle: SignInThrottle, email: String? = nil, address: String? = nil) -> Int? {
        do {
            try throttle.admit(email: email, address: address)
            return nil
        } catch .rateLimited(let seconds) {
            return seconds
        } catch {
            Issue.record("unexpected error: \(error)")
            return nil
        }
    }

    @Test("the first four failures cause no wait; each later one doubles it, up to five minutes")
    func waits() {
        let clock = VirtualClock()
        let throttle = SignInThrottle(clock: clock, random: RandomSource(SeededGenerator(seed: 1)), failuresPerMinute: 1000)
        var waits: [Int?] = []
        for _ in 0..<16 {
            throttle.recordFailure(email: "Ada@Example.com", address: nil)
            let wait = Self.wait(throttle, email: "ada@example.com")
            waits.append(wait)
            #expect(Self.wait(throttle, email: "bob@example.com") == nil)
            clock.advance(by: .seconds(wait ?? 0))
            #expect(Self.wait(throttle, email: "ada@example.com") == nil)
        }
        #expect(waits == [nil, nil, nil, nil, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
        throttle.resetFailures(email: "ADA@example.com")
        throttle.recordFailure(email: "ada@example.com", address: nil)
        #expect(Self.wait(throttle, email: "ada@example.com") == nil, "a success resets the count")
    }

    @Test("an address over its limit must wait until its minute ends, whatever accounts it tries")
    func addresses() {
        let clock = VirtualClock()
        let throttle = SignInThrottle(clock: clock, random: RandomSource(SeededGenerator(seed: 1)), failuresPerMinute: 3)
        for number in 0..<3 {
            #expect(Self.wait(throttle, address: "192.0.2.1") == nil)
            throttle.recordFailure(email: "\(number)@example.com", address: "192.0.2.1")
            clock.advance(by: .seconds(10))
        }
        #expect(Self.wait(throttle, email: "new@example.com", address: "192.0.2.1") == 30)
        #expect(Self.wait(throttle, address: "192.0.2.2") == nil)
        clock.advance(by: .seconds(30))
        #expect(Self.wait(throttle, address: "192.0.2.1") == nil)
    }

    @Test("one failure is forgotten for each ten minutes without a failure")
    func forgetting() {
        let clock = VirtualClock()
        let throttle = SignInThrottle(clock: clock, random: RandomSource(SeededGenerator(seed: 1)), failuresPerMinute: 1000)
        for _ in 0..<14 { throttle.recordFailure(email: "ada@example.com", address: nil) }
        clock.advance(by: .seconds(599))
        throttle.recordFailure(email: "ada@example.com", address: nil)
        #expect(Self.wait(throttle, email: "ada@example.com") == 300)
        clock.advance(by: .seconds(9 * 600))
        throttle.recordFailure(email: "ada@example.com", address: nil)
        #expect(Self.wait(throttle, email: "ada@example.com") == 2, "of fourteen failures nine are forgotten, and one is added")
    }

    @Test("failures of many accounts and networks neither shorten existing waits nor delay accounts without failures")
    func flood() {
        let clock = VirtualClock()
        let throttle = SignInThrottle(clock: clock, random: RandomSource(SeededGenerator(seed: 1)), failuresPerMinute: 3)
        for _ in 0..<14 { throttle.recordFailure(email: "victim@example.com", address: "192.0.2.1") }
        for number in 0..<10_500 { throttle.recordFailure(email: "\(number)@example.com", address: "host \(number)") }
        #expect(Self.wait(throttle, address: "192.0.2.1") == 60)
        #expect(Self.wait(throttle, email: "victim@example.com") == 300)
        let heldUp = (0..<1000).count { Self.wait(throttle, email: "other\($0)@example.org", address: "198.51.100.\($0)") != nil }
        #expect(heldUp == 0)
    }

    @Test("a table with more names than it keeps removes those with the fewest failures, and those that are forgotten")
    func bounded() {
        let clock = VirtualClock()
        let throttle = SignInThrottle(clock: clock, random: RandomSource(SeededGenerator(seed: 1)), failuresPerMinute: 3)
        let capacity = FailureTable<AccountFailures>.capacity
        for _ in 0..<7 { throttle.recordFailure(email: "victim@example.com", address: "192.0.2.1") }
        for number in 0..<2 * capacity { throttle.recordFailure(email: "\(number)@example.com", address: "host \(number)") }
        #expect(Self.wait(throttle, address: "192.0.2.1") == 60)
        #expect(Self.wait(throttle, email: "victim@example.com") == 4)
        var table = FailureTable<MinuteFailures>()
        let keys = (0...capacity).map { FailureKey("\($0)", kind: "", secret: SymmetricKey(size: .bits256)) }
        for key in keys.dropLast() { table.add(key, at: clock.monotonicNow()) }
        #expect(keys.count { table[$0] != nil } == capacity)
        clock.advance(by: .seconds(60))
        table.add(keys[capacity], at: clock.monotonicNow())
        #expect(keys.count { table[$0] != nil } == 1)
    }

    @Test("a site with many networks is limited as a whole, and neighbouring sites are not affected")
    func sites() {
        let throttle = SignInThrottle(
            clock: VirtualClock(), random: RandomSource(SeededGenerator(seed: 1)), failuresPerMinute: 3)
        for number in 0..<48 { throttle.recordFailure(email: nil, address: "2001:db8:1:\(number)::1") }
        #expect(Self.wait(throttle, address: "2001:db8:1:ffff::1") == 60)
        #expect(Self.wait(throttle, address: "2001:db8:2::1") == nil)
    }
}

/// The password hasher rejects requests over its limit instead of queueing them.
@Suite struct HasherBoundTests {
    @Test("of many concurrent hashes at least nine are accepted; others are rejected, and later requests succeed")
    func crowd() async throws {
        let hasher = PasswordHasher(cost: 14, random: RandomSource(SeededGenerator(seed: 1)))
        let password = Secret("a long enough passphrase")
        let (hashed, refused) = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    guard let error = await failure({ _ = try await hasher.hash(password) }) else { return true }
                    if case .unavailable = error { return false }
                    Issue.record("unexpected error: \(error)")
                    return false
                }
            }
            return await group.reduce(into: (0, 0)) { counts, isHashed in
                if isHashed { counts.0 += 1 } else { counts.1 += 1 }
            }
        }
        #expect(hashed >= 9)
        #expect(refused > 0)
        #expect(try await hasher.verify(password, against: try await hasher.hash(password)))
    }

    /// Starts as many hashes at once as there are users, and returns how many of them are refused.
    private func refusals(_ hasher: PasswordHasher, of users: [UserID?]) async -> (limited: Int, unavailable: Int) {
        let password = Secret("a long enough passphrase")
        return await withTaskGroup(of: GatewayError?.self) { group in
            for user in users { group.addTask { await failure { _ = try await hasher.hash(password, for: user) } } }
            return await group.reduce(into: (0, 0)) { counts, error in
                switch error {
                case .rateLimited?: counts.0 += 1
                case .unavailable?: counts.1 += 1
                default: break
                }
            }
        }
    }

    /// A hasher whose first hash takes long enough for all others to be queued behind it.
    private func hasher() -> PasswordHasher { PasswordHasher(cost: 14, random: RandomSource(SeededGenerator(seed: 1))) }

    @Test("a signed-in user has one hash in the queue; further ones are rejected, and the user's next request succeeds")
    func oneForEachUser() async throws {
        let (hasher, user) = (hasher(), UserID(high: 1, low: 1))
        let refused = await refusals(hasher, of: Array(repeating: user, count: 9))
        #expect(refused.limited >= 1 && refused.unavailable == 0)
        _ = try await hasher.hash(Secret("a long enough passphrase"), for: user)
    }

    @Test("signed-in users fill at most four places; the others are kept for sign-ins")
    func keptPlaces() async throws {
        let hasher = hasher()
        let users = (1...20).map { UserID(high: 1, low: $0) }
        let crowd = Task { await refusals(hasher, of: users) }
        let signIns = await refusals(
            hasher, of: Array(repeating: nil, count: PasswordHasher.maxQueued - PasswordHasher.maxOfSignedIn))
        #expect(signIns.limited == 0 && signIns.unavailable == 0)
        #expect(await crowd.value.unavailable >= 1)
    }

    @Test(
        "text that is not a supported hash matches no password",
        arguments: [
            nil, "", "$scrypt$", "plain", "$scrypt$ln=10,r=8,p=1$AAAA", "$scrypt$ln=99,r=8,p=1$AAAA$AAAA",
            "$scrypt$ln=10,r=9,p=1$AAAA$AAAA", "$argon2$ln=10,r=8,p=1$AAAA$AAAA", "$scrypt$ln=10,r=8,p=1$*$AAAA",
        ] as [String?])
    func notAHash(text: String?) async throws {
        let hasher = PasswordHasher(cost: 10, random: RandomSource(SeededGenerator(seed: 1)))
        #expect(try await hasher.verify(Secret("a long enough passphrase"), against: text) == false)
    }
}
