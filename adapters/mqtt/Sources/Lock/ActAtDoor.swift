internal import DoorwardAdapterKit
internal import DoorwardDomain

/// One act at the door that a lock tells in two messages, what happened and where the bolt is now: it is written down once, with
/// the most that is known. Nothing is held back for it: whichever comes first is told when it comes.
struct ActAtDoor {
    /// How long the second message may take: bridges poll a lock after it has moved.
    static let span = Duration.seconds(10)

    private struct Told {
        let event: RecordEvent
        let isByState: Bool
        let until: MonotonicInstant
    }

    private struct Teller {
        /// What they were about to do; `nil` where it was not said.
        let event: RecordEvent?
        let method: EventMethod?
        let operatorName: String?
        let until: MonotonicInstant
    }

    /// The movement that was told last.
    private var told: Told?
    /// Somebody was there of whom it was not said what they did, or not yet whether it was done.
    private var teller: Teller?

    /// Takes in what has happened, before the facts of the same message: who it was may explain a movement that follows.
    mutating func note(_ events: [LockEvent], at now: MonotonicInstant) {
        for event in events where event.kind == .operation && event.isDone != false {
            let method = event.eventMethod.flatMap { $0 == .unknown ? nil : $0 }
            guard event.isAttempt || (event.operation == .unknown && method != nil) else {
                teller = nil
                continue
            }
            teller = Teller(
                event: event.isAttempt ? event.recordEvent : nil, method: method, operatorName: event.operatorName,
                until: now.advanced(by: Self.span))
        }
    }

    /// - Parameter isMovement: for a state, whether the bolt was known to be elsewhere before.
    /// - Returns: what is to be told, and whether it only repeats what was written down a moment ago; `nil` where nothing is.
    mutating func tell(
        _ fact: LockReport.Fact, isMovement: Bool, at now: MonotonicInstant
    ) -> (fact: LockReport.Fact, isRepeat: Bool)? {
        switch fact {
        case .state(let state, quality: .confirmed, let method, let name):
            guard let event = RecordEvent(state) else {
                // Where it goes from there is news again.
                if state == .unknown { told = nil }
                return (fact, false)
            }
            let isRepeat = told.map { $0.event == event && !$0.isByState && now <= $0.until } ?? false
            guard !isRepeat else { return (fact, true) }
            guard isMovement else {
                if told?.event != event { told = nil }
                return (fact, false)
            }
            told = Told(event: event, isByState: true, until: now.advanced(by: Self.span))
            defer { teller = nil }
            guard method == nil, let teller, now <= teller.until, teller.event.map({ $0 == event }) ?? true else {
                return (fact, false)
            }
            return (.state(state, quality: .confirmed, method: teller.method, operatorName: name ?? teller.operatorName), false)
        case .event(let event, let method, let name):
            guard RecordEvent.movements.contains(event) else { return (fact, false) }
            let isTold = told.map { $0.event == event && $0.isByState && now <= $0.until } ?? false
            // A log is only added to: who it was is worth another line, that it was is not.
            if isTold, method == nil || method == .unknown, name == nil { return nil }
            told = Told(event: event, isByState: false, until: now.advanced(by: Self.span))
            return (fact, false)
        case .state, .door, .battery, .availability, .refusal, .faults, .deliveredLate: return (fact, false)
        }
    }
}

extension RecordEvent {
    /// What becomes of a bolt, and what a state tells as well.
    fileprivate static let movements: Set<RecordEvent> = [.locked, .unlocked, .unlatched, .jammed]

    /// `nil` for states that are on the way to another.
    fileprivate init?(_ state: LockState) {
        switch state {
        case .locked: self = .locked
        case .unlocked: self = .unlocked
        case .unlatched: self = .unlatched
        case .jammed: self = .jammed
        case .locking, .unlocking, .unknown: return nil
        }
    }
}
