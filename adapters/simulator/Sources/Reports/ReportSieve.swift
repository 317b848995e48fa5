internal import DoorwardAdapterKit
internal import DoorwardDomain

/// The gateway's end of the line: tells by their numbers which reports are live, and makes of the others what they are
/// still good for. An old word is never handed on as a live one, so it can neither confirm nor fail an order.
struct ReportSieve {
    private enum Kind: Hashable {
        case state
        case door
        case battery
    }

    /// False for a lock that numbers nothing: everything looks live.
    private let readsNumbers: Bool
    /// The newest report of each kind.
    private var newest: [Kind: UInt64] = [:]
    private var window = ReplayWindow()

    init(readsNumbers: Bool) { self.readsNumbers = readsNumbers }

    /// What the gateway hears of a report; `nil` for nothing.
    ///
    /// - Parameter ordersSent: how many orders were handed to the lock by now.
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

    /// What an old word of the bolt is still good for: it stands in the log as what happened, if nobody has heard of it,
    /// and else is what the transport kept.
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
