import DoorwardDomain
import Testing

@testable import AdapterMQTT

/// What may be old after an order, and what can only be live. A state of quality `stale` ends no order, and answers none late.
@Suite struct StaleStateFilterTests {
    private static let zigbee = "zigbee2mqtt/front"
    private static let question = ("zigbee2mqtt/front/get", #"{"state":""}"#)
    private static let mode = "zwave/front/98/0/currentMode"
    private static let jam = "zwave/front/113/0/Access_Control/Lock_state"

    // MARK: Words of before an order

    @Test("a word of before the order tells where the bolt was; what a bridge repeats of it after the order is old")
    func before() throws {
        var spoken = try DialectFixture("zigbee2mqtt", Example.front, prev: .locked, inFlight: .unlock)
        let word = spoken.decodeEarlier(Self.zigbee, #"{"lock_state":"unlocked"}"#)
        #expect(word == "unlocked confirmed; >\(Self.question.0) \(Self.question.1)")
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"unlocked","battery":70}"#) == "unlocked stale 70%")
        #expect(spoken.receive(Self.question.0, Self.question.1) == "")
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"unlocked","battery":70}"#) == "unlocked confirmed 70%; confirmed it")
    }

    @Test("a jam or an answer of before the order does not end it, and the lock's own word after it does")
    func endOfBefore() throws {
        var spoken = try DialectFixture("nuki-native", ["id": "45A2"], prev: .locked, inFlight: .unlock)
        #expect(spoken.decodeEarlier("nuki/45A2/state", "254") == "jammed confirmed")
        #expect(spoken.decodeEarlier("nuki/45A2/commandResponse", "69") == "!unexpectedAck")
        #expect(spoken.receive("nuki/45A2/state", "3") == "unlocked confirmed; confirmed it")
        #expect(spoken.decodeEarlier("nuki/45A2/state", "3") == "unlocked confirmed", "with nothing under way it is any word")
    }

    // MARK: A cache in every message

    /// A lock behind Zigbee2MQTT whose order has timed out.
    private static func timedOut(
        _ operation: LockOperation, prev: BoltState, quality: StateQuality = .confirmed
    ) throws -> DialectFixture {
        var spoken = try DialectFixture("zigbee2mqtt", Example.front, prev: prev, quality: quality, inFlight: operation)
        spoken.dialect.giveUpOrder(&spoken.memory)
        return spoken
    }

