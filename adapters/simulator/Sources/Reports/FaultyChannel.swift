internal import DoorwardAdapterKit
internal import DoorwardDomain

/// A report in transmission from the lock to the gateway.
struct SequencedReport: Hashable {
    /// Sequence number of the lock's report, from 1; a duplicate has that of the original.
    let number: UInt64
    /// Number of commands that the lock had accepted when it sent this report.
    let commandsAccepted: UInt64
    let fact: LockReport.Fact
}

/// The channel from a simulated lock to the gateway, which can delay, reorder and duplicate reports.
struct FaultyChannel {
    private struct InTransit: Hashable {
        let due: MonotonicInstant
        /// The order of sending.
        let sequence: UInt64
        let report: SequencedReport
    }

    private let settings: SimulatorSettings
    private var random: SeededRandom
    private var inTransit: [InTransit] = []
    private var reportCount: UInt64 = 0
    private var sequences: UInt64 = 0

    init(_ settings: SimulatorSettings, random: SeededRandom) { (self.settings, self.random) = (settings, random) }

    /// When the next report arrives; `nil` if none is in transmission.
    var nextDue: MonotonicInstant? { inTransit.map(\.due).min() }

    mutating func send(_ fact: LockReport.Fact, commandsAccepted: UInt64, faults: SimulatedFaults, at now: MonotonicInstant) {
        reportCount += 1
        let report = SequencedReport(number: reportCount, commandsAccepted: commandsAccepted, fact: fact)
        // Every report takes the same number of draws, so that a fault does not affect later reports.
        let isDelayed = random.chance(settings.disorderRate) || faults.disorders
        let delay = Duration.milliseconds(random.integer(upTo: settings.disorderMs))
        let isDuplicated = random.chance(settings.duplicateRate) || faults.duplicates
        let later = Duration.milliseconds(random.integer(upTo: settings.disorderMs))
        if case .availability = fact { return schedule(report, until: now) }
        let arrival = isDelayed ? now.advanced(by: delay) : now
        schedule(report, until: arrival)
        if isDuplicated { schedule(report, until: arrival.advanced(by: later)) }
    }

    /// Returns the reports that have arrived by `now`, in the order of arrival.
    mutating func takeArrived(by now: MonotonicInstant) -> [SequencedReport] {
        guard inTransit.contains(where: { $0.due <= now }) else { return [] }
        let arrived = inTransit.filter { $0.due <= now }.sorted { ($0.due, $0.sequence) < ($1.due, $1.sequence) }
        inTransit.removeAll { $0.due <= now }
        return arrived.map(\.report)
    }

    /// Cuts the channel: reports in transmission are lost.
    mutating func cut() { inTransit = [] }

    private mutating func schedule(_ report: SequencedReport, until due: MonotonicInstant) {
        sequences += 1
        inTransit.append(InTransit(due: due, sequence: sequences, report: report))
    }
}
