import AdapterMQTT
import DoorwardMQTT
import FoundationEssentials

/// A line printed by `mosquitto_sub`: with `-F %j` a JSON object, with `-v` a topic, a space and the payload.
struct MessageLine {
    let message: MQTTMessage

    /// - Parameters:
    ///   - isRetained: the retain flag of a line that does not contain one.
    ///   - isKnown: whether the lock publishes on a topic. Topics can contain spaces, so only this
    ///     closure determines where the topic ends.
    /// - Returns: `nil` for a line of neither format.
    init?(_ line: [UInt8], isRetained: Bool, isKnown: (String) -> Bool) {
        if line.first == UInt8(ascii: "{"), let object = try? JSONDecoder().decode(Object.self, from: Data(line)) {
            message = MQTTMessage(
                topic: object.topic, payload: Array((object.payload ?? "").utf8),
                isRetained: object.retain.map { $0 != 0 } ?? isRetained)
        } else {
            guard let (topic, payload) = Self.parts(line, isKnown) else { return nil }
            message = MQTTMessage(topic: topic, payload: payload, isRetained: isRetained)
        }
        guard MQTTTopic(message.topic) != nil else { return nil }
    }

    private struct Object: Decodable {
        let topic: String
        let payload: String?
        let retain: Int?
    }

    /// MQTT's limit on the length of a topic, in bytes.
    private static let maxTopicBytes = 65_535
    /// The text that `mosquitto_sub` prints for an empty payload.
    private static let nothing = Array("(null)".utf8)

    /// - Returns: the topic and the payload. The topic is the longest prefix that is a topic of the
    ///   lock, or else the text before the first space.
    private static func parts(_ line: [UInt8], _ isKnown: (String) -> Bool) -> (topic: String, payload: [UInt8])? {
        let spaces = line.prefix(maxTopicBytes + 1).indices.filter { line[$0] == UInt8(ascii: " ") }
        // Check only the first 64 spaces for the end of the topic: a payload may contain any number of spaces.
        let candidates = spaces.prefix(64).compactMap { end in
            String(validating: line[..<end], as: UTF8.self).map { (topic: $0, end: end) }
        }
        guard let found = candidates.last(where: { isKnown($0.topic) }) ?? candidates.first else { return nil }
        let payload = Array(line[(found.end + 1)...])
        return (found.topic, payload == nothing ? [] : payload)
    }
}
