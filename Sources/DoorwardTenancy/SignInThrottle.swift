import Crypto
internal import DoorwardDomain
internal import DoorwardKernel
import FoundationEssentials
import Synchronization

/// Rate limits password guessing. Only failures count; no account is locked permanently, and existing sessions are not affected.
///
/// After five failures for an account the next attempt waits 1 s, then 2 s, 4 s … at most five minutes. A network with too many
/// failures within a minute has to wait too. Both counts use a bounded amount of memory, and failures of other accounts and
/// networks do not remove those that have failed often (decision 0031).
final class SignInThrottle: Sendable {
    /// The kinds of attempts, whose failures are counted separately: those at links delay no sign-in.
    enum Attempt: String {
        case signIn = ""
        case link = "link "
    }

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
    func admit(_ kind: Attempt = .signIn, email: String?, address: String?) throws(GatewayError) {
        let (now, limits) = (clock.monotonicNow(), limits(of: address, kind))
        try Self.refuse(for: tables.withLock { wait(email, limits, at: now, in: &$0) })
    }

    /// Counts a failure.
    ///
    /// - Parameter email: the account that was tried; `nil` if the attempt names no account, or if its password cannot be right.
    func recordFailure(_ kind: Attempt = .signIn, email: String?, address: String?) {
        let (now, limits) = (clock.monotonicNow(), limits(of: address, kind))
        tables.withLock { count(email, limits, at: now, in: &$0) }
    }

    /// Counts a failure, unless a wait for the account or network has begun since the attempt was admitted: concurrent attempts
    /// are handled as if they came one after another.
    ///
    /// - Throws: `.rateLimited`, without counting the failure.
    func recordFailureIfAdmitted(email: String?, address: String?) throws(GatewayError) {
        let (now, limits) = (clock.monotonicNow(), limits(of: address, .signIn))
        let rest = tables.withLock { tables in
            let rest = wait(email, limits, at: now, in: &tables)
            if rest == nil { count(email, limits, at: now, in: &tables) }
            return rest
        }
        try Self.refuse(for: rest)
    }

    /// - Parameter email: the address of an existing user.
    func resetFailures(email: String) {
        tables.withLock { $0.accounts.remove(key(email)) }
    }

    private static func refuse(for wait: Duration?) throws(GatewayError) {
        if let wait { throw .rateLimited(retryAfterSeconds: Int((wait.wholeMilliseconds + 999) / 1000)) }
    }

    /// The remaining wait; `nil` if there is none.
    private func wait(
        _ email: String?, _ limits: [NetworkLimit], at now: MonotonicInstant, in tables: inout Tables
    ) -> Duration? {
        var waits = limits.compactMap { tables.networks[$0.key]?.wait(limit: $0.failures, at: now) }
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

    private func limits(of address: String?, _ kind: Attempt) -> [NetworkLimit] {
        guard let address else { return [] }
        let key = FailureKey(Self.network(of: address), kind: kind.rawValue + "network", secret: secret)
        let network = NetworkLimit(key: key, failures: failuresPerMinute)
        guard let parsed = IPAddress(address), parsed.bytes.count == 16 else { return [network] }
        let site = FailureKey(parsed.network(ofIPv6Bits: Self.siteBits), kind: kind.rawValue + "site", secret: secret)
        return [network, NetworkLimit(key: site, failures: failuresPerMinute * Self.networksPerSite)]
    }

    /// The network that a client's failures are counted for.
    static func network(of address: String) -> String {
        IPAddress(address)?.network(ofIPv6Bits: networkBits) ?? address
    }
}

/// A name in a `FailureTable`. It does not contain the name, and is not predictable without the secret.
struct FailureKey: Hashable {
    private let digest: SIMD2<UInt64>

    /// - Parameter secret: 32 random bytes of this process.
    init(_ name: String, kind: String, secret: SymmetricKey) {
        let code = HMAC<SHA256>.authenticationCode(for: Data("\(kind)\u{0}\(name)".utf8), using: secret)
        digest = code.withUnsafeBytes { $0.loadUnaligned(as: SIMD2<UInt64>.self) }
    }
}

/// How often one name has failed.
protocol FailureCount {
    /// Without a failure.
    init()

    func failures(at now: MonotonicInstant) -> Int

    mutating func add(at now: MonotonicInstant)
}

/// Counts failures by name, in bounded memory. When it is full, the names with the fewest failures are removed: failures of many other
/// names do not remove a name that has failed often.
struct FailureTable<Count: FailureCount> {
    /// The maximum number of names.
    static var capacity: Int { 32_768 }