    @Test("after a time-out a cache that repeats the wanted state is no late answer, and the answer to a question is")
    func cacheAfterTimeOut() throws {
        var spoken = try Self.timedOut(.lock, prev: .locked)
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"locked","battery":70}"#) == "locked stale 70%")
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"locked","battery":69}"#) == "locked stale 69%", "however often")
        #expect(spoken.receive(Self.question.0, Self.question.1) == "")
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"locked","battery":69}"#) == "locked confirmed 69%")
        #expect(
            spoken.receive(Self.zigbee, #"{"lock_state":"locked","battery":68}"#) == "locked confirmed 68%", "no doubt is left")
    }

    @Test("what was stale before the order proves nothing after it either, until the bridge tells of another state")
    func staleAfterTimeOut() throws {
        var spoken = try Self.timedOut(.unlock, prev: .locked, quality: .stale)
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"unlocked"}"#) == "unlocked stale")
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"locked"}"#) == "locked confirmed", "that is none of the order's")
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"unlocked"}"#) == "unlocked confirmed", "it has moved")
    }

    @Test("a bolt that was known to be elsewhere answers late by being there")
    func lateAnswer() throws {
        var spoken = try Self.timedOut(.unlock, prev: .locked)
        #expect(
            spoken.receive(Self.zigbee, #"{"lock_state":"locked"}"#) == "locked stale", "what was known before, told once more")
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"unlocked"}"#) == "unlocked confirmed")
    }

    @Test("after an order that was not answered the bridge's old word is not trusted, however often it comes, until it is asked")
    func unanswered() throws {
        var spoken = try Self.timedOut(.unlock, prev: .locked)
        for battery in 68...70 {
            #expect(spoken.receive(Self.zigbee, #"{"lock_state":"locked","battery":\#(battery)}"#) == "locked stale \(battery)%")
        }
        #expect(spoken.receive(Self.question.0, Self.question.1) == "")
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"locked","battery":70}"#) == "locked confirmed 70%")
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"locked","battery":69}"#) == "locked confirmed 69%")
    }

    @Test("after an order that was not answered the next one is asked about, and its own word confirms it")
    func tryAgain() throws {
        var spoken = try Self.timedOut(.unlock, prev: .locked)
        #expect(try spoken.order(.unlock).hasSuffix("?zigbee2mqtt/front/get"))
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"unlocked"}"#) == "unlocked confirmed; confirmed it")
        #expect(!spoken.memory.isUnanswered)
    }

    @Test("a lock that says nothing where it already is proves nothing by that, once an order to it was not answered")
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

    @Test("a jam of before the order is not its late end")
    func jamAfterTimeOut() throws {
        var spoken = try Self.timedOut(.unlock, prev: .jammed)
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"not_fully_locked"}"#) == "jammed stale faults[notFullyLocked]")
    }

    @Test("when messages may have been missed, another state than before may be a repetition too")
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

    @Test("the next order has a doubt of its own, and knows what the bridge repeated after the one before")
    func nextOrder() throws {
        var spoken = try Self.timedOut(.lock, prev: .locked)
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"locked"}"#) == "locked stale")
        #expect(try spoken.order(.unlock).hasSuffix("?zigbee2mqtt/front/get"))
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"unlocked"}"#) == "unlocked confirmed; confirmed it")
    }

    @Test("an event that tells of the other movement leaves the doubt as it was")
    func contradicted() throws {
        var spoken = try DialectFixture("zigbee2mqtt", Example.front, prev: .unlocked, inFlight: .lock)
        #expect(
            spoken.receive(Self.zigbee, #"{"lock_state":"locked","action":"manual_unlock"}"#)
                == #"locked stale; event operation unlock ok manual; >zigbee2mqtt/front/get {"state":""}"#)
        #expect(spoken.receive(Self.zigbee, #"{"lock_state":"locked","battery":5}"#) == "locked stale 5%")
    }

    // MARK: What an answer looks like

    @Test("after a question only a message in which nothing else is new is its answer", arguments: beside)
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
        // What the bridge tells of the order itself is no reading of the bolt.
        (#""battery":70,"voltage":6000,"action":"lock","action_source_name":"rf""#, false),
    ]

    @Test("the question of somebody else counts as well, another question and a retained one do not")
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

    // MARK: Values with the device's own time

    @Test("the first value after a start confirms by its own time, or not at all", arguments: firstValues)
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

    @Test("what follows the first value is told by its time, and without one by being another")
    func secondValue() throws {
        var spoken = try DialectFixture("zwave-js-ui", Example.zwave, quality: .stale)
        _ = try spoken.order(.lock, at: 5000)
        #expect(spoken.receive(Self.mode, #"{"time":1000,"value":255}"#) == "locked stale")
        #expect(
            spoken.receive(Self.mode, #"{"time":1001,"value":255}"#) == "locked confirmed; confirmed it",
            "the lock's clock is late")
        spoken = try DialectFixture("zwave-js-ui", Example.zwave, quality: .stale)
        _ = try spoken.order(.lock, at: 5000)
        #expect(spoken.receive(Self.mode, "255") == "locked stale")
        #expect(spoken.receive(Self.mode, "255") == "locked stale")
        #expect(spoken.receive(Self.mode, "0") == "unlocked confirmed")
        #expect(spoken.receive(Self.mode, "255") == "locked confirmed; confirmed it")
    }

    @Test("what was missed with the connection and is told after it comes back is not the answer")
    func missed() throws {
        var spoken = try DialectFixture("zwave-js-ui", Example.zwave)
        #expect(spoken.receive(Self.mode, #"{"time":1000,"value":0}"#) == "unlocked confirmed")
        _ = spoken.dialect.lose(&spoken.memory)
        _ = try spoken.order(.lock, at: 5000)
        #expect(spoken.receive(Self.mode, #"{"time":2000,"value":255}"#) == "locked stale")
        spoken.dialect.endOrder(&spoken.memory)
        #expect(spoken.receive(Self.mode, #"{"time":5100,"value":255}"#) == "locked confirmed", "its late answer")
    }

    @Test("a jam of before the order, told again, does not end it and did not happen now")
    func oldJam() throws {
        var spoken = try DialectFixture("zwave-js-ui", Example.zwave, quality: .stale)
        _ = try spoken.order(.lock, at: 5000)
        #expect(spoken.receive(Self.jam, #"{"time":4000,"value":11}"#) == "jammed stale")
        #expect(spoken.receive(Self.mode, #"{"time":5200,"value":255}"#) == "locked confirmed; confirmed it")
    }

    @Test("a jam after the order ends it, also as the first word after a start")
    func newJam() throws {
        var spoken = try DialectFixture("zwave-js-ui", Example.zwave, quality: .stale)
        _ = try spoken.order(.lock, at: 5000)
        #expect(spoken.receive(Self.jam, #"{"time":5100,"value":11}"#) == "jammed confirmed; event jam; rejected(jammed)")
    }

    @Test("where the state is known by a live word, a first answer without a time is enough")
    func known() throws {
        var spoken = try DialectFixture("zwave-js-ui", Example.zwave, prev: .unlocked)
        _ = try spoken.order(.lock, at: 5000)
        #expect(spoken.receive(Self.mode, "255") == "locked confirmed; confirmed it")
    }
}
