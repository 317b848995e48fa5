import DoorwardDomain
import DoorwardMQTT
import Testing

@testable import AdapterMQTT

@Suite struct RandomMessageTests {
    /// The same numbers for the same seed.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
    }

    private static let locks: [(String, [String: String])] = [
        ("homeassistant", Example.words),
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

    /// Pieces of what locks say, and of what nobody should.
    private static let pieces: [String] = [
        "{", "}", "[", "]", "\"", ":", ",", "lock_state", "state", "value", "time", "LOCK", "255", "0", "1", "5", "-", ".", "e9",
        "null", "true", "NaN", "\\u0000", "\\ud800", "\u{0}", "é", "action", "unlock", "battery", " ", "\n", "success", "POWER",
        "--",
    ]

    @Test("any bytes on any topic: no crash, no lock that is locked or confirmed without its own word", arguments: locks)
    func rubbish(_ profile: String, _ address: [String: String]) throws {
        var generator = Generator(state: 7)
        var spoken = try Spoken(profile, address, prev: .unlocked)
        let topics = spoken.dialect.filters.map { $0.description.replacing("+", with: "Keypad_state") } + ["other", "a/b/"]
        let limit = spoken.dialect.parts.values.count + 1
        for _ in 0..<3000 {
            spoken.memory.underWay = Bool.random(using: &generator) ? .init(.lock) : nil
            let payload = Self.payload(&generator)
            let isRetained = Int.random(in: 0..<4, using: &generator) == 0
            let message = MQTTMessage(
                topic: topics.randomElement(using: &generator) ?? "other", payload: payload, isRetained: isRetained)
            let heard = spoken.dialect.hear(message, &spoken.memory)
            let saysLocked = heard.reports.contains { $0.position == .locked }
            if saysLocked { #expect(Self.mayMeanLocked(payload), "\(message.topic) \(String(decoding: payload, as: UTF8.self))") }
            if heard.command == .confirmed { #expect(saysLocked && !isRetained) }
            if isRetained { #expect(heard.command == nil && heard.events.isEmpty) }
            #expect(heard.publish.allSatisfy { spoken.dialect.questions.contains($0) }, "what follows only asks")
            let memory = spoken.memory
            #expect(memory.states.count <= limit && memory.reach.count <= limit && memory.partFaults.count <= limit)
            #expect(memory.raised.count <= limit && heard.reports.count <= 1)
        }
    }

    private static func payload(_ generator: inout Generator) -> [UInt8] {
        if Int.random(in: 0..<8, using: &generator) == 0 {
            return (0..<Int.random(in: 0..<40, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        let count = Int.random(in: 0..<14, using: &generator)
        return (0..<count).flatMap { _ in Array((pieces.randomElement(using: &generator) ?? "").utf8) }
    }

    /// Whether any of the makes' words for locked is in it.
    private static func mayMeanLocked(_ payload: [UInt8]) -> Bool {
        let text = String(decoding: payload, as: UTF8.self)
        return ["LOCK", "255", "1", "locked", "OFF", "off"].contains { text.contains($0) }
    }

    @Test("no frame of any make is retained, and none moves a lock but the command itself", arguments: locks)
    func frames(_ profile: String, _ address: [String: String]) throws {
        let spoken = try Spoken(profile, address)
        for operation in LockOperation.movements {
            var memory = spoken.memory
            guard let frames = try? spoken.dialect.order(operation, code: nil, reference: "r", &memory) else { continue }
            #expect(!frames.command.topic.description.contains { $0 == "+" || $0 == "#" })
            #expect(!String(decoding: frames.command.payload, as: UTF8.self).lowercased().contains("toggle"))
            #expect(frames.questions.allSatisfy { $0 != frames.command })
            #expect(spoken.dialect.filters.contains { $0.matches(frames.command.topic.description) }, "what lies there is found")
            #expect(memory.underWay?.operation == operation)
        }
        let commands = LockOperation.movements.compactMap { operation in
            var memory = LockMemory()
            return try? spoken.dialect.order(operation, code: nil, reference: "r", &memory).command
        }
        #expect(Set(commands).count == commands.count, "no two commands are the same frame")
        #expect(spoken.dialect.filters.contains { $0.matches(spoken.dialect.commandTopic.description) })
    }
}
