internal import Metrics
internal import Synchronization

/// A number that grows. Each is an object of its own, so that many threads add without waiting for one another.
final class MetricCell: Sendable {
    private let value = Atomic<Int64>(0)

    func add(_ amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }

    var current: Int64 { value.load(ordering: .relaxed) }
}

/// A series of a counter.
final class CounterSeries: CounterHandler {
    private let cell = MetricCell()

    var value: Int64 { cell.current }

    /// A counter never goes back: what is not positive counts for nothing.
    func increment(by amount: Int64) { if amount > 0 { cell.add(amount) } }

    /// A counter goes back to 0 with its process alone.
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

/// A series of a histogram: how many values were at most each bound, and their sum.
final class HistogramSeries: TimerHandler, RecorderHandler {
    /// Upper bounds, inclusive, ascending.
    let bounds: [Int64]
    /// One for each bound and one for what is beyond the last.
    private let cells: [MetricCell]
    private let sumCell = MetricCell()

    init(bounds: [Int64]) {
        self.bounds = bounds
        cells = (0...bounds.count).map { _ in MetricCell() }
    }

    func recordNanoseconds(_ duration: Int64) { record(duration) }
    func record(_ value: Double) { record(Int64(value)) }

    func record(_ value: Int64) {
        var index = 0
        while index < bounds.count, bounds[index] < value { index += 1 }
        cells[index].add(1)
        sumCell.add(value)
    }

    /// How many values there are up to each bound, and in all as the last: taken from one reading, so that they never
    /// contradict one another.
    var cumulativeCounts: [Int64] {
        var total: Int64 = 0
        return cells.map { cell in
            total += cell.current
            return total
        }
    }

    var sum: Int64 { sumCell.current }
}
