internal import Metrics
internal import Synchronization

/// An atomic sum. Each sum is a separate object, so that threads that add to different sums do not wait for each other.
final class MetricCell: Sendable {
    private let value = Atomic<Int64>(0)

    func add(_ amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }

    var current: Int64 { value.load(ordering: .relaxed) }
}

/// A series of a counter.
final class CounterSeries: CounterHandler {
    private let cell = MetricCell()

    var value: Int64 { cell.current }

    /// Ignores amounts that are not positive: a counter never decreases.
    func increment(by amount: Int64) { if amount > 0 { cell.add(amount) } }

    /// Does nothing: a counter is reset to 0 only when its process starts.
    func reset() {}
}

/// A series of a gauge: the last value that was set.
final class GaugeSeries: MeterHandler {
    private let bits = Atomic<UInt64>(0)

    var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
    func decrement(by amount: Double) { increment(by: -amount) }

    func increment(by amount: Double) {
        var before = bits.load(ordering: .relaxed)
        while true {
            let after = (Double(bitPattern: before) + amount).bitPattern
            let (exchanged, found) = bits.weakCompareExchange(expected: before, desired: after, ordering: .relaxed)
            if exchanged { return }
            before = found
        }
    }
}

/// A series of a histogram: the number of values up to each bound, and their sum.
final class HistogramSeries: TimerHandler, RecorderHandler {
    /// Upper bounds, inclusive, ascending.
    let bounds: [Int64]
    /// One counter for each bound, and one for values above the last bound.
    private let cells: [MetricCell]
    private let sumCell = MetricCell()

    init(bounds: [Int64]) {
        self.bounds = bounds
        cells = (0...bounds.count).map { _ in MetricCell() }
    }

    func recordNanoseconds(_ duration: Int64) { record(duration) }
    /// Rounds the value to a whole number and records it. NaN, infinity and values outside `Int64` are not recorded.
    func record(_ value: Double) {
        if let whole = Int64(exactly: value.rounded()) { record(whole) }
    }

    func record(_ value: Int64) {
        var index = 0
        while index < bounds.count, bounds[index] < value { index += 1 }
        cells[index].add(1)
        sumCell.add(value)
    }

    /// The number of values up to each bound; the last element counts all values. They are computed in one pass, so that no
    /// element is smaller than the one before it.
    var cumulativeCounts: [Int64] {
        var total: Int64 = 0
        return cells.map { cell in
            total += cell.current
            return total
        }
    }

    var sum: Int64 { sumCell.current }
    /// The number of all values.
    var count: Int64 { cells.reduce(0) { $0 + $1.current } }
}
