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

/// Receiving end of the channel: decides by sequence numbers which reports are live, and converts the others. An old report is
/// never delivered as a live one, so it can neither confirm nor fail a command.
struct ReplayFilter {
    private enum Kind: Hashable {
        case state
        case door
        case battery
    }

    /// Whether the lock's reports have sequence numbers. If not, every report counts as live.
    private let usesSequenceNumbers: Bool
    /// The number of the newest report of each kind.
    private var newest: [Kind: UInt64] = [:]
    private var window = ReplayWindow()

    init(usesSequenceNumbers: Bool) { self.usesSequenceNumbers = usesSequenceNumbers }

    /// Converts a received report; `nil` if it is discarded.
    ///
    /// - Parameter commandsSent: number of commands sent to the lock by now.
    mutating func receive(_ report: SequencedReport, commandsSent: UInt64) -> LockReport.Fact? {
        guard usesSequenceNumbers else { return report.fact }
        let isRepeat = !window.accept(report.number)
        let isOld = isRepeat || report.commandsAccepted < commandsSent || isOvertaken(report)
        switch report.fact {
        case .availability, .faults, .product, .deliveredLate: return report.fact
        case .event: return isRepeat ? nil : report.fact
        case .refusal, .settings: return isOld ? nil : report.fact
        case .door: return isRepeat ? nil : isOvertaken(report) ? report.fact.asEvent : markNewest(report, .door)
        case .battery: return isRepeat || isOvertaken(report) ? nil : markNewest(report, .battery)
        case .state: return isOld ? convertOld(report, isRepeat: isRepeat) : markNewest(report, .state)
        }
    }

    /// Converts an old state of the bolt. It becomes an event if the report is no duplicate and has another cause than a command;
    /// else it becomes a retained state.
    private func convertOld(_ report: SequencedReport, isRepeat: Bool) -> LockReport.Fact? {
        guard case .state(let state, _, let method, let name) = report.fact else { return nil }
        if !isRepeat, let method, method != .remote, let event = report.fact.asEvent { return event }
        return .state(state, quality: .retained, method: method, operatorName: name)
    }

    private mutating func markNewest(_ report: SequencedReport, _ kind: Kind) -> LockReport.Fact {
        newest[kind] = report.number
        return report.fact
    }

    private func isOvertaken(_ report: SequencedReport) -> Bool {
        let kind: Kind? =
            switch report.fact {
            case .state, .refusal: .state
            case .door: .door
            case .battery: .battery
            case .availability, .event, .faults, .settings, .product, .deliveredLate: nil
            }
        return kind.flatMap { newest[$0] }.map { report.number < $0 } ?? false
    }
}

/// Sliding window of the last 64 sequence numbers, as IPsec uses against replay (RFC 4303, section 3.4.3).
struct ReplayWindow: Hashable {
    private var highest: UInt64 = 0
    /// The lowest bit represents `highest`, the next one the number before it.
    private var bits: UInt64 = 0

    /// - Returns: false for a number that was seen, or that is too old to decide. Numbers begin at 1.
    mutating func accept(_ number: UInt64) -> Bool {
        if number > highest {
            let step = number - highest
            bits = step < 64 ? bits << step | 1 : 1
            highest = number
            return true
        }
        let age = highest - number
        guard age < 64, bits & (1 << age) == 0 else { return false }
        bits |= 1 << age
        return true
    }
}

/// Random generator of one simulated lock: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), reproducible by its seed.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A random integer from 0 to `limit`, which must not be negative. Takes exactly one draw; the bias is below 2⁻⁴⁷ for limits
    /// of a minute in milliseconds.
    mutating func integer<Number: BinaryInteger>(upTo limit: Number) -> Number { Number(next() % (UInt64(limit) + 1)) }

    /// True with this probability, 0 to 1. Takes exactly one draw.
    mutating func chance(_ rate: Double) -> Bool { Double(next() >> 11) * 0x1p-53 < rate }
}