    private var counts: [FailureKey: Count] = [:]

    subscript(_ key: FailureKey) -> Count? { counts[key] }

    mutating func add(_ key: FailureKey, at now: MonotonicInstant) {
        if counts[key] == nil, counts.count >= Self.capacity { makeRoom(at: now) }
        counts[key, default: Count()].add(at: now)
    }

    mutating func remove(_ key: FailureKey) { counts[key] = nil }

    /// Keeps at most three quarters of the names, so that the work for one new name stays small.
    private mutating func makeRoom(at now: MonotonicInstant) {
        let failures = counts.map { ($0.key, $0.value.failures(at: now)) }.sorted { $0.1 < $1.1 }
        let surplus = failures.count - Self.capacity / 4 * 3
        for (index, (key, count)) in failures.enumerated() where count == 0 || index < surplus { counts[key] = nil }
    }
}

/// The failures of an account. The count decreases by one for each ten minutes without a failure.
struct AccountFailures: FailureCount {
    /// The count after which the wait does not grow.
    static let highest = 14
    /// The time without a failure after which the count decreases by one. It exceeds the longest wait, so that a client that always
    /// waits before its next attempt does not lower its count.
    private static let forgettingTime = Duration.seconds(600)

    private var count = 0
    /// The last failure.
    private(set) var last = MonotonicInstant(nanoseconds: 0)

    func failures(at now: MonotonicInstant) -> Int {
        let forgotten = now.duration(since: last).wholeMilliseconds / Self.forgettingTime.wholeMilliseconds
        return max(0, count - Int(clamping: forgotten))
    }

    mutating func add(at now: MonotonicInstant) { (count, last) = (min(failures(at: now) + 1, Self.highest), now) }
}

/// The failures within the last minute, in slices of five seconds. Those of the last 55 seconds are counted, and none older than 60.
struct MinuteFailures: FailureCount {
    private static let (slices, sliceNanoseconds) = (Int64(12), Int64(5_000_000_000))

    /// The count of the slice with number n is at n modulo twelve.
    private var counts = SIMD16<UInt32>()
    private var newest: Int64 = 0

    func failures(at now: MonotonicInstant) -> Int { failures(since: Self.slice(now) - Self.slices + 1) }

    mutating func add(at now: MonotonicInstant) {
        let slice = max(newest, Self.slice(now))
        for passed in max(newest + 1, slice - Self.slices + 1)..<slice + 1 { counts[Self.index(passed)] = 0 }
        newest = slice
        counts[Self.index(slice)] &+= 1
    }

    /// How long to wait until there are fewer than `limit` failures; `nil` if there are fewer now.
    func wait(limit: Int, at now: MonotonicInstant) -> Duration? {
        let slice = Self.slice(now)
        let oldest = slice - Self.slices + 1
        guard failures(since: oldest) >= limit else { return nil }
        let gone = (1...Self.slices).first { failures(since: oldest + $0) < limit } ?? Self.slices
        return MonotonicInstant(nanoseconds: (slice + gone) * Self.sliceNanoseconds).duration(since: now)
    }

    private func failures(since first: Int64) -> Int {
        let first = max(first, newest - Self.slices + 1, 0)
        return first > newest ? 0 : (first...newest).reduce(0) { $0 + Int(counts[Self.index($1)]) }
    }

    private static func slice(_ instant: MonotonicInstant) -> Int64 { instant.nanoseconds / sliceNanoseconds }
    private static func index(_ slice: Int64) -> Int { Int(slice % slices) }
}

/// Records failed sign-ins: the first failure of each account and network immediately, further ones
/// as one summary per minute with their number.
///
/// Under any load at most `maxPairs` first records and `maxPairs` + 1 summaries are written per
/// minute. Failures beyond these limits are counted in the last summary.
final class SignInFailures: UseCases, Sendable {
    /// An account and a network, whose failures are summarised together.
    private struct Pair: Hashable {
        let account: String?
        let network: String?
    }

    private struct Repeated {
        let target: RecordTarget?
        let source: RecordSource
        /// The number of failures that are not recorded yet.
        var count: Int64
    }

    private struct Table {
        var pairs: [Pair: Repeated] = [:]
        /// The number of failures of pairs that exceeded `maxPairs`.
        var others: Int64 = 0
        var timer: Task<Void, Never>?
        var isClosed = false
    }

