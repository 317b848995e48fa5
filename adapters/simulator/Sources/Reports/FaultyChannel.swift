internal import DoorwardAdapterKit
internal import DoorwardDomain

/// A report in transmission from the lock to the gateway.
struct Frame: Hashable {
    /// Sequence number of the lock's report, from 1; a duplicate has that of the original.
    let number: UInt64
    /// Number of commands that the lock had accepted when it sent this report.
    let ordersTaken: UInt64
    let fact: LockReport.Fact
}

/// The channel from a simulated lock to the gateway, which can delay, reorder and duplicate reports.
struct FaultyChannel {
    private struct Held: Hashable {
        let due: MonotonicInstant
        /// The order of sending.
        let ticket: UInt64
        let frame: Frame
    }

    private let settings: SimulatorSettings
    private var draws: SeededRandom
    private var held: [Held] = []
    private var frames: UInt64 = 0
    private var tickets: UInt64 = 0

    init(_ settings: SimulatorSettings, draws: SeededRandom) { (self.settings, self.draws) = (settings, draws) }

    /// When the next report arrives; `nil` if none is in transmission.
    var nextDue: MonotonicInstant? { held.map(\.due).min() }

    mutating func send(_ fact: LockReport.Fact, ordersTaken: UInt64, faults: SimulatedFaults, at now: MonotonicInstant) {
        frames += 1
        let frame = Frame(number: frames, ordersTaken: ordersTaken, fact: fact)
        // Every report takes the same number of draws, so that a fault does not affect later reports.
        let isHeldUp = draws.chance(settings.disorderRate) || faults.disorders
        let delay = Duration.milliseconds(draws.integer(upTo: settings.disorderMs))
        let isDoubled = draws.chance(settings.duplicateRate) || faults.duplicates
        let later = Duration.milliseconds(draws.integer(upTo: settings.disorderMs))
        if case .availability = fact { return hold(frame, until: now) }
        let arrival = isHeldUp ? now.advanced(by: delay) : now
        hold(frame, until: arrival)
        if isDoubled { hold(frame, until: arrival.advanced(by: later)) }
    }

    /// Returns the reports that have arrived by `now`, in the order of arrival.
    mutating func takeArrived(by now: MonotonicInstant) -> [Frame] {
        guard held.contains(where: { $0.due <= now }) else { return [] }
        let arrived = held.filter { $0.due <= now }.sorted { ($0.due, $0.ticket) < ($1.due, $1.ticket) }
        held.removeAll { $0.due <= now }
        return arrived.map(\.frame)
    }

    /// Cuts the channel: reports in transmission are lost.
    mutating func cut() { held = [] }

    private mutating func hold(_ frame: Frame, until due: MonotonicInstant) {
        tickets += 1
        held.append(Held(due: due, ticket: tickets, frame: frame))
    }
}
