internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain

// Reads texts, enum values, ids and instants.
extension BodyReader {
    /// A text for display: trimmed, not blank, no control characters; as sent, at most `maxCharacters` characters (code points).
    mutating func text(_ key: String, maxCharacters: Int = WireLimits.nameCharacters) -> String? {
        text(key, as: .displayText(maxCharacters: maxCharacters), maxCharacters: maxCharacters)
    }

    /// A last name, as a text for display; empty if it is absent, `null` or blank, for a person with one name.
    mutating func lastName(_ key: String) -> String {
        let maxCharacters = WireLimits.nameCharacters
        return text(key, as: .blankableText(maxCharacters: maxCharacters), maxCharacters: maxCharacters, mayBeBlank: true) ?? ""
    }

    private mutating func text(
        _ key: String, as rules: @autoclosure () -> StringSchema, maxCharacters: Int, mayBeBlank: Bool = false
    ) -> String? {
        guard let raw = string(key, rules()) else { return nil }
        let text = raw.trimmed
        if text.isEmpty, !mayBeBlank {
            reject(key, .blank)
        } else if text.unicodeScalars.contains(where: \.isControl) {
            reject(key, .controlCharacter)
        } else if raw.unicodeScalars.count > maxCharacters {
            reject(key, .tooLong)
        } else {
            return text
        }
        return nil
    }

    mutating func requiredText(_ key: String, maxCharacters: Int = WireLimits.nameCharacters) -> String {
        require(key, text(key, maxCharacters: maxCharacters)) ?? ""
    }

    /// An email address of the form `local@domain`.
    mutating func requiredEmail(_ key: String) -> String {
        guard let text = require(key, text(key, as: .email, maxCharacters: WireLimits.emailBytes)) else { return "" }
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        if text.utf8.count > WireLimits.emailBytes {
            reject(key, .tooLong)
        } else if parts.count != 2 || parts.contains(where: \.isEmpty)
            || text.unicodeScalars.contains(where: \.properties.isWhitespace)
        {
            reject(key, .badEmail)
        }
        return text
    }

    /// The email address of an existing account, without the white space around it; any other text is treated as an address without an
    /// account.
    mutating func requiredAccount(_ key: String, _ rules: @autoclosure () -> StringSchema = StringSchema()) -> String {
        require(key, string(key, rules()))?.trimmed ?? ""
    }

    /// A lock's code, exactly as sent: not empty, short, without control characters; `nil` for `null`.
    mutating func code(_ key: String) -> Secret<String>? {
        guard let text = string(key, .code) else { return nil }
        if text.utf8.count > LockCodeSealer.maxBytes {
            reject(key, .tooLong)
        } else if text.isEmpty {
            reject(key, .blank)
        } else if text.unicodeScalars.contains(where: \.isControl) {
            reject(key, .controlCharacter)
        }
        return Secret(text)
    }

    /// A password or token, exactly as sent.
    mutating func requiredSecret(_ key: String) -> Secret<String> {
        Secret(require(key, string(key)) ?? "")
    }

    /// A new password, checked against the password rules.
    mutating func requiredNewPassword(_ key: String) -> Secret<String> {
        guard let text = require(key, string(key, .newPassword)) else { return Secret("") }
        let password = Secret(text)
        if let problem = PasswordRules.problem(with: password) { errors.add(name(of: key), problem) }
        return password
    }

    /// Reads one of the values of an enumeration, each of which determines a different form of the body.
    mutating func requiredChoice<Word: RawRepresentable<String>>(_ key: String, of words: [Word]) -> Word? {
        let chosen = recorder?.chooses(key, of: words)
        return require(key, chosen ?? enumValue(key, of: words))
    }

    mutating func id<Entity>(_ key: String) -> EntityID<Entity>? {
        string(key, as: .id).map { EntityID(orNonexistent: $0) }
    }

    mutating func requiredID<Entity>(_ key: String) -> EntityID<Entity> { require(key, id(key)) ?? .nonexistent }

    /// Reads a list of ids; `nil` if the list is absent.
    mutating func ids<Entity>(_ key: String) -> [EntityID<Entity>]? {
        strings(key, as: .id)?.map { EntityID(orNonexistent: $0) }
    }

    /// Reads a list of values of an enumeration.
    ///
    /// - Parameter problem: the problem to report for an unknown value.
    mutating func enumValues<Word: RawRepresentable<String>>(
        _ key: String, of words: [Word], problem: FieldProblemCode = .unknownValue
    ) -> [Word]? {
        guard let texts = strings(key, as: .words(words.map(\.rawValue))) else { return nil }
        let known = texts.compactMap { text in words.first { $0.rawValue.hasSameBytes(as: text) } }
        if known.count != texts.count { reject(key, problem) }
        return known
    }

    /// Reads the change of a field that always has a value: an absent key keeps the value, and `null` is rejected.
    mutating func change<Value>(_ key: String, _ read: (inout Self, String) -> Value?) -> Value? {
        names(key) ? require(key, read(&self, key)) : nil
    }

    /// Reads the change of a list: an absent key keeps the list, and `null` empties it.
    mutating func list<Entity>(_ key: String) -> [EntityID<Entity>]? { names(key) ? ids(key) ?? [] : nil }

    /// Reads the change of an optional field: `null` clears the field, an absent key keeps its value.
    mutating func patch<Value>(_ key: String, _ read: (inout Self, String) -> Value?) -> Patch<Value> {
        guard names(key) else { return .unchanged }
        return read(&self, key).map { .set($0) } ?? .cleared
    }

    /// Reads an array of texts in the form of `element`.
    private mutating func strings(_ key: String, as element: @autoclosure () -> JSONSchema) -> [String]? {
        let maxItems = WireLimits.listElements
        guard let elements = elements(key, as: .array(element(), maxItems: maxItems), maxItems: maxItems) else { return nil }
        return elements.indices.compactMap { index in
            if case .string(let text) = elements[index] { return text }
            reject("\(key)[\(index)]", .wrongType)
            return nil
        }
    }

    mutating func requiredInstant(_ key: String) -> Timestamp {
        require(key, instant(key)) ?? Timestamp(milliseconds: 0)
    }
}

extension StringSchema {
    /// The characters of a text for display; the rules of `Unicode.Scalar.isControl`.
    private static let visible = #"[^\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]"#
    private static let visibleNotSpace = #"[^\s\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]"#

    static func displayText(maxCharacters: Int) -> StringSchema {
        StringSchema(minLength: 1, maxLength: maxCharacters, pattern: "^\(visible)*\(visibleNotSpace)\(visible)*$")
    }

    static func blankableText(maxCharacters: Int) -> StringSchema {
        StringSchema(maxLength: maxCharacters, pattern: "^\(visible)*$")
    }

    static let email: StringSchema = {
        let part = visibleNotSpace.replacing("[^", with: "[^@") + "+"
        return StringSchema(minLength: 3, maxLength: WireLimits.emailBytes, pattern: "^\(part)@\(part)$")
    }()
    static let code = StringSchema(minLength: 1, maxLength: LockCodeSealer.maxBytes, pattern: "^\(visible)+$")
    static let newPassword = StringSchema(minLength: PasswordRules.minCharacters, maxLength: PasswordRules.maxBytes)
}

extension Unicode.Scalar {
    /// Whether the character is a control character or a bidirectional formatting character, which
    /// can make a text look like another one.
    var isControl: Bool {
        properties.generalCategory == .control || (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
    }
}
