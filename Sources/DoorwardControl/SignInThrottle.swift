internal import DoorwardDomain
import Synchronization

/// Slows down guessing. Only failures count; nothing locks out for good, and sessions that stand are not touched.
///
/// After five failures for an account the next attempt waits 1 s, then 2 s, 4 s … at most five minutes; after too many
/// from one address within a minute, that address waits for the minute's end.
final class SignInThrottle: Sendable {
    fileprivate struct Account {
        var failures = 0
        var notBefore: MonotonicInstant
    }

    fileprivate struct Minute {
        var start: MonotonicInstant
        var failures = 0
    }

    fileprivate struct Tables {
        var accounts: [String: Account] = [:]
        var addresses: [String: Minute] = [:]
    }

    fileprivate static let freeFailures = 5
    fileprivate static let longestWait = Duration.seconds(300)
    /// How many accounts and addresses are remembered; beyond, those with the fewest failures are forgotten.
    private static let capacity = 10_000

    private let clock: any GatewayClock
    private let failuresPerMinute: Int
    private let tables = Mutex(Tables())

    init(clock: any GatewayClock, failuresPerMinute: Int) { (self.clock, self.failuresPerMinute) = (clock, failuresPerMinute) }

    /// - Throws: `.rateLimited` when this account or address has to wait.
    func admit(email: String?, address: String?) throws(GatewayError) {
        let now = clock.monotonicNow()
        let wait = tables.withLock { tables -> Duration? in
            var waits: [Duration] = []
            if let email, let account = tables.accounts[email.lowercased()] {
                waits.append(account.notBefore.duration(since: now))
            }
            if let address, let minute = tables.addresses[address], minute.failures >= failuresPerMinute {
                waits.append(minute.start.advanced(by: .seconds(60)).duration(since: now))
            }
            return waits.max().flatMap { $0 > .zero ? $0 : nil }
        }
        if let wait { throw .rateLimited(retryAfterSeconds: Int((wait.wholeMilliseconds + 999) / 1000)) }
    }

    /// - Parameter email: the account that was tried; `nil` where what was tried names none.
    func noteFailure(email: String?, address: String?) {
        let now = clock.monotonicNow()
        tables.withLock { tables in
            tables.forget(before: now, capacity: Self.capacity)
            if let email { tables.noteFailure(account: email.lowercased(), at: now) }
            if let address { tables.noteFailure(address: address, at: now) }
        }
    }

    /// How many accounts and addresses are remembered at this moment.
    var rememberedCount: Int { tables.withLock { $0.accounts.count + $0.addresses.count } }

    func noteSuccess(email: String) { tables.withLock { _ = $0.accounts.removeValue(forKey: email.lowercased()) } }
}

extension SignInThrottle.Tables {
    fileprivate mutating func noteFailure(account name: String, at now: MonotonicInstant) {
        var account = accounts[name] ?? SignInThrottle.Account(notBefore: now)
        account.failures += 1
        let beyond = account.failures - SignInThrottle.freeFailures
        if beyond >= 0 {
            account.notBefore = now.advanced(by: min(.seconds(1 << min(beyond, 9)), SignInThrottle.longestWait))
        }
        accounts[name] = account
    }

    fileprivate mutating func noteFailure(address: String, at now: MonotonicInstant) {
        var minute = addresses[address] ?? SignInThrottle.Minute(start: now)
        if now >= minute.start.advanced(by: .seconds(60)) { minute = SignInThrottle.Minute(start: now) }
        minute.failures += 1
        addresses[address] = minute
    }

    /// Bounds the memory that guessing can take.
    fileprivate mutating func forget(before now: MonotonicInstant, capacity: Int) {
        if addresses.count > capacity { addresses = addresses.filter { now < $0.value.start.advanced(by: .seconds(60)) } }
        if accounts.count > capacity { accounts = accounts.filter { now < $0.value.notBefore } }
        // Half at once, so that a flood does not make every failure sort the whole table.
        if addresses.count > capacity {
            let worst = addresses.sorted { $0.value.failures > $1.value.failures }.prefix(capacity / 2)
            addresses = Dictionary(uniqueKeysWithValues: worst.map { ($0.key, $0.value) })
        }
    }
}
