internal import DoorwardDomain

/// A topic that something can be published to: no wildcard, 1 to 65,535 bytes (MQTT 5.0, section 4.7), and not one of the
/// broker's own, which begin with `$`. Nor one for which a broker may end the connection, and everybody's with it: with control
/// characters or what is no character (section 1.5.4), or more than 200 slashes (mosquitto). Nor one that is not stream-safe.
package struct MQTTTopic: Hashable, Sendable, CustomStringConvertible {
    /// As it goes over the wire.
    package let description: String

    /// - Returns: `nil` for what is no such topic.
    package init?(_ text: String) {
        guard TopicRules.isSound(text), !text.hasPrefix("$"), !text.utf8.contains(where: TopicRules.isWildcard) else {
            return nil
        }
        description = text
    }

    /// Two topics are one when their bytes are: MQTT knows nothing of letters that look alike (MQTT 5.0, section 4.7.3).
    package static func == (one: Self, other: Self) -> Bool { one.text == other.text }

    /// By bytes.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }

    private var text: TopicText { TopicText(description) }
}

/// What to subscribe to, with the same bounds as `MQTTTopic` but for the broker's own: a topic in which `+` stands for one level,
/// and `#` at the end for all that follow.
package struct MQTTFilter: Hashable, Sendable, CustomStringConvertible {
    /// As it goes over the wire.
    package let description: String
    private let levels: [TopicText]

    /// - Returns: `nil` for what is no filter (MQTT 5.0, section 4.7.1).
    package init?(_ text: String) {
        // A share of a subscription is somebody else's too: it would get only some of the messages.
        guard TopicRules.isSound(text), !text.hasPrefix("$share") else { return nil }
        let levels = TopicText(text).levels
        for (index, level) in levels.enumerated() where level.text.utf8.contains(where: TopicRules.isWildcard) {
            guard level == .anyLevel || (level == .anyRest && index == levels.count - 1) else { return nil }
        }
        (description, self.levels) = (text, levels)
    }

    /// The filter that one topic alone matches.
    package init(_ topic: MQTTTopic) { (description, levels) = (topic.description, TopicText(topic.description).levels) }

    /// By bytes, as topics.
    package static func == (one: Self, other: Self) -> Bool { one.levels == other.levels }

    /// By bytes.
    package func hash(into hasher: inout Hasher) { hasher.combine(levels) }

    /// Whether a message on `topic` comes to whoever subscribed to this.
    package func matches(_ topic: String) -> Bool {
        // What begins with `$` is not meant by a wildcard at the beginning (section 4.7.2).
        if topic.utf8.first == UInt8(ascii: "$"), levels[0] == .anyLevel || levels[0] == .anyRest { return false }
        var rest = TopicText(topic).levels[...]
        for level in levels {
            if level == .anyRest { return true }
            guard let next = rest.popFirst(), level == .anyLevel || level == next else { return false }
        }
        return rest.isEmpty
    }
}

/// What topics and filters have in common.
private enum TopicRules {
    private static let longest = 65_535
    private static let mostSlashes = 200

    static func isSound(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= longest && text.utf8.count(where: { $0 == UInt8(ascii: "/") }) <= mostSlashes
            && text.unicodeScalars.allSatisfy {
                $0.properties.generalCategory != .control && !$0.properties.isNoncharacterCodePoint
            } && text.isStreamSafe
    }

    static func isWildcard(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "+") || byte == UInt8(ascii: "#") }
}
