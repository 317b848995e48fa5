import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import Testing

@testable import AdapterMQTT

@Suite struct HomeAssistantAddressTests {
    @Test("reads a template that only selects a value, and rejects any other", arguments: templates)
    func template(_ template: String, _ keys: [String]?) { #expect(HomeAssistantTemplate.path(template)?.keys == keys) }

    private static let templates: [(String, [String]?)] = [
        ("{{ value }}", []),
        ("{{value}}", []),
        ("{{ value_json.state }}", ["state"]),
        ("{{value_json.a.b}}", ["a", "b"]),
        (#"{{ value_json["lock state"] }}"#, ["lock state"]),
        ("{{ value_json['k'] }}", ["k"]),
        ("{{ value_json.state | default('') }}", ["state"]),
        ("{{ value_json.state|default('') }}", ["state"]),
        ("{{ value_json.state | upper }}", nil),
        ("{{ value_json.state | default('LOCKED') }}", nil),
        ("{{ value_json }}", nil),
        ("{{ value_json.a }}{{ value_json.b }}", nil),
        ("{% if value == '1' %}LOCKED{% endif %}", nil),
        ("value", nil),
        ("", nil),
        ("{{ 'LOCKED' }}", nil),
        ("{{ value_json['a']['b'] }}", nil),
        ("{{ value_json.a + 1 }}", nil),
        ("{{}}", nil),
    ]

    @Test("reads a value from JSON; a Boolean is compared as `True` or `False`")
    func json() throws {
        let address = ["state_locked": "True", "state_unlocked": "1", "value_template": "{{ value_json.lock.on }}"]
        for (payload, expected) in [
            (#"{"lock":{"on":true}}"#, "locked confirmed"),
            (#"{"lock":{"on":1}}"#, "unlocked confirmed"),
            (#"{"lock":{"on":false}}"#, "unknown confirmed; !unmappedValue: False"),
            (#"{"lock":{}}"#, ""),
            ("true", "!malformedPayload"),
        ] {
            var fixture = try DialectFixture("homeassistant", Example.homeAssistant.merging(address) { $1 }, prev: .locked)
            #expect(fixture.receive("state-topic", payload) == expected)
        }
    }

    @Test("a command template is sent with the payload and the code inserted")
    func commandTemplate() throws {
        let json = ["command_template": #"{"do":"{{ value }}","code":"{{ code }}"}"#, "payload_unlock": "OP\"EN"]
        var fixture = try DialectFixture("homeassistant", Example.homeAssistant.merging(json) { $1 })
        #expect(fixture.dialect.capabilities.contains(.acceptsCode))
        #expect(try fixture.encode(.lock, code: "0\"1") == #"command-topic {"do":"LOCK","code":"0\"1"} q0"#)
        var plain = try DialectFixture("homeassistant", Example.homeAssistant.merging(["cmd_tpl": "{{value}}!"]) { $1 })
        #expect(try plain.encode(.unlock) == "command-topic UNLOCK! q0")
        #expect(throws: AdapterError.unsupported) { try plain.encode(.unlock, code: "1") }
    }

    @Test("a lock supports only what its address configures")
    func capabilities() throws {
        #expect(
            try DialectFixture("homeassistant", Example.homeAssistant).dialect.capabilities == [
                .lock, .unlock, .intermediateStates, .jam,
            ])
        let blind = try DialectFixture("homeassistant", ["command_topic": "c", "payload_open": "OPEN", "qos": "2"])
        #expect(blind.dialect.capabilities == [.lock, .unlock, .unlatch], "no state topic")
        #expect(blind.dialect.filters.map(\.description) == ["c"])
        var fixture = blind
        #expect(try fixture.encode(.unlatch) == "c OPEN q1")
    }

    @Test("every state value, with the default payloads", arguments: words)
    func word(_ payload: String, _ expected: String) throws {
        var fixture = try DialectFixture("homeassistant", Example.homeAssistant, prev: .locked)
        #expect(fixture.receive("state-topic", payload) == expected)
    }

    private static let words = [
        ("LOCKED", "locked confirmed"),
        ("UNLOCKED", "unlocked confirmed"),
        ("LOCKING", "locking confirmed"),
        ("UNLOCKING", "unlocking confirmed"),
        ("OPEN", "open confirmed"),
        ("OPENING", "opening confirmed"),
        ("JAMMED", "jammed confirmed"),
        ("None", "unknown confirmed"),
        ("LOCK", "unknown confirmed; !unmappedValue: LOCK"),
        ("locked", "unknown confirmed; !unmappedValue: locked"),
        ("LOCKED\n", "unknown confirmed; !unmappedValue: LOCKED·"),
        ("", ""),
    ]

    @Test("a list of availability topics is combined according to its mode")
    func availability() throws {
        let list: JSONValue = .array([
            .object(["topic": .string("a/up")]),
            .object([
                "t": .string("b/up"), "pl_avail": .string("1"), "pl_not_avail": .string("0"),
                "val_tpl": .string("{{ value_json.x }}"),
            ]),
        ])
        let profile = try #require(ProfileLibrary.shipped["homeassistant"])
        let address: [String: JSONValue] = [
            "command_topic": .string("c"), "state_topic": .string("s"), "availability": list, "availability_mode": .string("all"),
        ]
        let dialect = try Dialect(profile, variables: address)
        var state = DialectState()
        #expect(
            dialect.decode(MQTTMessage(topic: "a/up", payload: Array("online".utf8), isRetained: true), &state).summary
                == "reach-unknown")
        #expect(
            dialect.decode(MQTTMessage(topic: "b/up", payload: Array(#"{"x":1}"#.utf8), isRetained: true), &state).summary
                == "online")
        #expect(
            dialect.decode(MQTTMessage(topic: "a/up", payload: Array("offline".utf8), isRetained: false), &state).summary
                == "stale offline")
    }

    @Test("an invalid address is rejected with an error for each invalid key", arguments: refused)
    func mistakes(_ address: [String: JSONValue], _ expected: [String]) throws {
        let profile = try #require(ProfileLibrary.shipped["homeassistant"])
        let error = #expect(throws: AddressErrors.self) { try Dialect(profile, variables: address) }
        #expect(error?.errors.map { "\($0.field) \($0.problem)" } == expected)
    }

    private static func words(_ more: [String: JSONValue]) -> [String: JSONValue] {
        ["command_topic": .string("c"), "state_topic": .string("s")].merging(more) { $1 }
    }
    private static let refused: [([String: JSONValue], [String])] = [
        ([:], ["address.command_topic required"]),
        (words(["command_topic": .string("a/+")]), ["address.command_topic malformed"]),
        (
            words(["command_topic": .string("a/#"), "state_topic": .string("+")]),
            ["address.command_topic malformed", "address.state_topic malformed"]
        ),
        (words(["command_topic": .string("$SYS/x")]), ["address.command_topic reserved_topic"]),
        (words(["command_topic": .string("")]), ["address.command_topic blank"]),
        (words(["command_topic": .string("a\u{0}b")]), ["address.command_topic control_character"]),
        (words(["state_topic": .string("c")]), ["address.state_topic is_command_topic"]),
        (words(["state_topic": .string("a//b")]), ["address.state_topic empty_level"]),
        (words(["state_topic": .string("/a")]), ["address.state_topic empty_level"]),
        (words(["state_topic": .string("a/")]), ["address.state_topic empty_level"]),
        (words(["state_topic": .string("/")]), ["address.state_topic empty_level"]),
        (words(["state_topic": .string("$share/g/a")]), ["address.state_topic reserved_topic"]),
        (words(["state_topic": .string("a\u{202E}b")]), ["address.state_topic bidirectional_character"]),
        (words(["state_topic": .string("a\u{2066}b")]), ["address.state_topic bidirectional_character"]),
        (words(["state_topic": .string("a\u{85}b")]), ["address.state_topic control_character"]),
        (words(["state_topic": .string("a\u{2028}b")]), ["address.state_topic control_character"]),
        (words(["payload_lock": .string("a\u{200F}")]), ["address.payload_lock bidirectional_character"]),
        (words(["comand_topic": .string("x")]), ["address.comand_topic unknown_key"]),
        (words(["cmd_t": .string("x")]), ["address.command_topic duplicate_key"]),
        (words(["state_locked": .string("X"), "state_unlocked": .string("X")]), ["address.state_unlocked malformed"]),
        (words(["payload_lock": .string("X"), "payload_unlock": .string("X")]), ["address.payload_unlock malformed"]),
        (words(["value_template": .string("{{ value | upper }}")]), ["address.value_template malformed"]),
        (words(["command_template": .string("{{ states('x') }}")]), ["address.command_template malformed"]),
        (words(["availability": .array([])]), ["address.availability malformed"]),
        (words(["availability": .array([.object(["topic": .string("a/+")])])]), ["address.availability malformed"]),
        (words(["availability_mode": .string("most")]), ["address.availability_mode unknown_value"]),
        (words(["encoding": .string("latin-1")]), ["address.encoding unknown_value"]),
        (words(["optimistic": .string("perhaps")]), ["address.optimistic wrong_type"]),
        (words(["payload_lock": .array([])]), ["address.payload_lock wrong_type"]),
        (words(["payload_lock": .string(String(repeating: "x", count: 2000))]), ["address.payload_lock too_long"]),
    ]

    @Test(
        "every profile rejects an identifier that is empty or contains a wildcard or NUL",
        arguments: ["+", "a/#", "#", "a+b", "", "\u{0}"])
    func identifiers(_ text: String) {
        for (id, key, rest) in [
            ("zigbee2mqtt", "name", [:]),
            ("nuki-native", "id", [:]),
            ("zwave-js-ui", "node", [:]),
            ("esphome", "node", [:]),
            ("tasmota", "topic", [:]),
            ("homie", "device", [:]),
            ("ring-mqtt", "device", ["location": JSONValue.string("x")]),
            ("homekey-esp32", "client", [:]),
            ("nuki-hub", "base", [:]),
        ] as [(String, String, [String: JSONValue])] {
            guard let profile = ProfileLibrary.shipped[id] else { continue }
            let error = #expect(throws: AddressErrors.self) {
                try Dialect(profile, variables: rest.merging([key: .string(text)]) { $1 })
            }
            #expect(error?.errors.map(\.field) == ["address.\(key)"])
        }
    }
}
