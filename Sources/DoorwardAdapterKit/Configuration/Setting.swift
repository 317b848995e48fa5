internal import DoorwardDomain

/// A checked value, and the place where it was set.
package struct Setting: Hashable, Sendable {
    /// The checked value.
    package let value: SettingValue
    /// The place where it was set.
    package let origin: SettingOrigin

    /// Creates a setting with a value that has been checked.
    package init(value: SettingValue, origin: SettingOrigin) { (self.value, self.origin) = (value, origin) }

    /// Checks a text against the type of the key.
    package static func checked(
        _ text: String, for key: ConfigurationKey, at origin: SettingOrigin
    ) throws(ConfigurationError) -> Setting {
        // Do not repeat the value in the message, because it may contain a secret.
        if case .formatted(let format) = key.type, let problem = format.secretProblem(text) {
            throw ConfigurationError("\(origin): `\(key.path)` \(problem)")
        }
        guard let value = key.type.value(of: text) else { throw mismatch(key, "`\(text)`", origin) }
        return Setting(value: value, origin: origin)
    }

    /// Returns the error for a value that does not have the key's type.
    ///
    /// - Parameter found: a description of the wrong value, which follows "not" in the message.
    package static func mismatch(_ key: ConfigurationKey, _ found: String, _ origin: SettingOrigin) -> ConfigurationError {
        var error = ConfigurationError("\(origin): `\(key.path)` must be \(key.type.expectation), not \(found)")
        if case .flag = origin { error.isUsageError = true }
        return error
    }

    /// Returns the list with one item replaced by the value of this setting, or with that value appended.
    func placed(at number: Int, in list: Setting?, of key: ConfigurationKey) throws(ConfigurationError) -> Setting {
        var items: [String] = if case .texts(let items) = list?.value { items } else { [] }
        guard case .texts(let new) = value, number <= items.count else {
            throw ConfigurationError("\(origin): `\(key.path)` has no item \(items.count), so it can have no item \(number)")
        }
        items.replaceSubrange(number..<min(number + 1, items.count), with: new)
        return Setting(value: .texts(items), origin: origin)
    }
}

/// The type of a key's value.
public enum SettingType: Sendable {
    /// Any text that is not empty.
    case text
    /// The path of a file; see `SectionSettings.readableFile(_:)`.
    case file
    /// The path of a file that contains a secret and that only its owner may read; see `SectionSettings.line(_:)`.
    case secretFile
    /// A name of letters, digits, dots and hyphens.
    case hostName
    /// A whole number within the range.
    case integer(ClosedRange<Int>)
    /// `true` or `false`.
    case boolean
    /// One of these values.
    case choice([String])
    /// A list of non-empty texts.
    case texts
    /// A list of paths of folders; see `SectionSettings.readableFolders(_:)`.
    case folders
    /// The id of a portfolio.
    case portfolio
    /// A text in a format that the adapter defines, such as an address.
    case formatted(SettingFormat)
    /// A list of texts in a format that the adapter defines.
    case list(SettingFormat)

    /// Whether the value is a list.
    package var isList: Bool {
        switch self {
        case .texts, .folders, .list: true
        default: false
        }
    }

    /// Whether the value is a number or a Boolean, which YAML distinguishes from a quoted text.
    package var isUnquoted: Bool {
        switch self {
        case .integer, .boolean: true
        default: false
        }
    }

    /// A description of valid values, which follows "must be".
    var expectation: String {
        switch self {
        case .text, .file, .secretFile: "a text"
        case .hostName: "a name of letters, digits, dots and hyphens, at most 253 long"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .boolean: "true or false"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .texts, .folders: "a list of texts"
        case .portfolio: "an id that the gateway issued"
        case .formatted(let format), .list(let format): format.expectation
        }
    }

    /// Parses a text; returns `nil` if it does not have this type.
    func value(of text: String) -> SettingValue? {
        switch self {
        case .text, .file, .secretFile: text.isEmpty ? nil : .text(text)
        case .hostName: Self.isHostName(text) ? .text(text) : nil
        case .integer(let range): Int(text).flatMap { range.contains($0) ? .integer($0) : nil }
        case .boolean: text == "true" ? .boolean(true) : text == "false" ? .boolean(false) : nil
        case .choice(let words): words.contains(text) ? .text(text) : nil
        case .portfolio: PortfolioID(text) == nil ? nil : .text(text)
        case .formatted(let format): format.accepts(text) ? .text(text) : nil
        case .texts, .folders, .list:
            value(of: text.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        }
    }

    /// Converts a list; returns `nil` if this type is not a list, or an item is invalid.
    package func value(of items: [String]) -> SettingValue? {
        switch self {
        case .texts, .folders: items.contains("") ? nil : .texts(items)
        case .list(let format): items.allSatisfy(format.accepts) ? .texts(items) : nil
        default: nil
        }
    }

    private static func isHostName(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0"..."9" ~= $0 || ".-".unicodeScalars.contains($0))
            }
    }
}

/// A checked value of a key.
public enum SettingValue: Hashable, Sendable {
    /// A text, a name or a path.
    case text(String)
    /// A whole number.
    case integer(Int)
    /// `true` or `false`.
    case boolean(Bool)
    /// A list of texts.
    case texts([String])

    /// The value as the documentation shows it.
    package var text: String {
        switch self {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .boolean(let flag): "\(flag)"
        case .texts(let texts): texts.joined(separator: ",")
        }
    }
}

/// A format of texts that a section defines.
public struct SettingFormat: Sendable {
    /// A description of valid values, which follows "must be", such as `a broker's address such as mqtt://127.0.0.1:1883`.
    public let expectation: String
    /// Returns whether a text has the format.
    public let accepts: @Sendable (String) -> Bool
    /// Detects a text that must not appear in a message, because it may contain a secret. Returns
    /// the problem, which follows the key in the message; `nil` for other texts, valid or not.
    public let secretProblem: @Sendable (String) -> String?

    /// - Parameter secretProblem: called before `accepts`.
    public init(
        _ expectation: String, secretProblem: @escaping @Sendable (String) -> String? = { _ in nil },
        accepts: @escaping @Sendable (String) -> Bool
    ) {
        (self.expectation, self.accepts, self.secretProblem) = (expectation, accepts, secretProblem)
    }
}

/// The place where a setting was made. The description of the origin is the beginning of a message.
package enum SettingOrigin: Hashable, Sendable, CustomStringConvertible {
    /// A line of the configuration file, counted from 1.
    case file(String, line: Int)
    /// The name of an environment variable.
    case environment(String)
    /// The name of a command-line option.
    case flag(String)
    /// Doorward's default value.
    case standard

    /// A text such as `doorward.yaml, line 4`.
    package var description: String {
        switch self {
        case .file(let path, let line): "\(path), line \(line)"
        case .environment(let variable): "environment variable \(variable)"
        case .flag(let name): "option \(name)"
        case .standard: "default"
        }
    }
}
