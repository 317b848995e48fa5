import AdapterMQTT
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Testing

@Suite struct DiscoveryBoundsTests {
    @Test("at most 10,000 locks of one broker are listed, and a notice says that others are left out")
    func maxLocks() {
        var broker = DiscoveryFixture()
        let devices = (1...Discovery.maxLocks + 1).map { number in
            Zigbee2MQTTTests.device("lock \(number)").replacing("0x01", with: "0x\(String(number, radix: 16))")
        }
        broker.receive("a/bridge/devices", "[\(devices.dropLast(2).joined(separator: ","))]")
        #expect(broker.discovery.locks.count == Discovery.maxLocks - 1 && broker.discovery.notices.isEmpty)
        broker.receive("b/bridge/devices", "[\(devices.suffix(2).joined(separator: ","))]")
        #expect(broker.discovery.locks.count == Discovery.maxLocks && !broker.discovery.notices.isEmpty)
        #expect(broker.discovery.notices == ["more than 10000 locks are announced: the others are left out"])
        #expect(broker.receive("homeassistant/lock/a/config", DiscoveryFixture.announcement("a")) == [])
        broker.receive("a/bridge/devices", "[]")
        #expect(broker.receive("homeassistant/lock/a/config", DiscoveryFixture.announcement("a")).count == 1, "below the limit")
    }

    @Test("rejects an announcement longer than 64 KiB, a list longer than 24 MiB and a lock larger than 8 KiB")
    func lengths() {
        var broker = DiscoveryFixture()
        func padded(_ text: String, to bytes: Int) -> String { text + String(repeating: " ", count: bytes - text.utf8.count) }
        let list = "[\(Zigbee2MQTTTests.device("front"))]"
        #expect(broker.receive("a/bridge/devices", padded(list, to: (24 << 20) + 1)) == [])
        #expect(broker.discovery.notices == ["the list on `a/bridge/devices` is not read: it is longer than 24 MiB"])
        #expect(broker.receive("a/bridge/devices", padded(list, to: 24 << 20)).count == 1)
        #expect(broker.discovery.notices == [])
        let lock = DiscoveryFixture.announcement("a")
        #expect(broker.receive("homeassistant/lock/a/config", padded(lock, to: 65_537)) == [])
        #expect(broker.receive("homeassistant/lock/a/config", padded(lock, to: 65_536)).count == 1)
        let topic = String(repeating: "t", count: 9_000)
        #expect(broker.receive("homeassistant/lock/b/config", #"{"cmd_t":"\#(topic)"}"#) == [])
        #expect(broker.receive("homie/5/d/$description", padded(HomieTests.description(), to: 65_537)) == [])
    }

