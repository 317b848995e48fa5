import DoorwardAdapterKit
import DoorwardDomain
import Testing

@testable import AdapterMQTT

/// Tests of a Zigbee2MQTT lock that is attached with the keys of its Home Assistant announcement.
@Suite struct MergedStateTests {
    private static let address = [
        "command_topic": "zigbee2mqtt/front/set", "state_topic": "zigbee2mqtt/front", "value_template": "{{ value_json.state }}",
        "state_locked": "LOCK", "state_unlocked": "UNLOCK",
    ]
    private static let topic = "zigbee2mqtt/front"
    private static let stateRequest = ("zigbee2mqtt/front/get", #"{"state":""}"#)

    @Test("a battery report with a cached bolt state confirms no command, and the answer to a state request does")
    func battery() throws {
        var fixture = try DialectFixture("homeassistant", Self.address, prev: .locked)
        #expect(try fixture.encode(.lock).hasSuffix("?\(Self.stateRequest.0)"))
        #expect(fixture.receive(Self.topic, #"{"state":"LOCK","battery":70}"#) == "locked stale")
        #expect(fixture.receive(Self.stateRequest.0, Self.stateRequest.1) == "")
        #expect(fixture.receive(Self.topic, #"{"state":"LOCK","battery":69}"#) == "locked stale", "a battery report")
        #expect(
            fixture.receive(Self.topic, #"{"state":"LOCK","battery":69,"linkquality":7}"#) == "locked confirmed; confirmed it")
    }

    @Test("a changed bolt state confirms a command")
    func moved() throws {
        var fixture = try DialectFixture("homeassistant", Self.address, prev: .locked, inFlight: .unlock)
        #expect(fixture.receive(Self.topic, #"{"state":"UNLOCK","battery":70}"#) == "unlocked confirmed; confirmed it")
    }

    @Test("a state request uses the key in the template; other topics or templates allow no state request")
    func requestsState() throws {
        let left = Self.address.merging(
            ["command_topic": "zigbee2mqtt/front/left/set", "value_template": "{{ value_json['state_left'] }}"]) { $1 }
        let dialect = try DialectFixture("homeassistant", left).dialect
        #expect(dialect.stateRequests.map { String(decoding: $0.payload, as: UTF8.self) } == [#"{"state_left":""}"#])
        #expect(dialect.capabilities.contains(.refresh) && dialect.retriesStateRequest)
        for change in [
            ["command_topic": "cmd/front"], ["command_topic": "zigbee2mqtt/front/put"], ["value_template": "{{ value }}"],
        ] {
            let other = try DialectFixture("homeassistant", Self.address.merging(change) { $1 }).dialect
            #expect(other.stateRequests.isEmpty && !other.capabilities.contains(.refresh) && !other.republishesCachedState)
        }
    }
}
