import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import Testing

@testable import AdapterMQTT

@Suite struct DecodedMessageFactsTests {
    @Test("each method, door position and state of a dialect has its equal in the log, and what is unknown or passing has none")
    func names() {
        for method in LockEvent.Method.allCases { #expect((method.eventMethod == .unknown) == (method == .unknown), "\(method)") }
        for door in DoorPosition.allCases {
            #expect((door.doorState == .unknown) == [.unknown, .fault].contains(door), "\(door)")
        }
        for state in LockState.allCases {
            #expect((RecordEvent(state) == nil) == [.locking, .unlocking, .unknown].contains(state), "\(state)")
        }
    }

    /// The bridge repeats an earlier jam while a lock command is in flight.
    @Test("a jam from before the command, repeated while it is in flight, is stale; a new jam is confirmed")
    func jam() {
        var before = DialectState()
        (before.position, before.quality, before.inFlight) = (.jammed, .confirmed, .init(operation: .lock))
        var decoded = DecodedMessage()
        var report = DecodedMessage.Report()
        (report.position, report.quality) = (.jammed, .confirmed)
        decoded.reports = [report]
        #expect(decoded.facts(after: before) == [.state(.jammed, quality: .stale, method: nil, operatorName: nil)])
        decoded.command = .rejected(.jammed)
        before.position = .unlocked
        #expect(decoded.facts(after: before) == [.state(.jammed, quality: .confirmed, method: nil, operatorName: nil)])
    }

    @Test("a state that satisfies the command confirms it only if the decoder says so")
    func confirmation() {
        var before = DialectState()
        (before.position, before.quality, before.inFlight) = (.unlocked, .stale, .init(operation: .unlock))
        var decoded = DecodedMessage()
        var report = DecodedMessage.Report()
        (report.position, report.quality) = (.unlocked, .confirmed)
        decoded.reports = [report]
        #expect(decoded.facts(after: before) == [.state(.unlocked, quality: .stale, method: nil, operatorName: nil)])
        decoded.command = .confirmed
        #expect(decoded.facts(after: before) == [.state(.unlocked, quality: .confirmed, method: .remote, operatorName: nil)])
    }

    @Test("a movement is reported once: with the state if the state changes, else as an event")
    func movement() {
        var before = DialectState()
        (before.position, before.quality) = (.locked, .confirmed)
        var decoded = DecodedMessage()
        var report = DecodedMessage.Report()
        (report.position, report.quality) = (.unlocked, .confirmed)
        decoded.reports = [report]
        decoded.events = [LockEvent(kind: .operation, operation: .unlock, isDone: true, method: .keypad, userSlot: 3)]
        #expect(decoded.facts(after: before) == [.state(.unlocked, quality: .confirmed, method: .keypad, operatorName: "slot 3")])
        before.position = .unlocked
        #expect(
            decoded.facts(after: before) == [
                .state(.unlocked, quality: .confirmed, method: nil, operatorName: nil),
                .event(.unlocked, method: .keypad, operatorName: "slot 3"),
            ])
    }

    @Test("an event about the gateway's own command is an echo; an event about another operation is not")
    func echo() {
        let start = MonotonicInstant(nanoseconds: 0)
        let echo = CommandEchoFilter(.unlock, until: start.advanced(by: .seconds(15)))
        let own = LockReport.Fact.event(.unlocked, method: .remote, operatorName: nil)
        #expect(echo.isEcho(own, at: start))
        #expect(!echo.isEcho(own, at: start.advanced(by: .seconds(16))))
        #expect(!echo.isEcho(.event(.unlocked, method: .keypad, operatorName: "slot 1"), at: start))
        #expect(!echo.isEcho(.event(.locked, method: .remote, operatorName: nil), at: start))
        #expect(!echo.isEcho(.state(.unlocked, quality: .confirmed, method: .remote, operatorName: nil), at: start))
    }

    @Test("topics are compared by bytes: names that differ only in Unicode normalization are two locks")
    func bytes() throws {
        var subscribers = TopicSubscribers<Int>()
        let (one, two) = ("zigbee2mqtt/Caf\u{E9}", "zigbee2mqtt/Cafe\u{301}")
        subscribers.insert(1, at: try #require(.init(one)))
        subscribers.insert(2, at: try #require(.init(two)))
        #expect(subscribers.matching(one) == [1] && subscribers.matching(two) == [2])
        let profile = try #require(ProfileLibrary.shipped["zigbee2mqtt"])
        let dialect = try Dialect(profile, variables: ["name": .string("Caf\u{E9}")])
        var state = DialectState()
        let decoded = dialect.decode(
            .init(topic: two, payload: Array(#"{"lock_state":"locked"}"#.utf8), isRetained: false), &state)
        #expect(decoded == DecodedMessage() && state == DialectState())
    }

    @Test("an alarm that is active at the start does not end a command, and a new one does if it lasts")
    func alarm() throws {
        let profile = try #require(ProfileLibrary.shipped["zigbee2mqtt"])
        let dialect = try Dialect(profile, variables: ["name": .string("front")])
        var state = DialectState()
        state.isNewlyAttached = true
        func receive(_ payload: String) -> DecodedMessage {
            dialect.decode(.init(topic: "zigbee2mqtt/front", payload: Array(payload.utf8), isRetained: false), &state)
        }
        _ = try dialect.encodeCommand(.unlock, code: nil, reference: "a", &state)
        #expect(receive(#"{"alarm":"deadbolt_jammed","lock_state":"locked"}"#).events.isEmpty)
        #expect(state.inFlight != nil)
        _ = receive(#"{"alarm":"none","lock_state":"locked"}"#)
        #expect(receive(#"{"alarm":"deadbolt_jammed","lock_state":"locked"}"#).command == nil)
        #expect(dialect.concludePassingJam(&state).command == .rejected(.jammed))
    }
}
