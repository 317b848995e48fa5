internal import DoorwardAdapterKit
internal import DoorwardDomain

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
