import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Testing

@testable import AdapterMQTT

@Suite struct RandomMessageTests {
    private static let locks: [(String, [String: String])] = [
        ("homeassistant", Example.homeAssistant),
        ("zigbee2mqtt", Example.front),
        ("nuki-native", Example.nuki),
        ("nuki-hub", [:]),
        ("zwave-js-ui", Example.zwave),
        ("esphome", Example.esphome),
        ("tasmota", Example.tasmota),
        ("homie", Example.homie),
        ("ring-mqtt", Example.ring),
        ("homekey-esp32", Example.homekey),
    ]

    /// For each profile, all payloads that mean locked, written independently of the profile, and payloads that look similar.
    private static let lockedWords: [String: (right: [String], wrong: [String])] = [
        "homeassistant": (["LOCKED"], ["locked", "UNLOCKED", "LOCKED ", "LOCK", "\"LOCKED\""]),
        "zigbee2mqtt": (
            [
                #"{"lock_state":"locked"}"#, #"{"state":"LOCK"}"#, #"{"state":"LOCKED","lock_state":null}"#,
                #"{"lock_state":"locked","state":"UNLOCK"}"#, #"{"state":"locked"}"#,
            ],
            [
                #"{"lock_state":"unlocked","state":"LOCK"}"#, #"{"lock_state":"not_fully_locked","state":"LOCK"}"#,
                #"{"state":"lock"}"#, #"{"state":"LOCK","state":"LOCK"}"#, "LOCK", #"{"reverse":"LOCK"}"#,
            ]
        ),
        "nuki-native": (["1", "01"], ["2", "10", "1.0", "-1", " 1", "true", "locked", "254"]),
        "nuki-hub": (["locked"], ["locking", "Locked", "1", "jammed", "LOCKED", "unlocked"]),
        "zwave-js-ui": (
            ["255", #"{"value":255}"#, #"{"value":"255"}"#],
            ["254", "0", #"{"value":true}"#, #"{"value":255.0}"#, "[255]", #"{"value":null}"#, "1", #""locked""#]
        ),
        "esphome": (["LOCKED"], ["LOCK", "locked", "UNLOCKED", "LOCKING", "1"]),
        "tasmota": (
            ["OFF", "off", #"{"POWER":"OFF"}"#], ["ON", "0", #"{"POWER":"ON"}"#, #"{"POWER1":"OFF"}"#, #"{"POWER":false}"#]
        ),
        "homie": (["locked"], ["LOCKED", "lock", "locking", "true", "unlocked"]),
        "ring-mqtt": (["LOCKED"], ["locked", "LOCKING", "UNLOCKED", #"{"state":"LOCKED"}"#]),
        "homekey-esp32": (["1"], ["0", "5", "true", "2", "1.0", "255"]),
    ]

    /// Fragments of valid and invalid payloads.
    private static let pieces: [String] = [
        "{", "}", "[", "]", "\"", ":", ",", "lock_state", "state", "value", "time", "LOCK", "255", "0", "1", "5", "-", ".", "e9",
        "null", "true", "NaN", "\\u0000", "\\ud800", "\u{0}", "é", "action", "unlock", "battery", " ", "\n", "success", "POWER",
        "--",
    ]

    @Test("random payloads cause no crash, and no locked state or confirmation unless the payload means locked", arguments: locks)
    func rubbish(_ profile: String, _ address: [String: String]) throws {
        var generator = SeededGenerator(seed: 7)
        var fixture = try DialectFixture(profile, address, prev: .unlocked)
        let topics = fixture.dialect.filters.map { $0.description.replacing("+", with: "Keypad_state") } + ["other", "a/b/"]
        let limit = fixture.dialect.parts.values.count + 1
        let words = try #require(Self.lockedWords[profile])
        var timesLocked = 0
        for _ in 0..<3000 {
            fixture.state.inFlight = Bool.random(using: &generator) ? .init(operation: .lock) : nil
            let payload = Self.payload(&generator, words.right + words.wrong)
            let isRetained = Int.random(in: 0..<4, using: &generator) == 0
            let message = MQTTMessage(
                topic: topics.randomElement(using: &generator) ?? "other", payload: payload, isRetained: isRetained)
            let decoded = fixture.dialect.decode(message, &fixture.state)
            let saysLocked = decoded.reports.contains { $0.position == .locked }
            // When a jam ends, the state before it is reported again as stale.
            let isReevaluated = decoded.reports.contains { $0.position == .locked && $0.quality == .stale }
            if saysLocked, !isReevaluated {
                timesLocked += 1
                #expect(Self.mayMeanLocked(payload, words.right), "\(message.topic) \(String(decoding: payload, as: UTF8.self))")
            }
            if decoded.command == .confirmed { #expect(saysLocked && !isRetained) }
            if isRetained { #expect(decoded.command == nil && decoded.events.allSatisfy(\.isAlarm)) }
            #expect(
                decoded.publish.allSatisfy { fixture.dialect.stateRequests.contains($0) }, "only state requests are published")
            let state = fixture.state
            #expect(state.states.count <= limit && state.availabilityByItem.count <= limit && state.faultsByItem.count <= limit)
            #expect(state.activeEvents.count <= limit && decoded.reports.count <= 1)
        }
        #expect(timesLocked > 5, "payloads that mean locked were decoded")
    }

    @Test("each payload that means locked is decoded as locked, and no payload that only looks similar", arguments: locks)
    func locked(_ profile: String, _ address: [String: String]) throws {
        let words = try #require(Self.lockedWords[profile])
        for (payload, isLocked) in words.right.map({ ($0, true) }) + words.wrong.map({ ($0, false) }) {
            var fixture = try DialectFixture(profile, address, prev: .unlocked)
            let states = fixture.dialect.parts.values.filter { $0.aspect == .state }
            let decoded = states.map { fixture.receive($0.reader.topic.text, payload).hasPrefix("locked ") }
            #expect(decoded.contains(true) == isLocked, "\(payload)")
        }
    }

    private static func payload(_ generator: inout SeededGenerator, _ words: [String]) -> [UInt8] {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return (0..<Int.random(in: 0..<40, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        case 1, 2: return Array((words.randomElement(using: &generator) ?? "").utf8)
        default:
            let count = Int.random(in: 0..<14, using: &generator)
            return (0..<count).flatMap { _ in Array((pieces.randomElement(using: &generator) ?? "").utf8) }
        }
    }

    /// Returns whether a payload means locked: it equals one of the texts, or is a JSON object that contains all keys and values
    /// of one of them.
    private static func mayMeanLocked(_ payload: [UInt8], _ right: [String]) -> Bool {
        let text = String(decoding: payload, as: UTF8.self)
        if right.contains(text) { return true }
        guard let parsed = JSONText(text) else { return false }
        return right.compactMap { JSONText($0) }.contains { meant in
            guard case .object(let meant) = meant, case .object(let parsed) = parsed else { return meant == parsed }
            return meant.allSatisfy { parsed[$0.key] == $0.value }
        }
    }

    @Test(
        "no command toggles or has a wildcard topic, all commands differ, and no state request equals a command",
        arguments: locks)
    func encoded(_ profile: String, _ address: [String: String]) throws {
        let fixture = try DialectFixture(profile, address)
        for operation in LockOperation.movements {
            var state = fixture.state
            guard let encoded = try? fixture.dialect.encodeCommand(operation, code: nil, reference: "r", &state) else { continue }
            #expect(!encoded.command.topic.description.contains { $0 == "+" || $0 == "#" })
            #expect(!String(decoding: encoded.command.payload, as: UTF8.self).lowercased().contains("toggle"))
            #expect(encoded.stateRequests.allSatisfy { $0 != encoded.command })
            #expect(fixture.dialect.filters.contains { $0.matches(encoded.command.topic.description) }, "found if retained")
            #expect(state.inFlight?.operation == operation)
        }
        let commands = LockOperation.movements.compactMap { operation in
            var state = DialectState()
            return try? fixture.dialect.encodeCommand(operation, code: nil, reference: "r", &state).command
        }
        #expect(Set(commands).count == commands.count, "no two commands are equal")
        #expect(fixture.dialect.filters.contains { $0.matches(fixture.dialect.commandTopic.description) })
    }
}

extension LockEvent {
    /// Whether the event is a lasting alarm. A retained report of a lasting alarm may be new.
    fileprivate var isAlarm: Bool { kind != .operation && kind != .attemptFailed && kind != .jam }
}
