import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Testing

@testable import AdapterMQTT

/// Tests of addresses that share a topic. No connection is made.
@Suite struct TopicConflictTests {
    private static let one = DeviceID(high: 0xD7, low: 1)
    private let adapter = BrokerFixture.adapter(["home": 1, "attic": 1], VirtualClock())

    private static func address(
        _ command: String, _ state: String, template: String? = nil, broker: String = "home"
    ) -> [String: JSONValue] {
        var words = ["broker": broker, "profile": "homeassistant", "command_topic": command, "state_topic": state]
        words["value_template"] = template
        return words.mapValues { .string($0) }
    }

    private func problems(_ address: [String: JSONValue]) throws -> [String] {
        try adapter.check(address: address).conflicts.map {
            #expect($0.device == Self.one)
            return "\($0.mistake.field) \($0.mistake.problem)"
        }
    }

    private func attach(_ address: [String: JSONValue]) { adapter.attach(AttachedLock(id: Self.one, address: address)) }

    @Test("rejects a state topic that another lock uses, and a topic that is one lock's state topic and another's command topic")
    func conflicts() throws {
        attach(Self.address("a/set", "a/state"))
        #expect(try problems(Self.address("b/set", "a/state")) == ["address.state_topic state_topic_in_use"])
        #expect(try problems(Self.address("b/set", "a/set")) == ["address.state_topic is_command_topic_of_another_lock"])
        #expect(try problems(Self.address("a/state", "b/state")) == ["address.command_topic is_state_topic_of_another_lock"])
        #expect(try problems(Self.address("b/set", "b/state")) == [])
        #expect(try problems(Self.address("b/set", "a/state", broker: "attic")) == [], "on another broker")
        adapter.detach(Self.one)
        #expect(try problems(Self.address("b/set", "a/state")) == [])
    }

    @Test("two locks may share a topic with different JSON keys, and not with the same key")
    func jsonKeys() throws {
        attach(Self.address("a/set", "shared", template: "{{ value_json.left }}"))
        #expect(try problems(Self.address("b/set", "shared", template: "{{ value_json.right }}")) == [])
        #expect(
            try problems(Self.address("b/set", "shared", template: "{{ value_json.left }}"))
                == ["address.state_topic state_topic_in_use"])
    }

    @Test("the locks of one bridge, and the relays of one Tasmota device, do not conflict")
    func bridges() throws {
        func lock(_ profile: String, _ words: [String: String]) -> [String: JSONValue] {
            words.merging(["broker": "home", "profile": profile]) { $1 }.mapValues { .string($0) }
        }
        for (first, second) in [
            (lock("zigbee2mqtt", ["name": "a"]), lock("zigbee2mqtt", ["name": "b"])),
            (lock("tasmota", ["topic": "t", "relay": "1"]), lock("tasmota", ["topic": "t", "relay": "2"])),
            (lock("zwave-js-ui", ["node": "a"]), lock("zwave-js-ui", ["node": "b"])),
            (lock("homie", ["device": "a"]), lock("homie", ["device": "a", "node": "other"])),
        ] {
            attach(first)
            #expect(try problems(second) == [], "\(first)")
        }
    }

    @Test("topics that differ only in Unicode normalization are different topics and do not conflict")
    func normalForms() throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        attach(Self.address("\(composed)/set", "\(composed)/state"))
        let other = Self.address("\(decomposed)/set", "\(decomposed)/state")
        #expect(try problems(other) == [])
        #expect(try adapter.check(address: other).attachedDevice == nil)
        #expect(try adapter.check(address: Self.address("\(composed)/set", "x")).attachedDevice == Self.one)
        // The command and state topics of one lock may differ only in Unicode normalization.
        #expect(try problems(Self.address("x/\(composed)", "x/\(decomposed)")) == [])
    }

    @Test(
        "every profile rejects a topic with an empty level, a control character or a bidirectional character, and names the rule",
        arguments: [
            ("a//b", "empty_level"), ("/a", "empty_level"), ("a/", "empty_level"), ("/", "empty_level"),
            ("a\u{85}", "control_character"), ("a\u{7}", "control_character"), ("a\u{202E}b", "bidirectional_character"),
            ("\u{200F}a", "bidirectional_character"), ("\u{2067}a", "bidirectional_character"),
        ])
    func rules(_ text: String, _ problem: String) {
        for (profile, key) in [
            ("zigbee2mqtt", "name"), ("zigbee2mqtt", "base"), ("nuki-native", "id"), ("zwave-js-ui", "node"),
            ("tasmota", "topic"),
            ("homie", "device"), ("homie", "base"), ("nuki-hub", "base"), ("homeassistant", "state_topic"),
        ] {
            let needed = ["name", "id", "node", "topic", "device", "command_topic"]
            let known = ProfileLibrary.shipped[profile]?.variables.filter { $0.isRequired && needed.contains($0.name) } ?? []
            var words = Dictionary(uniqueKeysWithValues: known.map { ($0.name, "x") })
            words.merge(["broker": "home", "profile": profile, key: text]) { $1 }
            let error = #expect(throws: AddressErrors.self) {
                try adapter.check(address: words.mapValues { .string($0) })
            }
            #expect(error?.errors == [.init(field: "address.\(key)", problem: problem)], "\(profile) \(key)")
        }
    }

    @Test("rejects a topic that starts with `$` as reserved, and accepts a `$` in a later level")
    func reserved() throws {
        let error = #expect(throws: AddressErrors.self) { try adapter.check(address: Self.address("c", "$SYS/x")) }
        #expect(error?.errors == [.init(field: "address.state_topic", problem: "reserved_topic")])
        _ = try adapter.check(address: Self.address("c", "x/$state"))
    }

    @Test("a lock that was attached before a rule applied to its address stays attached")
    func attachedBefore() throws {
        let address = Self.address("/old/set", "/old/state")
        attach(address)
        #expect(throws: AdapterError.offline) {
            try adapter.send(
                LockCommand(
                    commandID: CommandID(high: 0, low: 1), deviceID: Self.one, operation: .lock,
                    deadline: Timestamp(milliseconds: .max / 2)))
        }
        #expect(
            adapter.problem(of: CommandID(high: 0, low: 1), for: Self.one)?.detail.contains("`home` is not connected") == true)
    }
}
