import Crypto
internal import DoorwardDomain
import FoundationEssentials

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
