import DoorwardDomain
import Testing

@testable import AdapterMQTT

/// Tests of which reports after a command may be stale. A `stale` state ends no command and is no late confirmation.
@Suite struct StaleStateFilterTests {
    private static let zigbee = "zigbee2mqtt/front"
    private static let question = ("zigbee2mqtt/front/get", #"{"state":""}"#)
    private static let mode = "zwave/front/98/0/currentMode"
    private static let jam = "zwave/front/113/0/Access_Control/Lock_state"

    // MARK: Messages from before a command

    @Test("a state read before the command is confirmed; its repetition by the bridge after the command is stale")
    func before() throws {
        var spoken = try DialectFixture("zigbee2mqtt", Example.front, prev: .locked, inFlight: .unlock)
        let word = spoken.decodeEarlier(Self.zigbee, #"{"lock_state":"unlocked"}"#)
        #expect(word == "unlocked confirmed; >\(Self.question.0) \(Self.question.1)")
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"unlocked","battery":70}"#) == "unlocked stale 70%")
        #expect(spoken.receive(Self.question.0, Self.question.1) == "")
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"unlocked","battery":70}"#) == "unlocked confirmed 70%; confirmed it")
    }

    @Test("a jam or response read before the command does not end it, and a live state after it does")
    func endOfBefore() throws {
        var spoken = try DialectFixture("nuki-native", ["id": "45A2"], prev: .locked, inFlight: .unlock)
        #expect(spoken.decodeEarlier("nuki/45A2/state", "254") == "jammed confirmed")
        #expect(spoken.decodeEarlier("nuki/45A2/commandResponse", "69") == "!unexpectedAck")
        #expect(spoken.receive("nuki/45A2/state", "3") == "unlocked confirmed; confirmed it")
        #expect(spoken.decodeEarlier("nuki/45A2/state", "3") == "unlocked confirmed", "no command is in flight")
    }

    // MARK: Cached values in every message

    /// Returns a Zigbee2MQTT lock whose command has timed out.
    private static func timedOut(
        _ operation: LockOperation, prev: BoltState, quality: StateQuality = .confirmed
    ) throws -> DialectFixture {
        var spoken = try DialectFixture("zigbee2mqtt", Example.front, prev: prev, quality: quality, inFlight: operation)
        spoken.dialect.giveUpOrder(&spoken.memory)
        return spoken
    }

