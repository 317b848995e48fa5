internal import DoorwardDomain

/// A topic name to publish to: without wildcards, of 1 to 65,535 bytes (MQTT 5.0, section 4.7), and not beginning with `$`, which
/// brokers reserve. The name contains nothing for which a broker may end the connection: no control characters, no noncharacters
/// (section 1.5.4), and at most 200 slashes (mosquitto). It is stream-safe.
package struct MQTTTopic: Hashable, Sendable, CustomStringConvertible {
    /// Compared by bytes, as MQTT does: no Unicode normalization (MQTT 5.0, section 4.7.3).
    fileprivate let text: TopicText

    /// - Returns: `nil` if `text` violates these rules.
    package init?(_ text: String) {
        guard TopicRules.isValid(text), !text.hasPrefix("$"), !text.utf8.contains(where: TopicRules.isWildcard) else {
            return nil
        }
        self.text = TopicText(text)
    }

    /// The topic as it is transmitted.
    package var description: String { String(text.text) }
}

/// A topic filter: `+` matches one level, and `#` at the end matches all that follow. It has the limits of `MQTTTopic`, but may
/// begin with `$`.
package struct MQTTFilter: Hashable, Sendable, CustomStringConvertible {
    /// Compared by bytes, as in `MQTTTopic`.
    private let levels: [TopicText]
    private let text: TopicText

    /// - Returns: `nil` if `text` is not a valid filter (MQTT 5.0, section 4.7.1).
    package init?(_ text: String) {
        // A shared subscription is rejected: it would receive only some of the messages.
        guard TopicRules.isValid(text), !text.hasPrefix("$share") else { return nil }
        let levels = TopicText(text).levels
        for (index, level) in levels.enumerated() where level.text.utf8.contains(where: TopicRules.isWildcard) {
            guard level == .singleLevelWildcard || (level == .multiLevelWildcard && index == levels.count - 1) else { return nil }
        }
        (self.text, self.levels) = (TopicText(text), levels)
    }

    /// Creates a filter that matches exactly this topic.
    package init(_ topic: MQTTTopic) { (text, levels) = (topic.text, topic.text.levels) }

    /// The filter as it is transmitted.
    package var description: String { String(text.text) }

    /// Whether a message on `topic` matches this filter.
    package func matches(_ topic: String) -> Bool {
        // A wildcard at the beginning does not match a topic that begins with `$` (section 4.7.2).
        if topic.utf8.first == UInt8(ascii: "$"), levels[0] == .singleLevelWildcard || levels[0] == .multiLevelWildcard {
            return false
        }
        var rest = TopicText(topic).levels[...]
        for level in levels {
            if level == .multiLevelWildcard { return true }
            guard let next = rest.popFirst(), level == .singleLevelWildcard || level == next else { return false }
        }
        return rest.isEmpty
    }
}

/// Rules that topics and filters share.
private enum TopicRules {
    private static let maxBytes = 65_535
    private static let maxSlashes = 200

    static func isValid(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= maxBytes && text.utf8.count(where: { $0 == UInt8(ascii: "/") }) <= maxSlashes
            && text.unicodeScalars.allSatisfy {
                $0.properties.generalCategory != .control && !$0.properties.isNoncharacterCodePoint
            } && text.isStreamSafe
    }

    static func isWildcard(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "+") || byte == UInt8(ascii: "#") }
}

/// A topic, or one of its levels, compared byte by byte. Swift's own comparison treats the composed and the decomposed `é` as
/// equal; a broker does not, and the names of two locks could differ only by that.
package struct TopicText: Hashable, Sendable {
    /// The text as given.
    package let text: Substring

    /// Takes any text; does not check whether it is a valid topic.
    package init(_ text: some StringProtocol) { self.text = Substring(text) }

    /// Wildcard that matches one level of a topic.
    package static let singleLevelWildcard = TopicText("+")
    /// Wildcard that matches all further levels of a topic.
    package static let multiLevelWildcard = TopicText("#")

    /// The text between the slashes.
    package var levels: [TopicText] {
        text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { TopicText(Substring($0)) }
    }

    /// Compares bytes.
    package static func == (one: Self, other: Self) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    /// Hashes the bytes.
    package func hash(into hasher: inout Hasher) {
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        if isDone == nil { Array(text.utf8).withUnsafeBytes { hasher.combine(bytes: $0) } }
    }
}
