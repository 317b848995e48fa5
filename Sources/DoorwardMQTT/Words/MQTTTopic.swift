/// A topic that something can be published to: no wildcard, 1 to 65,535 bytes (MQTT 5.0, section 4.7), and not one of the
/// broker's own, which begin with `$`. Nor one for which a broker may end the connection, and everybody's with it: with control
/// characters or what is no character (section 1.5.4), or more than 200 slashes (mosquitto).
package struct MQTTTopic: Hashable, Sendable, CustomStringConvertible {
    /// As it goes over the wire.
    package let description: String

    /// - Returns: `nil` for what is no such topic.
    package init?(_ text: String) {
        guard TopicText.isSound(text), !text.hasPrefix("$"), !text.utf8.contains(where: TopicText.isWildcard) else { return nil }
        description = text
    }

    /// The parts between the slashes.
    package var levels: [Substring] { description.split(separator: "/", omittingEmptySubsequences: false) }
}

/// What to subscribe to, with the same bounds as `MQTTTopic` but for the broker's own: a topic in which `+` stands for one level, and `#` at the end for all that follow.
package struct MQTTFilter: Hashable, Sendable, CustomStringConvertible {
    /// As it goes over the wire.
    package let description: String
    private let levels: [Substring]

    /// - Returns: `nil` for what is no filter (MQTT 5.0, section 4.7.1).
    package init?(_ text: String) {
        // A share of a subscription is somebody else's too: it would get only some of the messages.
        guard TopicText.isSound(text), !text.hasPrefix("$share") else { return nil }
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        for (index, level) in levels.enumerated() where level.utf8.contains(where: TopicText.isWildcard) {
            guard level == "+" || (level == "#" && index == levels.count - 1) else { return nil }
        }
        (description, self.levels) = (text, levels)
    }

    /// The filter that one topic alone matches.
    package init(_ topic: MQTTTopic) { (description, levels) = (topic.description, topic.levels) }

    /// Whether a message on `topic` comes to whoever subscribed to this.
    package func matches(_ topic: String) -> Bool {
        // What begins with `$` is not meant by a wildcard at the beginning (section 4.7.2).
        if topic.hasPrefix("$"), levels[0] == "+" || levels[0] == "#" { return false }
        var rest = topic.split(separator: "/", omittingEmptySubsequences: false)[...]
        for level in levels {
            if level == "#" { return true }
            guard let next = rest.popFirst(), level == "+" || level == next else { return false }
        }
        return rest.isEmpty
    }
}

/// What topics and filters have in common.
private enum TopicText {
    private static let longest = 65_535
    private static let mostSlashes = 200

    static func isSound(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= longest && text.utf8.count(where: { $0 == UInt8(ascii: "/") }) <= mostSlashes
            && text.unicodeScalars.allSatisfy {
                $0.properties.generalCategory != .control && !$0.properties.isNoncharacterCodePoint
            }
    }

    static func isWildcard(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "+") || byte == UInt8(ascii: "#") }
}
