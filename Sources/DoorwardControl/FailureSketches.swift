import Crypto
internal import DoorwardDomain
import FoundationEssentials

/// The cells of a name in a sketch, one in each row. Without the secret the cells are not predictable.
struct SketchKey {
    /// The number of rows of a sketch.
    static let rows = 4

    /// A random number for each row.
    let numbers: [UInt32]

    /// - Parameter secret: 32 random bytes of this process.
    init(_ name: String, kind: String, secret: SymmetricKey) {
        let digest = HMAC<SHA256>.authenticationCode(for: Data("\(kind)\u{0}\(name)".utf8), using: secret)
        let bytes = Array(digest)
        numbers = (0..<Self.rows).map { row in
            bytes[row * 4..<row * 4 + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    /// The index of the row's cell in one array of all rows.
    func cell(_ row: Int, width: Int) -> Int { row * width + Int(numbers[row]) % width }
}

/// Counts failures by name, for any number of names, in fixed memory: a count-min sketch with conservative update.
///
/// A name's count is never lower than in an exact table: failures of other names can raise it, and cannot lower it. A count
/// decreases by one for each ten minutes without a failure.
struct FailureSketch {
    private struct Cell {
        var level: UInt8 = 0
        var last = MonotonicInstant(nanoseconds: 0)
    }

    /// The cells of a row; four rows of 16-byte cells are 2 MiB.
    static let width = 32_768
    /// The time without a failure after which a count decreases by one. It exceeds the longest
    /// wait, so that a client that always waits before its next attempt does not lower its count.
    static let forgettingTime = Duration.seconds(600)

    private let highest: UInt8
    /// Empty until the first failure.
    private var cells: [Cell] = []

    /// - Parameter highest: the maximum count.
    init(highest: UInt8) { self.highest = highest }

    /// The minimum of `read` over the cells of the name; `read` gets a cell's count and the instant of its last failure.
    func least<Value: Comparable>(
        _ key: SketchKey, at now: MonotonicInstant, _ read: (_ failures: Int, _ last: MonotonicInstant) -> Value
    ) -> Value? {
        guard !cells.isEmpty else { return nil }
        return (0..<SketchKey.rows).map { row in
            let cell = cells[key.cell(row, width: Self.width)]
            return read(Self.level(of: cell, at: now), cell.last)
        }.min()
    }

    /// Counts a failure. The decay time of all cells of the name restarts, so that none of them
    /// decays earlier than `forgettingTime` after this failure.
    mutating func add(_ key: SketchKey, at now: MonotonicInstant) {
        if cells.isEmpty { cells = Array(repeating: Cell(), count: SketchKey.rows * Self.width) }
        let count = (least(key, at: now) { failures, _ in failures } ?? 0) + 1
        for row in 0..<SketchKey.rows {
            let index = key.cell(row, width: Self.width)
            let level = max(Self.level(of: cells[index], at: now), min(count, Int(highest)))
            cells[index] = Cell(level: UInt8(clamping: level), last: now)
        }
    }

    private static func level(of cell: Cell, at now: MonotonicInstant) -> Int {
        guard cell.level > 0 else { return 0 }
        let forgotten = now.duration(since: cell.last).wholeMilliseconds / forgettingTime.wholeMilliseconds
        return max(0, Int(cell.level) - Int(clamping: forgotten))
    }
}

/// Counts failures by name within the last minute, in fixed memory: count-min sketches of five seconds each.
///
/// A name's count is never below the number of its failures within the last 55 seconds. Failures
/// older than 60 seconds are not counted.
struct MinuteSketch {
    private static let sliceNanoseconds: Int64 = 5_000_000_000
    private static let slices = 12
    /// The cells of a row; twelve slices of four rows of four-byte cells are 3 MiB.
    static let width = 16_384

    /// The counts of a slice are empty until its first failure.
    private var counts: [[UInt32]] = Array(repeating: [], count: slices)
    /// The number of the current slice.
    private var current: Int64 = 0

    mutating func add(_ key: SketchKey, at now: MonotonicInstant) {
        advance(to: now)
        let slice = Self.index(current)
        if counts[slice].isEmpty { counts[slice] = Array(repeating: 0, count: SketchKey.rows * Self.width) }
        for row in 0..<SketchKey.rows { counts[slice][key.cell(row, width: Self.width)] += 1 }
    }

    /// How long the name must wait until it has fewer than `limit` failures; `nil` if it has fewer now.
    mutating func wait(_ key: SketchKey, limit: Int, at now: MonotonicInstant) -> Duration? {
        advance(to: now)
        guard count(key, withoutOldest: 0) >= limit else { return nil }
        let gone = (1...Self.slices).first { count(key, withoutOldest: $0) < limit } ?? Self.slices
        return MonotonicInstant(nanoseconds: (current + Int64(gone)) * Self.sliceNanoseconds).duration(since: now)
    }

    private func count(_ key: SketchKey, withoutOldest gone: Int) -> Int {
        let kept = (gone..<Self.slices).map { counts[Self.index(current + 1 + Int64($0))] }.filter { !$0.isEmpty }
        return (0..<SketchKey.rows).map { row in
            kept.reduce(0) { $0 + Int($1[key.cell(row, width: Self.width)]) }
        }.min() ?? 0
    }

    private mutating func advance(to now: MonotonicInstant) {
        let slice = now.nanoseconds / Self.sliceNanoseconds
        guard slice > current else { return }
        for passed in max(current + 1, slice - Int64(Self.slices) + 1)...slice { counts[Self.index(passed)] = [] }
        current = slice
    }

    private static func index(_ slice: Int64) -> Int { Int((slice + Int64(slices)) % Int64(slices)) }
}
