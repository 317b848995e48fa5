import Crypto
internal import DoorwardDomain
import Synchronization

/// Rate limits password guessing. Only failures count; no account is locked permanently, and existing sessions are not affected.
///
/// After five failures for an account the next attempt waits 1 s, then 2 s, 4 s … at most five minutes. A network with too many
/// failures within a minute has to wait too. Both counts use a bounded amount of memory, and failures of other accounts and
/// networks do not remove those that have failed often (decision 0031).
final class SignInThrottle: Sendable {
    private struct Tables {
        var accounts = FailureTable<AccountFailures>()
        var networks = FailureTable<MinuteFailures>()
    }

    private static let freeFailures = 5
    private static let maxWait = Duration.seconds(300)
    /// Prefix lengths of an IPv6 subscriber network and of an IPv6 site; a site contains many such networks.
    private static let (networkBits, siteBits) = (64, 48)
    /// The limit of a site, as a multiple of a network's limit.
    private static let networksPerSite = 16

    private let clock: any GatewayClock
    private let failuresPerMinute: Int
    private let secret: SymmetricKey
    private let tables = Mutex(Tables())

    init(clock: any GatewayClock, random: RandomSource, failuresPerMinute: Int) {
        (self.clock, self.failuresPerMinute) = (clock, failuresPerMinute)
        secret = SymmetricKey(data: random.bytes(32))
    }

    /// - Parameters:
    ///   - email: the account, as stored for the user if there is one.
    ///   - address: the client's address; `nil` if it has none.
    /// - Throws: `.rateLimited` if this account or network has to wait.
    func admit(email: String?, address: String?) throws(GatewayError) {
        let (now, limits) = (clock.monotonicNow(), limits(of: address))
        try Self.refuse(for: tables.withLock { wait(email, limits, at: now, in: &$0) })
    }

    /// Counts a failure.
    ///
    /// - Parameter email: the account that was tried; `nil` if the attempt names no account, or if its password cannot be right.
    func noteFailure(email: String?, address: String?) {
        let (now, limits) = (clock.monotonicNow(), limits(of: address))
        tables.withLock { count(email, limits, at: now, in: &$0) }
    }

    /// Admits an attempt to use a link, unless too many tokens of links from this network were wrong within the last minute. They are
    /// counted by themselves, so that they slow no sign-in.
    func admitLink(address: String?) throws(GatewayError) {
        let (now, limits) = (clock.monotonicNow(), limits(of: address, kind: "link "))
        try Self.refuse(for: tables.withLock { wait(nil, limits, at: now, in: &$0) })
    }

    /// Counts a wrong token of a link.
    func noteLinkFailure(address: String?) {
        let (now, limits) = (clock.monotonicNow(), limits(of: address, kind: "link "))
        tables.withLock { count(nil, limits, at: now, in: &$0) }
    }

    /// Counts a failure, unless a wait for the account or network has begun since the attempt was admitted: concurrent attempts
    /// are handled as if they came one after another.
    ///
    /// - Throws: `.rateLimited`, without counting the failure.
    func noteFailureIfAdmitted(email: String?, address: String?) throws(GatewayError) {
        let (now, limits) = (clock.monotonicNow(), limits(of: address))
        let rest = tables.withLock { tables in
            let rest = wait(email, limits, at: now, in: &tables)
            if rest == nil { count(email, limits, at: now, in: &tables) }
            return rest
        }
        try Self.refuse(for: rest)
    }

    /// - Parameter email: the address of an existing user.
    func noteSuccess(email: String) {
        tables.withLock { $0.accounts.remove(key(email)) }
    }

    private static func refuse(for wait: Duration?) throws(GatewayError) {
        if let wait { throw .rateLimited(retryAfterSeconds: Int((wait.wholeMilliseconds + 999) / 1000)) }
    }

    /// The remaining wait; `nil` if there is none.
    private func wait(
        _ email: String?, _ limits: [NetworkLimit], at now: MonotonicInstant, in tables: inout Tables
    ) -> Duration? {
        var waits: [Duration] = []
        for limit in limits {
            if let wait = tables.networks[limit.key]?.wait(limit: limit.failures, at: now) { waits.append(wait) }
        }
        if let email, let failures = tables.accounts[key(email)] {
            waits.append(Self.end(ofWaitAfter: failures.failures(at: now), failures.last).duration(since: now))
        }
        return waits.max().flatMap { $0 > .zero ? $0 : nil }
    }

    private func count(_ email: String?, _ limits: [NetworkLimit], at now: MonotonicInstant, in tables: inout Tables) {
        if let email { tables.accounts.add(key(email), at: now) }
        for limit in limits { tables.networks.add(limit.key, at: now) }
    }

    private static func end(ofWaitAfter failures: Int, _ last: MonotonicInstant) -> MonotonicInstant {
        let beyond = failures - freeFailures
        return beyond < 0 ? last : last.advanced(by: min(.seconds(1 << min(beyond, 9)), maxWait))
    }

    private func key(_ email: String) -> FailureKey { FailureKey(email.lowercased(), kind: "account", secret: secret) }

    private struct NetworkLimit {
        let key: FailureKey
        let failures: Int
    }

    /// - Parameter kind: a prefix for what is counted separately.
    private func limits(of address: String?, kind: String = "") -> [NetworkLimit] {
        guard let address else { return [] }
        let key = FailureKey(Self.network(of: address), kind: kind + "network", secret: secret)
        let network = NetworkLimit(key: key, failures: failuresPerMinute)
        guard let parsed = IPAddress(address), parsed.bytes.count == 16 else { return [network] }
        let site = FailureKey(parsed.network(ofIPv6Bits: Self.siteBits), kind: kind + "site", secret: secret)
        return [network, NetworkLimit(key: site, failures: failuresPerMinute * Self.networksPerSite)]
    }

    /// The network that a client's failures are counted for.
    static func network(of address: String) -> String {
        IPAddress(address)?.network(ofIPv6Bits: networkBits) ?? address
    }
}
