import DoorwardDomain
import Testing

@testable import AdapterMQTT

/// A report ends a command as failed only if the lock has given up: a state that the bolt only passes does not.
@Suite struct PassingJamTests {
    /// The messages of a lock during a command: one that may be passing, and one that is better.
    struct Row: Sendable, CustomTestStringConvertible {
        let profile: String
        let address: [String: String]
        let operation: LockOperation
        let passing: (topic: String, payload: String, decoded: String)
        /// `nil` if nothing but the jam's end can be better.
        let better: (topic: String, payload: String)
        /// The conclusion if nothing better is reported.
        let conclusion: String

        var testDescription: String { "\(profile) \(operation) \(passing.payload)" }
    }

    private static let zigbee = "zigbee2mqtt/front"
    private static let zwave = "zwave/front/113/0/Access_Control"
    private static let mode = "zwave/front/98/0/currentMode"
    private static let jammed = "jammed confirmed faults[notFullyLocked]; rejected(jammed)"

    private static let rows = [
        Row(
            profile: "zigbee2mqtt", address: Example.front, operation: .lock,
            passing: (zigbee, #"{"state":"UNLOCK","lock_state":"not_fully_locked","battery":80}"#, "locking confirmed 80%"),
            better: (zigbee, #"{"state":"LOCK","lock_state":"locked","battery":80}"#), conclusion: jammed),
        Row(
            profile: "zigbee2mqtt", address: Example.front, operation: .unlock,
            passing: (zigbee, #"{"state":"UNLOCK","lock_state":"not_fully_locked","battery":80}"#, "unlocking confirmed 80%"),
            better: (zigbee, #"{"state":"UNLOCK","lock_state":"unlocked","battery":80}"#), conclusion: jammed),
        Row(
            profile: "zigbee2mqtt", address: Example.front.merging(["output": "attribute"]) { $1 }, operation: .lock,
            passing: (zigbee + "/lock_state", "not_fully_locked", "locking confirmed"),
            better: (zigbee + "/lock_state", "locked"), conclusion: jammed),
        Row(
            profile: "zigbee2mqtt", address: Example.front.merging(["endpoint": "left"]) { $1 }, operation: .lock,
            passing: (zigbee, #"{"lock_state_left":"not_fully_locked"}"#, "locking confirmed"),
            better: (zigbee, #"{"lock_state_left":"locked"}"#), conclusion: jammed),
        Row(
            profile: "zigbee2mqtt", address: Example.front, operation: .lock,
            passing: (zigbee, #"{"alarm":"deadbolt_jammed"}"#, ""),
            better: (zigbee, #"{"alarm":"","lock_state":"locked"}"#), conclusion: "event jam; rejected(jammed)"),
        Row(
            profile: "zigbee2mqtt", address: Example.front, operation: .lock,
            passing: (zigbee, #"{"action":"error_jammed"}"#, ""),
            better: (zigbee, #"{"lock_state":"locked"}"#), conclusion: "event jam; rejected(jammed)"),
        Row(
            profile: "zwave-js-ui", address: Example.zwave, operation: .lock,
            passing: (zwave + "/RF_not_fully_locked_operation", "{}", ""), better: (mode, #"{"time":9,"value":255}"#),
            conclusion: "faults[notFullyLocked]; event jam remote; rejected(jammed)"),
        Row(
            profile: "zwave-js-ui", address: Example.zwave, operation: .lock,
            passing: (zwave + "/Lock_state", #"{"time":8,"value":11}"#, "locking confirmed"),
            better: (mode, #"{"time":9,"value":255}"#), conclusion: "jammed confirmed; event jam; rejected(jammed)"),
        Row(
            profile: "zwave-js-ui", address: Example.zwave, operation: .unlock,
            passing: (zwave + "/Lock_state", "11", "unlocking confirmed"), better: (mode, "0"),
            conclusion: "jammed confirmed; event jam; rejected(jammed)"),
    ]

    private static func fixture(_ row: Row) throws -> DialectFixture {
        try DialectFixture(row.profile, row.address, prev: row.operation == .lock ? .unlocked : .locked, inFlight: row.operation)
    }

    @Test("a jam that may be passing does not end the command, and the commanded state confirms it", arguments: rows)
    func passes(_ row: Row) throws {
        var fixture = try Self.fixture(row)
        #expect(fixture.receive(row.passing.topic, row.passing.payload) == row.passing.decoded)
        #expect(fixture.receive(row.better.topic, row.better.payload).hasSuffix("confirmed it"))
        #expect(fixture.concludePassingJam() == "", "nothing is left to conclude")
        #expect(fixture.state.faults.isEmpty)
    }

    @Test("a jam that lasts ends the command as jammed, with the event and the fault", arguments: rows)
    func lasts(_ row: Row) throws {
        var fixture = try Self.fixture(row)
        _ = fixture.receive(row.passing.topic, row.passing.payload)
        #expect(fixture.concludePassingJam() == row.conclusion)
    }

    @Test("without a command in flight, and in a retained message, a bolt between its ends is jammed at once")
    func noCommand() throws {
        var fixture = try DialectFixture("zigbee2mqtt", Example.front, prev: .locked)
        #expect(fixture.receive(Self.zigbee, #"{"lock_state":"not_fully_locked"}"#) == "jammed confirmed faults[notFullyLocked]")
        var retained = try DialectFixture("zigbee2mqtt", Example.front, prev: .unlocked, inFlight: .lock)
        #expect(
            retained.receive(Self.zigbee, #"{"lock_state":"not_fully_locked"}"#, isRetained: true)
                == "jammed retained faults[notFullyLocked]")
    }

    @Test("a flag that is set and cleared within the command leaves nothing")
    func cleared() throws {
        var alarm = try DialectFixture("zigbee2mqtt", Example.front, prev: .unlocked, inFlight: .lock)
        #expect(alarm.receive(Self.zigbee, #"{"alarm":"deadbolt_jammed","lock_state":"unlocked"}"#) == "unlocked confirmed")
        #expect(alarm.receive(Self.zigbee, #"{"alarm":"","lock_state":"unlocked"}"#) == "unlocked confirmed")
        #expect(alarm.concludePassingJam() == "")
        var zwave = try DialectFixture("zwave-js-ui", Example.zwave, inFlight: .lock)
        _ = zwave.receive(Self.mode, #"{"time":1,"value":0}"#)
        #expect(zwave.receive(Self.zwave + "/Lock_state", #"{"time":2,"value":11}"#) == "locking confirmed")
        #expect(zwave.receive(Self.zwave + "/Lock_state", #"{"time":3,"value":0}"#) == "unlocked stale")
        #expect(zwave.concludePassingJam() == "")
    }

    @Test("a rejection during a jam that may be passing is a jam, and a lock that says that it is jammed has given up")
    func givenUp() throws {
        var zwave = try DialectFixture("zwave-js-ui", Example.zwave, prev: .unlocked, inFlight: .lock)
        _ = zwave.receive(Self.zwave + "/Lock_state", "11")
        let failed = #"{"success":true,"result":{"status":2},"origin":{"ref":"a1"}}"#
        #expect(
            zwave.receive("zwave/_CLIENTS/ZWAVE_GATEWAY-office/api/writeValue", failed)
                == "jammed confirmed; event jam; rejected(jammed)")
        for (profile, address, topic, payload) in [
            ("nuki-native", Example.nuki, "nuki/398172F4/state", "254"), ("nuki-hub", [:], "nukihub/lock/hastate", "jammed"),
            ("esphome", Example.esphome, "porch/lock/door/state", "JAMMED"),
        ] {
            var fixture = try DialectFixture(profile, address, prev: .locking, inFlight: .lock)
            #expect(fixture.receive(topic, payload) == "jammed confirmed; rejected(jammed)")
        }
    }

    @Test("an unknown state during a command does not end it: Nuki reports `undefined` between two states")
    func undefined() throws {
        for (address, profile, topic, unknown, locked) in [
            (Example.nuki, "nuki-native", "nuki/398172F4/state", "255", "1"),
            ([:], "nuki-hub", "nukihub/lock/state", "undefined", "locked"),
            (Example.zwave, "zwave-js-ui", Self.mode, "254", "255"),
        ] {
            var fixture = try DialectFixture(profile, address, prev: .unlocked, inFlight: .lock)
            #expect(fixture.receive(topic, unknown) == "unknown confirmed")
            #expect(fixture.receive(topic, locked) == "locked confirmed; confirmed it")
        }
    }

    @Test("a lost connection makes a held jam the last known state, as stale")
    func lostConnection() throws {
        var fixture = try DialectFixture("zigbee2mqtt", Example.front, prev: .unlocked, inFlight: .lock)
        _ = fixture.receive(Self.zigbee, #"{"lock_state":"not_fully_locked"}"#)
        #expect(fixture.dialect.connectionLost(&fixture.state).summary == "jammed stale reach-unknown")
        #expect(fixture.concludePassingJam() == "")
    }
}

/// Bridges publish their retained messages again when they reconnect, and an operation in one of them did not happen again.
@Suite struct RepeatedEventTests {
    private static let topic = "zigbee2mqtt/front"
    private static let unlocked =
        #"{"action":"unlock","action_source_name":"keypad","action_user":3,"lock_state":"unlocked","state":"UNLOCK"}"#
    private static let event = "event operation unlock ok keypad slot 3"
    private static let online = #"{"state":"online"}"#

    private func fixture() throws -> DialectFixture {
        var fixture = try DialectFixture("zigbee2mqtt", Example.front, prev: .locked)
        #expect(fixture.receive(Self.topic, Self.unlocked) == "unlocked confirmed; \(Self.event)")
        return fixture
    }

    @Test("after the broker was away, the last message again is state, live or retained; the next equal one is an event")
    func broker() throws {
        var fixture = try fixture()
        _ = fixture.dialect.connectionLost(&fixture.state)
        let state = "unlocked retained; !retainedEventIgnored"
        #expect(fixture.receive(Self.topic, Self.unlocked, isRetained: true) == state)
        #expect(fixture.receive(Self.topic, Self.unlocked) == state)
        #expect(fixture.receive(Self.topic, Self.unlocked) == "unlocked confirmed; \(Self.event)")
    }

    @Test("after the bridge was away, too, and a repeated message confirms no command")
    func bridge() throws {
        var fixture = try fixture()
        _ = fixture.receive("zigbee2mqtt/bridge/state", #"{"state":"offline"}"#)
        _ = fixture.receive("zigbee2mqtt/bridge/state", Self.online)
        _ = try fixture.encode(.unlock)
        let repeated = fixture.receive(Self.topic, Self.unlocked)
        #expect(!repeated.contains("event operation") && !repeated.contains("confirmed it"), "\(repeated)")
    }

    @Test("another message after a reconnection is an event, and so is an equal one without a reconnection")
    func other() throws {
        var fixture = try fixture()
        #expect(fixture.receive(Self.topic, Self.unlocked) == "unlocked confirmed; \(Self.event)")
        _ = fixture.dialect.connectionLost(&fixture.state)
        let other = Self.unlocked.replacing("3", with: "4")
        #expect(fixture.receive(Self.topic, other).contains("slot 4"))
        #expect(
            fixture.receive(Self.topic, Self.unlocked).contains("slot 3"), "the first message after the reconnection has come")
    }

    @Test("with `output: attribute` the action has a topic of its own, which is repeated as well")
    func attribute() throws {
        var fixture = try DialectFixture("zigbee2mqtt", Example.front.merging(["output": "attribute"]) { $1 }, prev: .locked)
        #expect(fixture.receive(Self.topic + "/action", "manual_unlock").contains("event operation unlock ok manual"))
        _ = fixture.dialect.connectionLost(&fixture.state)
        #expect(fixture.receive(Self.topic + "/action", "manual_unlock") == "!retainedEventIgnored")
    }
}
