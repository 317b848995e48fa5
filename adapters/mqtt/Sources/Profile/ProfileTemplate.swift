internal import DoorwardDomain
internal import DoorwardYAML

/// A text with placeholders for variables: `{base}/{id}/state`. The braces contain only a name.
struct ProfileTemplate: Hashable, Sendable {
    enum Piece: Hashable, Sendable {
        case text(String)
        case variable(String)
    }

    private(set) var pieces: [Piece]

    /// A text without placeholders, which may contain any braces.
    init(literal text: String) { pieces = text.isEmpty ? [] : [.text(text)] }

    /// Parses any text: braces that contain no name are text themselves, as in JSON.
    init(_ text: String) {
        pieces = []
        var literal = ""
        var rest = Substring(text)
        while let first = rest.popFirst() {
            if first == "{", let end = rest.firstIndex(of: "}"), Self.isName(rest[..<end]) {
                append(.text(literal))
                append(.variable(String(rest[..<end])))
                literal = ""
                rest = rest[rest.index(after: end)...]
            } else {
                literal.append(first)
            }
        }
        append(.text(literal))
    }

    /// Whether a text is a name: letters, digits and `_`, not beginning with a digit.
    static func isName(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, !(48...57).contains(first) else { return false }
        return text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 95 }
    }

    /// The variables, in the order of their placeholders.
    var names: [String] { pieces.compactMap { if case .variable(let name) = $0 { name } else { nil } } }

    /// The text without its placeholders.
    var text: String {
        pieces.reduce(into: "") { if case .text(let text) = $1 { $0 += text } }
    }

    /// Replaces placeholders by values.
    ///
    /// - Parameters:
    ///   - isJSON: whether the values are escaped as the content of JSON strings.
    ///   - deferred: variables that get their values later.
    /// - Returns: `nil` if a variable has no value.
    func resolved(with values: [String: String], isJSON: Bool = false, keeping deferred: Set<String> = []) -> ProfileTemplate? {
        var resolved = ProfileTemplate(literal: "")
        for piece in pieces {
            switch piece {
            case .text: resolved.append(piece)
            case .variable(let name) where deferred.contains(name): resolved.append(piece)
            case .variable(let name):
                guard let value = values[name] else { return nil }
                resolved.append(.text(isJSON ? value.escapedAsJSON : value))
            }
        }
        return resolved
    }

    /// Appends a piece; a text is joined with a text before it.
    mutating func append(_ piece: Piece) {
        if piece == .text("") { return }
        if case .text(let more) = piece, case .text(let text)? = pieces.last {
            pieces[pieces.count - 1] = .text(text + more)
        } else {
            pieces.append(piece)
        }
    }
}

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
    package var description = ""
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
    case emptyTopicLevel = "empty_level"
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

extension ProfileVariable {
    /// Reads the section `vars` of a profile file.
    static func all(in vars: YAMLField) -> [ProfileVariable] {
        var taken: Set<String> = []
        return vars.entries().map { field in
            let variable = ProfileVariable(field)
            for name in [variable.name] + variable.aliases where !taken.insert(name).inserted {
                field.note("`\(name)` names two variables")
            }
            return variable
        }
    }

    private init(_ field: YAMLField) {
        self.init(field.key)
        if !ProfileTemplate.isName(name) {
            field.note("`\(name)`: a variable's name is letters, digits and `_`")
        } else if ["broker", "profile", CommandTemplate.code, CommandTemplate.reference].contains(name) {
            field.note("`\(name)` is Doorward's own; call the variable something else")
        }
        if field.isEmpty { return }
        if let text = field.scalar {
            defaultValue = text
            return
        }
        guard let section = field.section(keys: ProfileKeys.variable) else { return }
        description = section["meaning"].text() ?? ""
        isOptional = section["optional"].truth() ?? false
        mayBeEmpty = section["mayBeEmpty"].truth() ?? false
        aliases = section["aliases"].texts()
        form = Self.form(section)
        defaultValue = section["default"].text()
        if let value = defaultValue, (try? text(of: .string(value))) == nil {
            section["default"].note("`\(field.path).default`: `\(value)` is not an allowed value of this variable")
        }
    }

    private enum FormName: String, CaseIterable { case text, integer, boolean, any }

    private static func form(_ section: YAMLSection) -> Form {
        if section["words"].isPresent {
            let pairs = section["words"].entries().map { ($0.key, $0.scalar ?? "") }
            return .words(Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
        }
        return switch section["type"].word(FormName.self) {
        case .integer: .integer
        case .boolean: .boolean
        case .any: .any
        case .text, nil: .text
        }
    }
}

/// Template of a command or state request.
struct CommandTemplate: Hashable, Sendable {
    /// The variables that are resolved only when a command is sent.
    static let deferred: Set<String> = [code, reference]
    static let code = "code"
    static let reference = "reference"

    var topic: ProfileTemplate
    var payload: ProfileTemplate
    /// Replaces `payload` when a code is sent.
    var payloadWithCode: ProfileTemplate?
    var isJSON = false
    var condition = PartCondition()

    func resolved(with values: [String: String]) -> CommandTemplate? {
        guard condition.holds(values), let topic = topic.resolved(with: values),
            let payload = payload.resolved(with: values, isJSON: isJSON, keeping: Self.deferred)
        else { return nil }
        var part = self
        (part.topic, part.payload) = (topic, payload)
        part.payloadWithCode = payloadWithCode.flatMap { $0.resolved(with: values, isJSON: isJSON, keeping: Self.deferred) }
        return part
    }

    /// Whether responses can be matched by the reference.
    var hasReference: Bool { payload.names.contains(Self.reference) }

    func bytes(code: String?, reference: String) -> [UInt8] {
        let template = code == nil ? payload : payloadWithCode ?? payload
        let values = [Self.code: code ?? "", Self.reference: reference]
        return Array((template.resolved(with: values, isJSON: isJSON)?.text ?? "").utf8)
    }
}
