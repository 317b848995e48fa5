import DoorwardAdapterKit
import DoorwardDomain
import Testing

@testable import AdapterMQTT

/// An operation that a lock reports in two messages is recorded once.
@Suite struct EventDeduplicatorTests {
    private static let start = MonotonicInstant(nanoseconds: 0)

    private static func at(_ seconds: Int) -> MonotonicInstant { start.advanced(by: .seconds(seconds)) }

    private static func live(_ state: LockState, _ method: EventMethod? = nil, _ name: String? = nil) -> LockReport.Fact {
        .state(state, quality: .confirmed, method: method, operatorName: name)
    }

    private static func event(_ event: RecordEvent, _ method: EventMethod? = nil, _ name: String? = nil) -> LockReport.Fact {
        .event(event, method: method, operatorName: name)
    }

    /// Arguments: the event, a later fact, the seconds between them, and whether the fact is a repetition.
    @Test("a state within ten seconds after an event of the same movement is a repetition", arguments: afterEvent)
    func second(_ first: RecordEvent, _ second: LockReport.Fact, _ seconds: Int, _ isRepeat: Bool) {
        var deduplicator = EventDeduplicator()
        #expect(
            deduplicator.deduplicate(Self.event(first, .keypad, "slot 3"), isMovement: false, at: Self.start)?.isRepeat == false)
        let result = deduplicator.deduplicate(second, isMovement: true, at: Self.at(seconds))
        #expect(result?.fact == second && result?.isRepeat == isRepeat)
    }

    private static let afterEvent: [(RecordEvent, LockReport.Fact, Int, Bool)] = [
        (.unlocked, live(.unlocked), 0, true),
        (.unlocked, live(.unlocked), 10, true),
        (.unlocked, live(.unlocked), 11, false),
        (.locked, live(.locked), 1, true),
        (.unlatched, live(.unlatched), 1, true),
        (.jammed, live(.jammed), 1, true),
        (.unlocked, live(.locked), 1, false),
        (.unlocked, live(.jammed), 1, false),
        (.unlocked, live(.unlatched), 1, false),
        (.unlocked, live(.unlocking), 1, false),
        (.unlocked, .state(.unlocked, quality: .retained, method: nil, operatorName: nil), 1, false),
        (.unlocked, .state(.unlocked, quality: .stale, method: nil, operatorName: nil), 1, false),
        (.tamper, live(.unlocked), 1, false),
        (.attemptFailed, live(.unlocked), 1, false),
    ]

    @Test("a state is a repetition of its event despite a transitional state between them, but not after another final state")
    func between() {
        var deduplicator = EventDeduplicator()
        _ = deduplicator.deduplicate(Self.event(.unlocked), isMovement: false, at: Self.start)
        _ = deduplicator.deduplicate(Self.live(.unlocking), isMovement: true, at: Self.at(1))
        #expect(deduplicator.deduplicate(Self.live(.unlocked), isMovement: true, at: Self.at(2))?.isRepeat == true)
        _ = deduplicator.deduplicate(Self.live(.locked), isMovement: true, at: Self.at(3))
        #expect(
            deduplicator.deduplicate(Self.live(.unlocked), isMovement: true, at: Self.at(4))?.isRepeat == false,
            "the bolt was moved again")
    }

    @Test("an event after the state of the same movement is reported only if it has an operator or a method")
    func afterState() {
        for (event, isReported) in [
            (Self.event(.unlocked), false),
            (Self.event(.unlocked, .unknown), false),
            (Self.event(.unlocked, .keypad), true),
            (Self.event(.unlocked, .unknown, "slot 3"), true),
            (Self.event(.locked), true),
            (Self.event(.tamper), true),
        ] {
            var deduplicator = EventDeduplicator()
            _ = deduplicator.deduplicate(Self.live(.unlocked), isMovement: true, at: Self.start)
            let result = deduplicator.deduplicate(event, isMovement: false, at: Self.at(9))
            #expect((result != nil) == isReported && result?.isRepeat != true, "\(event)")
            var late = EventDeduplicator()
            _ = late.deduplicate(Self.live(.unlocked), isMovement: true, at: Self.start)
            #expect(late.deduplicate(event, isMovement: false, at: Self.at(11)) != nil)
            var still = EventDeduplicator()
            _ = still.deduplicate(Self.live(.unlocked), isMovement: false, at: Self.start)
            #expect(
                still.deduplicate(event, isMovement: false, at: Self.at(1)) != nil, "an unchanged state has reported no movement")
        }
    }

    @Test("a recognised user is the operator of the next movement within ten seconds, and of no other")
    func recognised() {
        let someone = LockEvent(kind: .operation, operation: .unknown, method: .homekit, authorisationID: 7)
        var deduplicator = EventDeduplicator()
        deduplicator.record([someone], at: Self.start)
        #expect(deduplicator.deduplicate(Self.live(.unlocking), isMovement: true, at: Self.at(1))?.fact == Self.live(.unlocking))
        #expect(
            deduplicator.deduplicate(Self.live(.unlocked), isMovement: true, at: Self.at(2))?.fact
                == Self.live(.unlocked, .app, "authorisation 7"))
        #expect(deduplicator.deduplicate(Self.live(.locked), isMovement: true, at: Self.at(3))?.fact == Self.live(.locked))
        deduplicator.record([someone], at: Self.at(20))
        #expect(
            deduplicator.deduplicate(Self.live(.unlocked), isMovement: true, at: Self.at(31))?.fact == Self.live(.unlocked),
            "too late")
        deduplicator.record([someone], at: Self.at(40))
        #expect(
            deduplicator.deduplicate(Self.live(.locked, .remote), isMovement: true, at: Self.at(41))?.fact
                == Self.live(.locked, .remote))
        deduplicator.record([someone], at: Self.at(50))
        deduplicator.record([LockEvent(kind: .operation, operation: .unlock, isDone: true, method: .manual)], at: Self.at(51))
        #expect(
            deduplicator.deduplicate(Self.live(.unlocked), isMovement: true, at: Self.at(52))?.fact == Self.live(.unlocked),
            "superseded")
        deduplicator.record([LockEvent(kind: .operation, operation: LockEvent.Operation.none, method: .button)], at: Self.at(60))
        #expect(
            deduplicator.deduplicate(Self.live(.locked), isMovement: true, at: Self.at(61))?.fact == Self.live(.locked),
            "no operation")
    }

    @Test("an announced operation gives the operator of the movement that it names, and of no other movement")
    func announced() {
        let attempt = LockEvent(kind: .operation, operation: .unlock, method: .keypad, credentialID: 3)
        var deduplicator = EventDeduplicator()
        deduplicator.record([attempt], at: Self.start)
        #expect(
            deduplicator.deduplicate(Self.live(.unlocked), isMovement: true, at: Self.at(1))?.fact
                == Self.live(.unlocked, .keypad, "code 3"))
        deduplicator.record([attempt], at: Self.at(20))
        #expect(deduplicator.deduplicate(Self.live(.jammed), isMovement: true, at: Self.at(21))?.fact == Self.live(.jammed))
    }

    @Test("after an unknown state the same movement is not a repetition")
    func unknownBetween() {
        var deduplicator = EventDeduplicator()
        _ = deduplicator.deduplicate(.event(.unlocked, method: .keypad, operatorName: nil), isMovement: false, at: Self.start)
        #expect(deduplicator.deduplicate(Self.live(.unlocked), isMovement: true, at: Self.at(1))?.isRepeat == true)
        _ = deduplicator.deduplicate(Self.live(.unknown), isMovement: true, at: Self.at(2))
        #expect(deduplicator.deduplicate(Self.live(.unlocked), isMovement: true, at: Self.at(3))?.isRepeat == false)
    }
}
