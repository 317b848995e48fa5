internal import DoorwardDomain

/// A part of a lock's address that a profile asks for.
package struct ProfileVariable: Hashable, Sendable {
    /// What values it takes.
    package enum Form: Hashable, Sendable {
        /// Any text.
        case text
        /// A whole number, 0 or more.
        case integer
        /// `true` or `false`.
        case boolean
        /// Any value; a hook reads it.
        case any
        /// One of these words, each with the text that is put in for it.
        case words([String: String])
    }

    /// The key in the address.
    package let name: String
    /// One sentence for the person who attaches a lock.
    package var meaning = ""
    /// What values it takes; any text where the file does not say.
    package var form = Form.text
    /// What holds where the address does not say; `nil` where nothing does.
    package var defaultValue: String?
    /// Whether an address may leave it out though it has no default. What needs it is then left out, too.
    package var isOptional = false
    /// Whether its value may be empty.
    package var mayBeEmpty = false
    /// Other keys that mean the same.
    package var aliases: [String] = []

    package init(_ name: String) { self.name = name }

    /// Whether an address without it is refused.
    package var isRequired: Bool { defaultValue == nil && !isOptional }

    /// - Returns: the text that is put into templates.
    /// - Throws: the word for what is wrong with the value.
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

/// What is wrong with a value of an address. Raw values are the API's words.
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
    /// A topic with `//`, or with a slash at an end.
    case emptyLevel = "empty_level"
    /// A topic that begins with `$`, which are the broker's own.
    case reservedTopic = "reserved_topic"
    case bidirectionalCharacter = "bidirectional_character"
    /// The lock would report its state where its own commands are published.
    case commandTopic = "is_command_topic"
    /// A lock that is attached already has its state there.
    case stateTopicInUse = "state_topic_in_use"
    /// Commands for a lock that is attached already are published there.
    case commandTopicOfOther = "is_command_topic_of_another_lock"
    /// A lock that is attached already reports its state there.
    case stateTopicOfOther = "is_state_topic_of_another_lock"
}