    @Test("after a timeout a cached target state is stale, and the answer to a state request is confirmed")
    func cacheAfterTimeOut() throws {
        var spoken = try Self.timedOut(.lock, prev: .locked)
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"locked","battery":70}"#) == "locked stale 70%")
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"locked","battery":69}"#) == "locked stale 69%", "repeated again")
        #expect(spoken.receive(Self.question.0, Self.question.1) == "")
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"locked","battery":69}"#) == "locked confirmed 69%")
        #expect(
            spoken.receive(Self.zigbee, #"{"lock_state":"locked","battery":68}"#) == "locked confirmed 68%", "no longer filtered")
    }

    @Test("if the state was stale before the command, the target state is stale until the bridge reports another state")
    func staleAfterTimeOut() throws {
        var spoken = try Self.timedOut(.unlock, prev: .locked, quality: .stale)
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"unlocked"}"#) == "unlocked stale")
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"locked"}"#) == "locked confirmed", "not the commanded state")
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"unlocked"}"#) == "unlocked confirmed", "the bolt has moved")
    }

    @Test("after a timed-out command, a state that differs from the last known state is a late confirmation")
    func lateAnswer() throws {
        var spoken = try Self.timedOut(.unlock, prev: .locked)
        #expect(
            spoken.receive(Self.zigbee, #"{"lock_state":"locked"}"#) == "locked stale", "a repetition of the known state")
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"unlocked"}"#) == "unlocked confirmed")
    }

    @Test(
        "after an unconfirmed command, the state that the bridge repeats is stale until the bridge has answered a state request")
    func unanswered() throws {
        var spoken = try Self.timedOut(.unlock, prev: .locked)
        for battery in 68...70 {
            #expect(spoken.receive(Self.zigbee, #"{"lock_state":"locked","battery":\#(battery)}"#) == "locked stale \(battery)%")
        }
        #expect(spoken.receive(Self.question.0, Self.question.1) == "")
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"locked","battery":70}"#) == "locked confirmed 70%")
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"locked","battery":69}"#) == "locked confirmed 69%")
    }

    @Test("after an unconfirmed command, the next command sends a state request, and a changed state confirms it")
    func tryAgain() throws {
        var spoken = try Self.timedOut(.unlock, prev: .locked)
        #expect(try spoken.order(.unlock).hasSuffix("?zigbee2mqtt/front/get"))
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"unlocked"}"#) == "unlocked confirmed; confirmed it")
        #expect(!spoken.memory.isUnanswered)
    }

    @Test("silence of a lock that is already in the target state confirms nothing if the previous command was unconfirmed")
    func silenceAfterUnanswered() throws {
        for isAnswered in [true, false] {
            var spoken = try DialectFixture("esphome", Example.esphome, prev: .locked, inFlight: .unlock)
            if isAnswered {
                #expect(spoken.receive("porch/lock/door/state", "LOCKED") == "locked confirmed")
                spoken.dialect.endOrder(&spoken.memory)
            } else {
                spoken.dialect.giveUpOrder(&spoken.memory)
            }
            _ = try spoken.order(.lock)
            #expect((spoken.dialect.silence(&spoken.memory).command == .confirmed) == isAnswered)
        }
    }

    @Test("a jam known before the command is stale after the timeout")
    func jamAfterTimeOut() throws {
        var spoken = try Self.timedOut(.unlock, prev: .jammed)
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"not_fully_locked"}"#) == "jammed stale faults[notFullyLocked]")
    }

    @Test("if messages may have been missed, a state that differs from the last known state is stale too")
    func lost() throws {
        for lose in [
            { $0.dialect.lose(&$0.memory) },
            { spoken in
                _ = spoken.receive("zigbee2mqtt/bridge/state", "offline")
                return DecodedMessage()
            },
            { spoken in
                spoken.memory.markStale()
                return DecodedMessage()
            },
        ] as [(inout DialectFixture) -> DecodedMessage] {
            var spoken = try Self.timedOut(.unlock, prev: .locked)
            _ = lose(&spoken)
            #expect(spoken.receive(Self.zigbee, #"{"lock_state":"unlocked"}"#) == "unlocked stale")
        }
    }

    @Test("the next command has its own filter, which knows the states that the bridge repeated after the previous command")
    func nextOrder() throws {
        var spoken = try Self.timedOut(.lock, prev: .locked)
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"locked"}"#) == "locked stale")
        #expect(try spoken.order(.unlock).hasSuffix("?zigbee2mqtt/front/get"))
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"unlocked"}"#) == "unlocked confirmed; confirmed it")
    }

    @Test("an event of the opposite operation does not end the filtering of stale states")
    func contradicted() throws {
        var spoken = try DialectFixture("zigbee2mqtt", Example.front, prev: .unlocked, inFlight: .lock)
        #expect(
            spoken.receive(Self.zigbee, #"{"lock_state":"locked","action":"manual_unlock"}"#)
                == #"locked stale; event operation unlock ok manual; >zigbee2mqtt/front/get {"state":""}"#)
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"locked","battery":5}"#) == "locked stale 5%")
    }

    // MARK: Answers to a state request

    @Test("after a state request only a message without other changed values is its answer", arguments: beside)
    func answer(_ members: String, _ isAnswer: Bool) throws {
        var spoken = try DialectFixture("zigbee2mqtt", Example.front, prev: .locked)
        _ = spoken.receive(Self.zigbee, #"{"lock_state":"locked","battery":70,"voltage":6000,"linkquality":80}"#)
        _ = try spoken.order(.lock)
        _ = spoken.receive(Self.question.0, Self.question.1)
        let said = spoken.receive(Self.zigbee, #"{"lock_state":"locked",\#(members)}"#)
        #expect(said.hasSuffix("confirmed it") == isAnswer, "\(said)")
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
    func questions() throws {
        for (topic, payload, isRetained, isAsked) in [
            ("zigbee2mqtt/front/get", #"{"state":""}"#, false, true),
            ("zigbee2mqtt/front/get", #"{"battery":""}"#, false, false),
            ("zigbee2mqtt/front/get", #"{"state":""}"#, true, false),
            ("zigbee2mqtt/front/set", #"{"state":""}"#, false, false),
        ] {
            var spoken = try DialectFixture("zigbee2mqtt", Example.front, prev: .locked, inFlight: .lock)
            _ = spoken.receive(topic, payload, isRetained: isRetained)
            #expect(spoken.receive(Self.zigbee, #"{"lock_state":"locked"}"#).hasSuffix("confirmed it") == isAsked)
        }
    }

    // MARK: Values with the device's timestamp

    @Test(
        "the first value after a start confirms a command only if its timestamp is not before the command",
        arguments: firstValues)
    func firstValue(_ payload: String, _ expected: String) throws {
        var spoken = try DialectFixture("zwave-js-ui", Example.zwave, quality: .stale)
        _ = try spoken.order(.lock, at: 5000)
        #expect(spoken.receive(Self.mode, payload) == expected)
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
        var spoken = try DialectFixture("zwave-js-ui", Example.zwave, quality: .stale)
        _ = try spoken.order(.lock, at: 5000)
        #expect(spoken.receive(Self.mode, #"{"time":1000,"value":255}"#) == "locked stale")
        #expect(
            spoken.receive(Self.mode, #"{"time":1001,"value":255}"#) == "locked confirmed; confirmed it",
            "the lock's clock is behind")
        spoken = try DialectFixture("zwave-js-ui", Example.zwave, quality: .stale)
        _ = try spoken.order(.lock, at: 5000)
        #expect(spoken.receive(Self.mode, "255") == "locked stale")
        #expect(spoken.receive(Self.mode, "255") == "locked stale")
        #expect(spoken.receive(Self.mode, "0") == "unlocked confirmed")
        #expect(spoken.receive(Self.mode, "255") == "locked confirmed; confirmed it")
    }

    @Test("a value from before the command that was missed while disconnected does not confirm the command")
    func missed() throws {
        var spoken = try DialectFixture("zwave-js-ui", Example.zwave)
        #expect(spoken.receive(Self.mode, #"{"time":1000,"value":0}"#) == "unlocked confirmed")
        _ = spoken.dialect.lose(&spoken.memory)
        _ = try spoken.order(.lock, at: 5000)
        #expect(spoken.receive(Self.mode, #"{"time":2000,"value":255}"#) == "locked stale")
        spoken.dialect.endOrder(&spoken.memory)
        #expect(spoken.receive(Self.mode, #"{"time":5100,"value":255}"#) == "locked confirmed", "the late confirmation")
    }

    @Test("a repeated jam from before the command does not end it and is not an event")
    func oldJam() throws {
        var spoken = try DialectFixture("zwave-js-ui", Example.zwave, quality: .stale)
        _ = try spoken.order(.lock, at: 5000)
        #expect(spoken.receive(Self.jam, #"{"time":4000,"value":11}"#) == "jammed stale")
        #expect(spoken.receive(Self.mode, #"{"time":5200,"value":255}"#) == "locked confirmed; confirmed it")
    }

    @Test("a jam after the command ends it, even as the first message after a start")
    func newJam() throws {
        var spoken = try DialectFixture("zwave-js-ui", Example.zwave, quality: .stale)
        _ = try spoken.order(.lock, at: 5000)
        #expect(spoken.receive(Self.jam, #"{"time":5100,"value":11}"#) == "jammed confirmed; event jam; rejected(jammed)")
    }

    @Test("if the state is known live, a changed value without a timestamp confirms the command")
    func known() throws {
        var spoken = try DialectFixture("zwave-js-ui", Example.zwave, prev: .unlocked)
        _ = try spoken.order(.lock, at: 5000)
        #expect(spoken.receive(Self.mode, "255") == "locked confirmed; confirmed it")
    }
}
