import DoorwardAdapterKit
import DoorwardDomain
import Testing

@testable import AdapterMQTT

/// What a lock tells in two messages is written down once.
@Suite struct EventDeduplicatorTests {
    private static let start = MonotonicInstant(nanoseconds: 0)

    private static func at(_ seconds: Int) -> MonotonicInstant { start.advanced(by: .seconds(seconds)) }

    private static func live(_ state: LockState, _ method: EventMethod? = nil, _ name: String? = nil) -> LockReport.Fact {
        .state(state, quality: .confirmed, method: method, operatorName: name)
    }

    private static func event(_ event: RecordEvent, _ method: EventMethod? = nil, _ name: String? = nil) -> LockReport.Fact {
        .event(event, method: method, operatorName: name)
    }

    /// Told second after an event of second 0: the state, and whether it is a repetition.
    @Test("a state after an event of the same movement repeats it, for ten seconds", arguments: afterEvent)
    func second(_ first: RecordEvent, _ second: LockReport.Fact, _ seconds: Int, _ isRepeat: Bool) {
        var act = EventDeduplicator()
        #expect(act.tell(Self.event(first, .keypad, "slot 3"), isMovement: false, at: Self.start)?.isRepeat == false)
        let told = act.tell(second, isMovement: true, at: Self.at(seconds))
        #expect(told?.fact == second && told?.isRepeat == isRepeat)
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

    @Test("what lies between an event and its state: the way there does not part them, another place does")
    func between() {
        var act = EventDeduplicator()
        _ = act.tell(Self.event(.unlocked), isMovement: false, at: Self.start)
        _ = act.tell(Self.live(.unlocking), isMovement: true, at: Self.at(1))
        #expect(act.tell(Self.live(.unlocked), isMovement: true, at: Self.at(2))?.isRepeat == true)
        _ = act.tell(Self.live(.locked), isMovement: true, at: Self.at(3))
        #expect(
            act.tell(Self.live(.unlocked), isMovement: true, at: Self.at(4))?.isRepeat == false, "somebody has moved it again")
    }

    @Test("an event after the state is told where it says who or how, and only there")
    func afterState() {
        for (event, isTold) in [
            (Self.event(.unlocked), false),
            (Self.event(.unlocked, .unknown), false),
            (Self.event(.unlocked, .keypad), true),
            (Self.event(.unlocked, .unknown, "slot 3"), true),
            (Self.event(.locked), true),
            (Self.event(.tamper), true),
        ] {
            var act = EventDeduplicator()
            _ = act.tell(Self.live(.unlocked), isMovement: true, at: Self.start)
            let told = act.tell(event, isMovement: false, at: Self.at(9))
            #expect((told != nil) == isTold && told?.isRepeat != true, "\(event)")
            var late = EventDeduplicator()
            _ = late.tell(Self.live(.unlocked), isMovement: true, at: Self.start)
            #expect(late.tell(event, isMovement: false, at: Self.at(11)) != nil)
            var still = EventDeduplicator()
            _ = still.tell(Self.live(.unlocked), isMovement: false, at: Self.start)
            #expect(still.tell(event, isMovement: false, at: Self.at(1)) != nil, "a state that is no news has told nothing")
        }
    }

    @Test("somebody who was recognised explains the movement that follows, once, and no other")
    func recognised() {
        let someone = LockEvent(.operation, operation: .unknown, method: .homekit, authorisationID: 7)
        var act = EventDeduplicator()
        act.note([someone], at: Self.start)
        #expect(act.tell(Self.live(.unlocking), isMovement: true, at: Self.at(1))?.fact == Self.live(.unlocking))
        #expect(
            act.tell(Self.live(.unlocked), isMovement: true, at: Self.at(2))?.fact
                == Self.live(.unlocked, .app, "authorisation 7"))
        #expect(act.tell(Self.live(.locked), isMovement: true, at: Self.at(3))?.fact == Self.live(.locked))
        act.note([someone], at: Self.at(20))
        #expect(act.tell(Self.live(.unlocked), isMovement: true, at: Self.at(31))?.fact == Self.live(.unlocked), "too late")
        act.note([someone], at: Self.at(40))
        #expect(act.tell(Self.live(.locked, .remote), isMovement: true, at: Self.at(41))?.fact == Self.live(.locked, .remote))
        act.note([someone], at: Self.at(50))
        act.note([LockEvent(.operation, operation: .unlock, isDone: true, method: .manual)], at: Self.at(51))
        #expect(act.tell(Self.live(.unlocked), isMovement: true, at: Self.at(52))?.fact == Self.live(.unlocked), "it was another")
        act.note([LockEvent(.operation, operation: LockEvent.Operation.none, method: .button)], at: Self.at(60))
        #expect(act.tell(Self.live(.locked), isMovement: true, at: Self.at(61))?.fact == Self.live(.locked), "it did nothing")
    }

    @Test("what was announced explains the movement that was announced, and no other")
    func announced() {
        let attempt = LockEvent(.operation, operation: .unlock, method: .keypad, credentialID: 3)
        var act = EventDeduplicator()
        act.note([attempt], at: Self.start)
        #expect(act.tell(Self.live(.unlocked), isMovement: true, at: Self.at(1))?.fact == Self.live(.unlocked, .keypad, "code 3"))
        act.note([attempt], at: Self.at(20))
        #expect(act.tell(Self.live(.jammed), isMovement: true, at: Self.at(21))?.fact == Self.live(.jammed))
    }

    @Test("after a while in which nobody knew where the bolt was, the same movement is news")
    func unknownBetween() {
        var act = EventDeduplicator()
        _ = act.tell(.event(.unlocked, method: .keypad, operatorName: nil), isMovement: false, at: Self.start)
        #expect(act.tell(Self.live(.unlocked), isMovement: true, at: Self.at(1))?.isRepeat == true)
        _ = act.tell(Self.live(.unknown), isMovement: true, at: Self.at(2))
        #expect(act.tell(Self.live(.unlocked), isMovement: true, at: Self.at(3))?.isRepeat == false)
    }
}
