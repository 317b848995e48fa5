internal import DoorwardDomain

/// A variable of a profile, whose value is part of a lock's address.
package struct ProfileVariable: Hashable, Sendable {
    /// The allowed values of a variable.
    package enum Form: Hashable, Sendable {
        /// Any text.
        case text
        /// An integer, 0 or more.
        case integer
        /// `true` or `false`.
        case boolean
        /// Any value, which a hook reads.
        case any
        /// One of these words, each with the text that replaces it in templates.
        case words([String: String])
    }

    /// The key in the address.
    package let name: String
    /// One sentence for the person who attaches a lock.
    package var meaning = ""
    /// The allowed values; any text by default.
    package var form = Form.text
    /// The value if the address has none; `nil` for no default.
    package var defaultValue: String?
    /// Whether an address may omit the variable although it has no default. Then parts that need the variable are left out, too.
    package var isOptional = false
    /// Whether its value may be empty.
    package var mayBeEmpty = false
    /// Alternative keys.
    package var aliases: [String] = []

    package init(_ name: String) { self.name = name }

    /// Whether an address without the variable is rejected.
    package var isRequired: Bool { defaultValue == nil && !isOptional }

    /// Converts a value of an address.
    ///
    /// - Returns: the text for templates.
    /// - Throws: the problem of the value.
    func text(of value: JSONValue) throws(VariableProblem) -> String {
        let written: String
        switch value {
        case .string(let text): written = text
        case .integer(let number): written = "\(number)"
        case .bool(let truth): written = "\(truth)"
        default: throw .wrongType
        }
        guard written.utf8.count <= 1024 else { throw .tooLong }
        guard !written.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .controlCharacter
        }
        switch form {
        case .text, .any:
            guard mayBeEmpty || !written.isEmpty else { throw .blank }
            return written
        case .integer:
            guard let number = ValueType.wholeNumber(written), number.count <= 10, !number.hasPrefix("-") else {
                throw .wrongType
            }
            return number
        case .boolean:
            guard written == "true" || written == "false" else { throw .wrongType }
            return written
        case .words(let words):
            guard let text = words[written] else { throw .unknownValue }
            return text
        }
    }
}

/// A problem of a value of an address. Raw values are the API's problem codes.
enum VariableProblem: String, Error {
    case wrongType = "wrong_type"
    case tooLong = "too_long"
    case controlCharacter = "control_character"
    case blank
    case unknownValue = "unknown_value"
    case required
    case unknownKey = "unknown_key"
    case duplicateKey = "duplicate_key"
    case malformed
    /// A topic with `//`, or with a slash at its beginning or end.
    case emptyLevel = "empty_level"
    /// A topic that begins with `$`, which is reserved for the broker.
    case reservedTopic = "reserved_topic"
    case bidirectionalCharacter = "bidirectional_character"
    /// The state topic is the lock's own command topic.
    case commandTopic = "is_command_topic"
    /// An attached lock has the same state topic.
    case stateTopicInUse = "state_topic_in_use"
    /// The topic is the command topic of an attached lock.
    case commandTopicOfOther = "is_command_topic_of_another_lock"
    /// The topic is the state topic of an attached lock.
    case stateTopicOfOther = "is_state_topic_of_another_lock"
}
