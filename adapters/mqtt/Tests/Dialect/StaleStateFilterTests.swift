import DoorwardDomain
import Testing

@testable import AdapterMQTT

/// Tests of which reports after a command may be stale. A `stale` state ends no command and is no late confirmation.
@Suite struct StaleStateFilterTests {
    private static let zigbee = "zigbee2mqtt/front"
    private static let stateRequest = ("zigbee2mqtt/front/get", #"{"state":""}"#)
    private static let mode = "zwave/front/98/0/currentMode"
    private static let jam = "zwave/front/113/0/Access_Control/Lock_state"

    // MARK: Messages from before a command

    @Test("a state read before the command is confirmed; its repetition by the bridge after the command is stale")
    func earlierMessage() throws {
        var fixture = try DialectFixture("zigbee2mqtt", Example.front, prev: .locked, inFlight: .unlock)
        let word = fixture.decodeEarlier(Self.zigbee, #"{"lock_state":"unlocked"}"#)
        #expect(word == "unlocked confirmed; >\(Self.stateRequest.0) \(Self.stateRequest.1)")
        #expect(fixture.receive(Self.zigbee, #"{"lock_state":"unlocked","battery":70}"#) == "unlocked stale 70%")
        #expect(fixture.receive(Self.stateRequest.0, Self.stateRequest.1) == "")
        #expect(
            fixture.receive(Self.zigbee, #"{"lock_state":"unlocked","battery":70}"#) == "unlocked confirmed 70%; confirmed it")
    }

    @Test("a jam or response read before the command does not end it, and a live state after it does")
    func earlierConfirmation() throws {
        var fixture = try DialectFixture("nuki-native", ["id": "45A2"], prev: .locked, inFlight: .unlock)
        #expect(fixture.decodeEarlier("nuki/45A2/state", "254") == "jammed confirmed")
        #expect(fixture.decodeEarlier("nuki/45A2/commandResponse", "69") == "!unexpectedAck")
        #expect(fixture.receive("nuki/45A2/state", "3") == "unlocked confirmed; confirmed it")
        #expect(fixture.decodeEarlier("nuki/45A2/state", "3") == "unlocked confirmed", "no command is in flight")
    }

    // MARK: Cached values in every message

    /// Returns a Zigbee2MQTT lock whose command has timed out.
    private static func timedOut(
        _ operation: LockOperation, prev: BoltState, quality: StateQuality = .confirmed
    ) throws -> DialectFixture {
        var fixture = try DialectFixture("zigbee2mqtt", Example.front, prev: prev, quality: quality, inFlight: operation)
        fixture.dialect.abandonCommand(&fixture.state)
        return fixture
    }

    @Test("after a timeout a cached target state is stale, and the answer to a state request is confirmed")
    func cacheAfterTimeOut() throws {
        var fixture = try Self.timedOut(.lock, prev: .locked)
        #expect(fixture.receive(Self.zigbee, #"{"lock_state":"locked","battery":70}"#) == "locked stale 70%")
        #expect(fixture.receive(Self.zigbee, #"{"lock_state":"locked","battery":69}"#) == "locked stale 69%", "repeated again")
        #expect(fixture.receive(Self.stateRequest.0, Self.stateRequest.1) == "")
        #expect(fixture.receive(Self.zigbee, #"{"lock_state":"locked","battery":69}"#) == "locked confirmed 69%")
        #expect(
            fixture.receive(Self.zigbee, #"{"lock_state":"locked","battery":68}"#) == "locked confirmed 68%", "no longer filtered"
        )
    }

    @Test("if the state was stale before the command, the target state is stale until the bridge reports another state")
    func staleAfterTimeOut() throws {
        var fixture = try Self.timedOut(.unlock, prev: .locked, quality: .stale)
        #expect(fixture.receive(Self.zigbee, #"{"lock_state":"unlocked"}"#) == "unlocked stale")
        #expect(fixture.receive(Self.zigbee, #"{"lock_state":"locked"}"#) == "locked confirmed", "not the commanded state")
        #expect(fixture.receive(Self.zigbee, #"{"lock_state":"unlocked"}"#) == "unlocked confirmed", "the bolt has moved")
    }

    @Test("after a timed-out command, a state that differs from the last known state is a late confirmation")
    func lateAnswer() throws {
        var fixture = try Self.timedOut(.unlock, prev: .locked)
        #expect(fixture.receive(Self.zigbee, #"{"lock_state":"locked"}"#) == "locked stale", "a repetition of the known state")
        #expect(fixture.receive(Self.zigbee, #"{"lock_state":"unlocked"}"#) == "unlocked confirmed")
    }

    @Test(
        "after an unconfirmed command, the state that the bridge repeats is stale until the bridge has answered a state request")
    func unanswered() throws {
        var fixture = try Self.timedOut(.unlock, prev: .locked)
        for battery in 68...70 {
            #expect(fixture.receive(Self.zigbee, #"{"lock_state":"locked","battery":\#(battery)}"#) == "locked stale \(battery)%")
        }
        #expect(fixture.receive(Self.stateRequest.0, Self.stateRequest.1) == "")
        #expect(fixture.receive(Self.zigbee, #"{"lock_state":"locked","battery":70}"#) == "locked confirmed 70%")
        #expect(fixture.receive(Self.zigbee, #"{"lock_state":"locked","battery":69}"#) == "locked confirmed 69%")
    }

    @Test("after an unconfirmed command, the next command sends a state request, and a changed state confirms it")
    func tryAgain() throws {
        var fixture = try Self.timedOut(.unlock, prev: .locked)
        #expect(try fixture.encode(.unlock).hasSuffix("?zigbee2mqtt/front/get"))
        #expect(fixture.receive(Self.zigbee, #"{"lock_state":"unlocked"}"#) == "unlocked confirmed; confirmed it")
        #expect(!fixture.state.hasUnansweredCommand)
    }

    @Test("silence of a lock that is already in the target state confirms nothing if the previous command was unconfirmed")
    func silenceAfterUnanswered() throws {
        for isAnswered in [true, false] {
            var fixture = try DialectFixture("esphome", Example.esphome, prev: .locked, inFlight: .unlock)
            if isAnswered {
                #expect(fixture.receive("porch/lock/door/state", "LOCKED") == "locked confirmed")
                fixture.dialect.completeCommand(&fixture.state)
            } else {
                fixture.dialect.abandonCommand(&fixture.state)
            }
            _ = try fixture.encode(.lock)
            #expect((fixture.dialect.concludeFromSilence(&fixture.state).command == .confirmed) == isAnswered)
        }
    }

    @Test("a jam known before the command is stale after the timeout")
    func jamAfterTimeOut() throws {
        var fixture = try Self.timedOut(.unlock, prev: .jammed)
        #expect(fixture.receive(Self.zigbee, #"{"lock_state":"not_fully_locked"}"#) == "jammed stale faults[notFullyLocked]")
    }

    @Test("if messages may have been missed, a state that differs from the last known state is stale too")
    func connectionLost() throws {
        for makeStale in [
            { $0.dialect.connectionLost(&$0.state) },
            { fixture in
                _ = fixture.receive("zigbee2mqtt/bridge/state", "offline")
                return DecodedMessage()
            },
            { fixture in
                fixture.state.markStale()
                return DecodedMessage()
            },
        ] as [(inout DialectFixture) -> DecodedMessage] {
            var fixture = try Self.timedOut(.unlock, prev: .locked)
            _ = makeStale(&fixture)
            #expect(fixture.receive(Self.zigbee, #"{"lock_state":"unlocked"}"#) == "unlocked stale")
        }
    }

    @Test("the next command has its own filter, which knows the states that the bridge repeated after the previous command")
    func nextCommand() throws {
        var fixture = try Self.timedOut(.lock, prev: .locked)
        #expect(fixture.receive(Self.zigbee, #"{"lock_state":"locked"}"#) == "locked stale")
        #expect(try fixture.encode(.unlock).hasSuffix("?zigbee2mqtt/front/get"))
        #expect(fixture.receive(Self.zigbee, #"{"lock_state":"unlocked"}"#) == "unlocked confirmed; confirmed it")
    }

    @Test("an event of the opposite operation does not end the filtering of stale states")
    func contradicted() throws {
        var fixture = try DialectFixture("zigbee2mqtt", Example.front, prev: .unlocked, inFlight: .lock)
        #expect(
            fixture.receive(Self.zigbee, #"{"lock_state":"locked","action":"manual_unlock"}"#)
                == #"locked stale; event operation unlock ok manual; >zigbee2mqtt/front/get {"state":""}"#)
        #expect(fixture.receive(Self.zigbee, #"{"lock_state":"locked","battery":5}"#) == "locked stale 5%")
    }

    // MARK: Answers to a state request

    @Test("after a state request only a message without other changed values is its answer", arguments: beside)
    func answer(_ members: String, _ isAnswer: Bool) throws {
        var fixture = try DialectFixture("zigbee2mqtt", Example.front, prev: .locked)
        _ = fixture.receive(Self.zigbee, #"{"lock_state":"locked","battery":70,"voltage":6000,"linkquality":80}"#)
        _ = try fixture.encode(.lock)
        _ = fixture.receive(Self.stateRequest.0, Self.stateRequest.1)
        let summary = fixture.receive(Self.zigbee, #"{"lock_state":"locked",\#(members)}"#)
        #expect(summary.hasSuffix("confirmed it") == isAnswer, "\(summary)")
    }

    private static let beside = [
        (#""battery":70,"voltage":6000,"linkquality":80"#, true),
        (#""battery":70,"voltage":6000,"linkquality":12,"last_seen":"2026-01-01T00:00:00Z""#, true),
        (#""battery":70,"voltage":6000,"action":null,"action_user":null"#, true),
        (#""battery":70,"voltage":6000,"action":"""#, true),
        (#""battery":69,"voltage":6000"#, false),
        (#""battery":70,"voltage":5900"#, false),
        (#""battery":70,"voltage":6000,"sound_volume":"low_volume""#, false),
        (#""battery":70"#, false),
        // The bridge's event about the command itself is not a reading of the bolt.
        (#""battery":70,"voltage":6000,"action":"lock","action_source_name":"rf""#, false),
    ]

    @Test("a state request of another client counts too; a request for another value and a retained one do not")
    func stateRequests() throws {
        for (topic, payload, isRetained, isAsked) in [
            ("zigbee2mqtt/front/get", #"{"state":""}"#, false, true),
            ("zigbee2mqtt/front/get", #"{"battery":""}"#, false, false),
            ("zigbee2mqtt/front/get", #"{"state":""}"#, true, false),
            ("zigbee2mqtt/front/set", #"{"state":""}"#, false, false),
        ] {
            var fixture = try DialectFixture("zigbee2mqtt", Example.front, prev: .locked, inFlight: .lock)
            _ = fixture.receive(topic, payload, isRetained: isRetained)
            #expect(fixture.receive(Self.zigbee, #"{"lock_state":"locked"}"#).hasSuffix("confirmed it") == isAsked)
        }
    }

    // MARK: Values with the device's timestamp

    @Test(
        "the first value after a start confirms a command only if its timestamp is not before the command",
        arguments: firstValues)
    func firstValue(_ payload: String, _ expected: String) throws {
        var fixture = try DialectFixture("zwave-js-ui", Example.zwave, quality: .stale)
        _ = try fixture.encode(.lock, at: 5000)
        #expect(fixture.receive(Self.mode, payload) == expected)
    }

    private static let firstValues = [
        (#"{"time":4999,"value":255}"#, "locked stale"),
        (#"{"time":5000,"value":255}"#, "locked confirmed; confirmed it"),
        (#"{"id":"5-98-0-currentMode","value":255,"lastUpdate":4999}"#, "locked stale"),
        (#"{"id":"5-98-0-currentMode","value":255,"lastUpdate":5001}"#, "locked confirmed; confirmed it"),
        (#"{"value":255}"#, "locked stale"),
        ("255", "locked stale"),
        (#"{"time":4999,"value":0}"#, "unlocked confirmed"),
    ]

    @Test("a later value is live if its timestamp is newer, or, without a timestamp, if it differs from the last value")
    func secondValue() throws {
        var fixture = try DialectFixture("zwave-js-ui", Example.zwave, quality: .stale)
        _ = try fixture.encode(.lock, at: 5000)
        #expect(fixture.receive(Self.mode, #"{"time":1000,"value":255}"#) == "locked stale")
        #expect(
            fixture.receive(Self.mode, #"{"time":1001,"value":255}"#) == "locked confirmed; confirmed it",
            "the lock's clock is behind")
        fixture = try DialectFixture("zwave-js-ui", Example.zwave, quality: .stale)
        _ = try fixture.encode(.lock, at: 5000)
        #expect(fixture.receive(Self.mode, "255") == "locked stale")
        #expect(fixture.receive(Self.mode, "255") == "locked stale")
        #expect(fixture.receive(Self.mode, "0") == "unlocked confirmed")
        #expect(fixture.receive(Self.mode, "255") == "locked confirmed; confirmed it")
    }

    @Test("a value from before the command that was missed while disconnected does not confirm the command")
    func missed() throws {
        var fixture = try DialectFixture("zwave-js-ui", Example.zwave)
        #expect(fixture.receive(Self.mode, #"{"time":1000,"value":0}"#) == "unlocked confirmed")
        _ = fixture.dialect.connectionLost(&fixture.state)
        _ = try fixture.encode(.lock, at: 5000)
        #expect(fixture.receive(Self.mode, #"{"time":2000,"value":255}"#) == "locked stale")
        fixture.dialect.completeCommand(&fixture.state)
        #expect(fixture.receive(Self.mode, #"{"time":5100,"value":255}"#) == "locked confirmed", "the late confirmation")
    }

    @Test("a repeated jam from before the command does not end it and is not an event")
    func oldJam() throws {
        var fixture = try DialectFixture("zwave-js-ui", Example.zwave, quality: .stale)
        _ = try fixture.encode(.lock, at: 5000)
        #expect(fixture.receive(Self.jam, #"{"time":4000,"value":11}"#) == "jammed stale")
        #expect(fixture.receive(Self.mode, #"{"time":5200,"value":255}"#) == "locked confirmed; confirmed it")
    }

    @Test("a jam after the command ends it if it lasts, even as the first message after a start")
    func newJam() throws {
        var fixture = try DialectFixture("zwave-js-ui", Example.zwave, quality: .stale)
        _ = try fixture.encode(.lock, at: 5000)
        #expect(fixture.receive(Self.jam, #"{"time":5100,"value":11}"#) == "locking confirmed")
        #expect(fixture.concludePassingJam() == "jammed confirmed; event jam; rejected(jammed)")
    }

    @Test("if the state is known live, a changed value without a timestamp confirms the command")
    func known() throws {
        var fixture = try DialectFixture("zwave-js-ui", Example.zwave, prev: .unlocked)
        _ = try fixture.encode(.lock, at: 5000)
        #expect(fixture.receive(Self.mode, "255") == "locked confirmed; confirmed it")
    }
}
