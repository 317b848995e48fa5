import DoorwardDomain
import Testing

@testable import AdapterMQTT

/// Tests, for each profile, that a command is confirmed only by a live state that the lock reports after the command.
@Suite struct ConfirmationTests {
    /// The payloads for locked and unlocked on one topic of a profile.
    struct Make: Sendable, CustomTestStringConvertible {
        let profile: String
        let address: [String: String]
        let topic: String
        let locked: String
        let unlocked: String
        var confirms = true

        var testDescription: String { "\(profile) \(topic)" }
    }

    private static let makes = [
        Make(
            profile: "homeassistant", address: Example.homeAssistant, topic: "state-topic", locked: "LOCKED", unlocked: "UNLOCKED"
        ),
        Make(
            profile: "homeassistant", address: Example.homeAssistant.merging(["optimistic": "true"]) { $1 }, topic: "state-topic",
            locked: "LOCKED", unlocked: "UNLOCKED", confirms: false),
        Make(
            profile: "zigbee2mqtt", address: Example.front, topic: "zigbee2mqtt/front", locked: #"{"lock_state":"locked"}"#,
            unlocked: #"{"lock_state":"unlocked"}"#),
        Make(profile: "nuki-native", address: Example.nuki, topic: "nuki/398172F4/state", locked: "1", unlocked: "3"),
        Make(profile: "nuki-hub", address: [:], topic: "nukihub/lock/state", locked: "locked", unlocked: "unlocked"),
        Make(profile: "nuki-hub", address: [:], topic: "nukihub/lock/hastate", locked: "locked", unlocked: "unlocked"),
        Make(
            profile: "zwave-js-ui", address: Example.zwave, topic: "zwave/front/98/0/currentMode",
            locked: #"{"time":9,"value":255}"#, unlocked: #"{"time":8,"value":0}"#),
        Make(
            profile: "zwave-js-ui", address: Example.zwave, topic: "zwave/front/door_lock/endpoint_0/currentMode", locked: "255",
            unlocked: "0"),
        Make(
            profile: "esphome", address: Example.esphome, topic: "porch/lock/door/state", locked: "LOCKED", unlocked: "UNLOCKED"),
        Make(
            profile: "tasmota", address: Example.tasmota, topic: "stat/strike/POWER", locked: "OFF", unlocked: "ON",
            confirms: false),
        Make(
            profile: "tasmota", address: Example.tasmota, topic: "stat/strike/RESULT", locked: #"{"POWER":"OFF"}"#,
            unlocked: #"{"POWER":"ON"}"#, confirms: false),
        Make(profile: "homie", address: Example.homie, topic: "homie/5/front/lock/state", locked: "locked", unlocked: "unlocked"),
        Make(
            profile: "ring-mqtt", address: Example.ring, topic: "ring/home/alarm/d1/lock/state", locked: "LOCKED",
            unlocked: "UNLOCKED"),
        Make(profile: "homekey-esp32", address: Example.homekey, topic: "reader/homekit/state", locked: "1", unlocked: "0"),
    ]

    private static func isConfirmed(_ words: String) -> Bool { words.hasSuffix("confirmed it") }

    @Test("a live state confirms a command; a retained state, the opposite state and another topic do not", arguments: makes)
    func confirms(_ make: Make) throws {
        for (operation, before, after) in [
            (LockOperation.lock, BoltState.unlocked, make.locked), (.unlock, .locked, make.unlocked),
        ] {
            let opposite = operation == .lock ? make.unlocked : make.locked
            var fixture = try DialectFixture(make.profile, make.address, prev: before, inFlight: operation)
            #expect(!Self.isConfirmed(fixture.receive(make.topic, after, isRetained: true)), "retained")
            #expect(!Self.isConfirmed(fixture.receive(make.topic + "/other", after)))
            #expect(!Self.isConfirmed(fixture.receive(make.topic, opposite)))
            var live = try DialectFixture(make.profile, make.address, prev: before, inFlight: operation)
            #expect(Self.isConfirmed(live.receive(make.topic, after)) == make.confirms)
            live.dialect.completeCommand(&live.state)
            #expect(!Self.isConfirmed(live.receive(make.topic, after)), "no command is in flight")
        }
    }

    @Test("silence after a command does not confirm it if the state before it was retained", arguments: makes)
    func silence(_ make: Make) throws {
        var fixture = try DialectFixture(make.profile, make.address)
        _ = fixture.receive(make.topic, make.locked, isRetained: true)
        #expect(fixture.state.quality != .confirmed)
        _ = try fixture.encode(.lock)
        #expect(fixture.dialect.concludeFromSilence(&fixture.state).command == nil)
    }

    @Test("the state unlocked does not confirm an unlatch command", arguments: makes)
    func latch(_ make: Make) throws {
        guard make.confirms, var fixture = try? DialectFixture(make.profile, make.address, prev: .locked, inFlight: .unlatch)
        else { return }
        #expect(!Self.isConfirmed(fixture.receive(make.topic, make.unlocked)))
    }
}
