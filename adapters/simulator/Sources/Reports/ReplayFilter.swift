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
    private let readsNumbers: Bool
    /// The number of the newest report of each kind.
    private var newest: [Kind: UInt64] = [:]
    private var window = ReplayWindow()

    init(readsNumbers: Bool) { self.readsNumbers = readsNumbers }

    /// Converts a received report; `nil` if it is discarded.
    ///
    /// - Parameter ordersSent: number of commands sent to the lock by now.
    mutating func hear(_ frame: Frame, ordersSent: UInt64) -> LockReport.Fact? {
        guard readsNumbers else { return frame.fact }
        let isRepeat = !window.admit(frame.number)
        let isOld = isRepeat || frame.ordersTaken < ordersSent || isOvertaken(frame)
        switch frame.fact {
        case .availability, .faults, .deliveredLate: return frame.fact
        case .event: return isRepeat ? nil : frame.fact
        case .refusal: return isOld ? nil : frame.fact
        case .door: return isRepeat ? nil : isOvertaken(frame) ? frame.fact.asEvent : note(frame, .door)
        case .battery: return isRepeat || isOvertaken(frame) ? nil : note(frame, .battery)
        case .state: return isOld ? past(frame, isRepeat: isRepeat) : note(frame, .state)
        }
    }

    /// Converts an old state of the bolt. It becomes an event if the report is no duplicate and has another cause than a command;
    /// else it becomes a retained state.
    private func past(_ frame: Frame, isRepeat: Bool) -> LockReport.Fact? {
        guard case .state(let state, _, let method, let name) = frame.fact else { return nil }
        if !isRepeat, let method, method != .remote, let event = frame.fact.asEvent { return event }
        return .state(state, quality: .retained, method: method, operatorName: name)
    }

    private mutating func note(_ frame: Frame, _ kind: Kind) -> LockReport.Fact {
        newest[kind] = frame.number
        return frame.fact
    }

    private func isOvertaken(_ frame: Frame) -> Bool {
        let kind: Kind? =
            switch frame.fact {
            case .state, .refusal: .state
            case .door: .door
            case .battery: .battery
            case .availability, .event, .faults, .deliveredLate: nil
            }
        return kind.flatMap { newest[$0] }.map { frame.number < $0 } ?? false
    }
}

/// Sliding window of the last 64 sequence numbers, as IPsec uses against replay (RFC 4303, section 3.4.3).
struct ReplayWindow: Hashable {
    private var highest: UInt64 = 0
    /// The lowest bit represents `highest`, the next one the number before it.
    private var bits: UInt64 = 0

    /// - Returns: false for a number that was seen, or that is too old to decide. Numbers begin at 1.
    mutating func admit(_ number: UInt64) -> Bool {
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
