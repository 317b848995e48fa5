internal import DoorwardMQTT

/// Rules for the topics of an address. They are stricter than those of MQTT: they reject topics that look like another topic, and
/// topics that no lock uses.
enum TopicRule {
    /// Returns the first rule that a topic breaks; `nil` if it breaks none.
    static func problem(with topic: String) -> VariableProblem? {
        if topic.utf8.first == UInt8(ascii: "$") { return .reservedTopic }
        if let problem = problem(withPart: topic) { return problem }
        return MQTTTopic(topic) == nil ? .malformed : nil
    }

    /// Returns the first rule that a part of a topic breaks by itself; `nil` if it breaks none.
    static func problem(withPart text: String) -> VariableProblem? {
        if text.unicodeScalars.contains(where: \.isControlling) { return .controlCharacter }
        if text.unicodeScalars.contains(where: { $0.properties.isBidiControl }) { return .bidirectionalCharacter }
        return hasEmptyLevel(text) ? .emptyLevel : nil
    }

    /// Whether a text has an empty topic level: a slash at an end, or beside another one.
    private static func hasEmptyLevel(_ text: String) -> Bool {
        let slash = UInt8(ascii: "/")
        var before = slash
        for byte in text.utf8 {
            if byte == slash, before == slash { return true }
            before = byte
        }
        return before == slash && !text.isEmpty
    }
}

extension Unicode.Scalar {
    /// Whether this is a control character, or a line or paragraph separator.
    var isControlling: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
