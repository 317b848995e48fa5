import AdapterMQTT
import DoorwardDomain
import DoorwardMQTT
import Foundation

/// A discovery that receives messages from a test.
struct DiscoveryFixture {
    var discovery: Discovery

    init(_ profiles: Set<String> = ["homeassistant", "zigbee2mqtt", "nuki-native", "homie"]) {
        discovery = Discovery(profiles: profiles)
    }

    @discardableResult
    mutating func receive(_ topic: String, _ text: String, isRetained: Bool = true) -> [AnnouncedLock] {
        receive(topic, Array(text.utf8), isRetained: isRetained)
    }

    @discardableResult
    mutating func receive(_ topic: String, _ bytes: [UInt8], isRetained: Bool = true) -> [AnnouncedLock] {
        discovery.receive(MQTTMessage(topic: topic, payload: bytes, isRetained: isRetained))
    }

    /// The discovered lock if there is exactly one, else `nil`.
    var only: AnnouncedLock? { discovery.locks.count == 1 ? discovery.locks.first : nil }

    /// Returns a minimal announcement with `extra` appended to its fields.
    static func announcement(_ id: String, _ extra: String = "") -> String {
        #"{"cmd_t":"x/\#(id)/set","stat_t":"x/\#(id)/state","uniq_id":"\#(id)"\#(extra.isEmpty ? "" : ",")\#(extra)}"#
    }
}

/// Announcements in the formats that ecosystems publish.
enum Fixture {
    static let names = [
        "homeassistant-lock", "homeassistant-lock-short", "homeassistant-device", "nuki-native", "nuki-hub", "zwave-js-ui",
        "esphome", "ring-mqtt", "zigbee2mqtt-announcement", "zigbee2mqtt-devices", "homie-description",
    ]

    static func bytes(_ name: String) throws -> [UInt8] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Fixtures")
        return Array(try Data(contentsOf: folder.appendingPathComponent("\(name).json")))
    }

    static func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

    /// Returns the topic on which an announcement is published.
    static func topic(_ name: String) -> String {
        switch name {
        case "homeassistant-lock": "homeassistant/lock/cellar/bolt/config"
        case "homeassistant-lock-short": "homeassistant/lock/shed-7/config"
        case "homeassistant-device": "homeassistant/device/gate-3/config"
        case "nuki-native": "homeassistant/lock/nuki_1A2B3C4D_lock/config"
        case "nuki-hub": "homeassistant/lock/1a2b3c4d/smartlock/config"
        case "zwave-js-ui": "homeassistant/lock/hall-front/lock/config"
        case "esphome": "homeassistant/lock/porch/front_door/config"
        case "ring-mqtt": "homeassistant/lock/10b2/5f0c_lock/config"
        case "zigbee2mqtt-announcement": "homeassistant/lock/0x00158d0001a2b3c4/lock/config"
        case "zigbee2mqtt-devices": "zigbee2mqtt/bridge/devices"
        default: "homie/5/side-door/$description"
        }
    }
}