    @Test("names that differ only in Unicode normalization are different locks, and a lock can be renamed between them")
    func normalForms() throws {
        var broker = DiscoveryFixture()
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(composed == decomposed, "equal for Swift's `==`")
        for (id, name) in [("a", composed), ("b", decomposed)] {
            let topics = #""cmd_t":"\#(name)/set","stat_t":"\#(name)/state""#
            #expect(broker.receive("homeassistant/lock/\(id)/config", "{\(topics)}").count == 1)
        }
        #expect(broker.discovery.locks.count == 2 && broker.discovery.locks.allSatisfy { $0.problem == nil })
        broker.receive("a/bridge/devices", "[\(Zigbee2MQTTTests.device(composed))]")
        let renamed = broker.receive("a/bridge/devices", "[\(Zigbee2MQTTTests.device(decomposed))]")
        #expect(renamed.count == 1)
        guard case .string(let name)? = renamed.first?.variables["name"] else { return #expect(Bool(false)) }
        #expect(name.utf8.elementsEqual(decomposed.utf8))
    }

    @Test("reads a bridge's list of 2,000 devices of realistic size")
    func largeBridge() {
        var broker = DiscoveryFixture()
        let padding = #","x":"\#(String(repeating: "d", count: 10_000))""#
        let devices = (1...2_000).map { number in
            let device = Zigbee2MQTTTests.device("lock \(number)", padding).replacing(
                "0x01", with: "0x\(String(number, radix: 16))")
            // One in twenty is a lock.
            return number.isMultiple(of: 20) ? device : device.replacing(#""type":"lock""#, with: #""type":"light""#)
        }
        let list = "[\(devices.joined(separator: ","))]"
        #expect(list.utf8.count > 20_000_000)
        #expect(broker.receive("a/bridge/devices", list).count == 100)
        #expect(broker.discovery.notices == [])
    }

    @Test("`unannounced` returns the profiles whose locks are never announced")
    func unannouncedProfiles() {
        #expect(
            Discovery.unannounced(["tasmota", "zigbee2mqtt", "homekey-esp32", "own"]) == ["homekey-esp32", "own", "tasmota"])
        #expect(Discovery.unannounced(["zigbee2mqtt", "homie", "homeassistant", "nuki-native", "esphome"]) == [])
        #expect(Discovery.unannounced([]) == [])
    }

    @Test("rejects an announcement that is nested too deeply, has too many values or is not UTF-8")
    func depths() {
        var broker = DiscoveryFixture()
        func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        let topic = "homeassistant/lock/a/config"
        #expect(broker.receive(topic, DiscoveryFixture.announcement("a", #""x":\#(nested(40))"#)) == [])
        #expect(broker.receive(topic, DiscoveryFixture.announcement("a", #""x":\#(nested(20_000))"#)) == [])
        #expect(
            broker.receive(
                topic,
                Array(DiscoveryFixture.announcement("a", #""x":""#).utf8)
                    + Array("\u{FC}\"}".unicodeScalars.map { UInt8($0.value) }))
                == [])
        func empty(_ count: Int) -> String { String(repeating: "{},", count: count) }
        let bloated = Zigbee2MQTTTests.device("front", #","x":[\#(empty(340_000)){}]"#)
        let front = Zigbee2MQTTTests.device("front")
        #expect(broker.receive("a/bridge/devices", "[\(bloated)]") == [])
        #expect(broker.receive("a/bridge/devices", "[\(empty(60_000))\(front)]") == [])
        #expect(broker.receive("a/bridge/devices", "[\(empty(40_000))\(front)]").count == 1)
        // A malformed list removes no lock.
        for broken in [#"[{"lock"}]"#, "[{},]", "[{}", "[{}] x", "{}", "[{},,{}]", #"["lock]"#, "1"] {
            #expect(broker.receive("a/bridge/devices", broken) == [], "\(broken)")
        }
        #expect(broker.discovery.locks.count == 1)
        #expect(broker.receive(topic, DiscoveryFixture.announcement("a", #""x":\#(nested(20))"#)).count == 1)
    }

    @Test("a profile that no discovery protocol announces adds no subscription; all others subscribe to announcement topics only")
    func filters() {
        #expect(Discovery(profiles: []).filters == Discovery(profiles: ["homeassistant", "zigbee2mqtt", "homie"]).filters)
        #expect(Discovery(profiles: ["tasmota", "homekey-esp32"]).filters.isEmpty)
        let homeAssistant = ["lock/+", "lock/+/+", "device/+", "device/+/+"].map { "homeassistant/\($0)/config" }
        #expect(Discovery(profiles: ["homeassistant"]).filters.map(\.description) == homeAssistant)
        #expect(Discovery(profiles: ["nuki-native"]).filters.map(\.description) == homeAssistant)
        #expect(Discovery(profiles: ["zigbee2mqtt"]).filters.map(\.description) == ["+/bridge/devices", "+/+/bridge/devices"])
        #expect(Discovery(profiles: ["homie"]).filters.map(\.description) == ["+/5/+/$description", "+/5/+/$state"])
    }

    @Test("the topic of each announcement matches exactly one discovery filter", arguments: Fixture.names)
    func subscribed(name: String) {
        let filters = Discovery(profiles: ["homeassistant", "zigbee2mqtt", "homie"]).filters
        #expect(filters.filter { $0.matches(Fixture.topic(name)) }.count == 1)
    }

    @Test("mutated announcements cause no crash, and no lock that has an invalid topic but no problem", arguments: Fixture.names)
    func mutations(name: String) throws {
        var random = SeededGenerator(seed: 4_711)
        let original = try Fixture.bytes(name)
        let words = ["{", "}", "[", "]", "\"", ":", ",", "null", "1e999", "\\u0000", "\\", "\u{FF}", "$SYS", "#", "~", "\"~\""]
        var found = 0
        for _ in 0..<200 {
            var bytes = original
            for _ in 0...Int.random(in: 0...3, using: &random) {
                let offset = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0...3, using: &random) {
                case 0: bytes[offset] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes.removeSubrange(offset..<min(bytes.count, offset + Int.random(in: 1...40, using: &random)))
                case 2: bytes.insert(contentsOf: words.randomElement(using: &random)?.utf8 ?? "".utf8, at: offset)
                default: bytes.insert(contentsOf: bytes[offset..<min(bytes.count, offset + 60)], at: offset)
                }
                if bytes.isEmpty { bytes = original }
            }
            // If the profile `zigbee2mqtt` is discovered, Zigbee2MQTT's Home Assistant announcement adds no lock.
            var broker = DiscoveryFixture(["homeassistant", "homie", name == "zigbee2mqtt-devices" ? "zigbee2mqtt" : ""])
            broker.receive(Fixture.topic(name), bytes)
            found += broker.discovery.locks.count
            for lock in broker.discovery.locks where lock.problem == nil {
                #expect(isValid(lock), "\(lock)")
            }
        }
        #expect(found > 5, "some mutated announcements must still give a lock, otherwise the test checks nothing")
    }

    /// Returns whether every string of the address that is used in a topic is valid in a topic.
    private func isValid(_ lock: AnnouncedLock) -> Bool {
        lock.variables.allSatisfy { key, value in
            guard case .string(let text) = value else { return true }
            let isTopic = lock.profile != "homeassistant" || key.hasSuffix("topic")
            return !isTopic || MQTTTopic(text) != nil
        }
    }
}
