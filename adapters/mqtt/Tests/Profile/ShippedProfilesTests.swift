import DoorwardDomain
import DoorwardMQTT
import Testing

@testable import AdapterMQTT

@Suite struct ShippedProfilesTests {
    @Test("every shipped file is a valid profile with the name of its file", arguments: ShippedProfiles.files.map(\.name))
    func complete(_ name: String) throws {
        let file = try #require(ShippedProfiles.files.first { $0.name == name })
        let profile = try Profile(yaml: String(decoding: file.bytes, as: UTF8.self), file: "\(name).yaml")
        #expect(profile.id == name)
        #expect(!profile.description.isEmpty && !profile.version.isEmpty && !profile.origin.isEmpty)
        #expect(profile.variables.allSatisfy { !$0.description.isEmpty }, "each variable has a description")
    }

    @Test("the capabilities of a lock of each shipped profile, depending on its address", arguments: capabilityCases)
    func capabilities(_ profile: String, _ address: [String: String], _ expected: LockCapabilities) throws {
        let capabilities = try DialectFixture(profile, address).dialect.capabilities
        #expect(capabilities == expected, "\(capabilities)")
    }

    private static let both: LockCapabilities = [.lock, .unlock]
    private static let all: LockCapabilities = [.lock, .unlock, .unlatch]
    private static let capabilityCases: [(String, [String: String], LockCapabilities)] = [
        ("homeassistant", Example.homeAssistant, both.union([.intermediateStates, .jam])),
        ("homeassistant", Example.homeAssistant.merging(["pl_open": "OPEN"]) { $1 }, all.union([.intermediateStates, .jam])),
        ("homeassistant", ["command_topic": "c"], both),
        ("zigbee2mqtt", Example.front, both.union([.jam, .door, .battery, .operator, .failedAttempts, .acceptsCode, .refresh])),
        ("nuki-native", Example.nuki, all.union([.intermediateStates, .jam, .door, .battery, .operator])),
        ("nuki-hub", [:], all.union([.intermediateStates, .jam, .door, .battery, .operator, .failedAttempts, .refresh])),
        ("zwave-js-ui", Example.zwave, both.union([.jam, .door, .battery, .operator, .failedAttempts, .refresh])),
        ("zwave-js-ui", ["node": "front"], both.union([.jam, .door, .battery, .operator, .failedAttempts])),
        ("esphome", Example.esphome, all.union([.intermediateStates, .jam])),
        ("esphome", ["node": "porch", "no_open": "true"], both.union([.intermediateStates, .jam])),
        ("tasmota", Example.tasmota, both.union(.refresh)),
        ("tasmota", ["topic": "strike", "pulse": "ON"], [.unlatch, .refresh]),
        ("homie", Example.homie, all.union([.intermediateStates, .jam, .door, .battery, .operator, .failedAttempts])),
        ("ring-mqtt", Example.ring, both.union([.intermediateStates, .battery])),
        ("homekey-esp32", Example.homekey, both.union([.intermediateStates, .jam, .operator, .failedAttempts])),
    ]

    @Test("the command topic, state requests and timeout of each shipped profile", arguments: behaviors)
    func behavior(_ profile: String, _ address: [String: String], _ expected: String) throws {
        let dialect = try DialectFixture(profile, address).dialect
        var words = ["moves on \(dialect.commandTopic)"]
        words += dialect.stateRequests.map { "asks \($0.topic) q\($0.qos.rawValue)" }
        if dialect.retriesStateRequest { words.append("again") }
        if let seconds = dialect.profile.timeoutSeconds { words.append("\(seconds) s") }
        #expect(words.joined(separator: ", ") == expected)
    }

    private static let behaviors: [(String, [String: String], String)] = [
        ("homeassistant", Example.homeAssistant, "moves on command-topic"),
        ("zigbee2mqtt", Example.front, "moves on zigbee2mqtt/front/set, asks zigbee2mqtt/front/get q0, again, 20 s"),
        ("nuki-native", Example.nuki, "moves on nuki/398172F4/lockAction, 20 s"),
        ("nuki-hub", [:], "moves on nukihub/lock/action, asks nukihub/lock/query/lockstate q0, 20 s"),
        // The locks of one gateway are distinguished by their own topics, not by the topic of the API.
        (
            "zwave-js-ui", Example.zwave,
            "moves on zwave/front/98/0/targetMode/set, asks zwave/_CLIENTS/ZWAVE_GATEWAY-office/api/pollValue/set q0, 30 s"
        ),
        ("esphome", Example.esphome, "moves on porch/lock/door/command"),
        ("tasmota", Example.tasmota, "moves on cmnd/strike/POWER, asks cmnd/strike/POWER q0"),
        ("homie", Example.homie, "moves on homie/5/front/lock/command/set"),
        ("ring-mqtt", Example.ring, "moves on ring/home/alarm/d1/lock/command"),
        ("homekey-esp32", Example.homekey, "moves on reader/homekit/set_target_state"),
    ]
}