    /// The maximum number of pairs of account and network that are tracked at the same time.
    static let maxPairs = 60
    private static let period = Duration.seconds(60)

    let kernel: Kernel
    private let executor: (any TaskExecutor)?
    private let table = Mutex(Table())

    init(_ kernel: Kernel, executor: (any TaskExecutor)?) { (self.kernel, self.executor) = (kernel, executor) }

    /// Counts a failure, and makes the record durable if it is the first of its account and network.
    ///
    /// - Parameters:
    ///   - account: the email address of the account that was tried, or the address as entered; `nil` if the attempt names none.
    ///   - user: the user whose account was tried, if there is one.
    func record(_ origin: RequestOrigin, account: String?, user: User?) async throws(GatewayError) {
        let pair = Pair(account: account?.lowercased(), network: origin.clientAddress.map { SignInThrottle.network(of: $0) })
        let target = user.map { RecordTarget($0) }
        guard begins(pair, target, origin.source) else { return }
        do {
            // A failed sign-in does not authenticate a user: the account that was tried is the target, and the actor is unknown.
            let first = record(of: target, origin.source, from: origin.clientAddress, requestID: origin.requestID)
            try await storeGuard.write(StoreTransaction(records: [first]))
        } catch {
            table.withLock { $0.pairs[pair]?.count += 1 }
            throw error
        }
    }

    /// Writes the summaries of failures that are not recorded yet, and stops the timer.
    func close() async throws(GatewayError) {
        let timer = table.withLock { table in
            table.isClosed = true
            return table.timer
        }
        timer?.cancel()
        try await writeSummaries()
    }

    private func begins(_ pair: Pair, _ target: RecordTarget?, _ source: RecordSource) -> Bool {
        table.withLock { table in
            if table.timer == nil, !table.isClosed { table.timer = timer() }
            if table.pairs[pair] != nil {
                table.pairs[pair]?.count += 1
                return false
            }
            guard table.pairs.count < Self.maxPairs else {
                table.others += 1
                return false
            }
            table.pairs[pair] = Repeated(target: target, source: source, count: 0)
            return true
        }
    }

    /// Writes the summaries every minute for as long as there are failures.
    private func timer() -> Task<Void, Never> {
        Task(executorPreference: executor) { [weak self, clock] in
            repeat {
                do { try await clock.sleep(until: clock.monotonicNow().advanced(by: Self.period)) } catch { return }
                // A failed write is repeated in a minute; the counts are kept.
                try? await self?.writeSummaries()
            } while self?.goesOn() ?? false
        }
    }

    private func goesOn() -> Bool {
        table.withLock { table in
            guard table.pairs.isEmpty, table.others == 0 else { return true }
            table.timer = nil
            return false
        }
    }

    /// Writes the summaries. A pair that failed again within the minute stays tracked, so that its next failures are counted too.
    private func writeSummaries() async throws(GatewayError) {
        let (pairs, others) = table.withLock { table -> ([Pair: Repeated], Int64) in
            let pairs = table.pairs.filter { $0.value.count > 0 }
            let others = table.others
            table.pairs = pairs.mapValues { Repeated(target: $0.target, source: $0.source, count: 0) }
            table.others = 0
            return (pairs, others)
        }
        var records = pairs.map { record(of: $1.target, $1.source, from: $0.network, count: $1.count) }
        if others > 0 { records.append(record(of: nil, .gateway, from: nil, count: others)) }
        guard !records.isEmpty else { return }
        do {
            try await storeGuard.write(StoreTransaction(records: records))
        } catch {
            table.withLock { table in
                table.others += others
                table.pairs.merge(pairs) { later, earlier in
                    Repeated(target: earlier.target, source: earlier.source, count: earlier.count + later.count)
                }
            }
            throw error
        }
    }

    // MARK: - Records

    /// - Parameter count: the number of failures that a summary counts; `nil` for the record of a single one.
    private func record(
        of target: RecordTarget?, _ source: RecordSource, from address: String?, requestID: String? = nil, count: Int64? = nil
    ) -> PendingRecord {
        let now = clock.now()
        return PendingRecord(
            RecordBody(
                log: .gateway, id: random.id(at: now), at: now, kind: .session, actor: .outside, source: source,
                clientAddress: address, requestID: requestID, event: .signInFailed, target: target,
                details: count.map { ["failures": .integer($0)] } ?? [:]))
    }
}
