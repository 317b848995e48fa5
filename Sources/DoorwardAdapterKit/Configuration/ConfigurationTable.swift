internal import DoorwardDomain

/// All keys that a configuration may have: those of the gateway and those of its adapters' sections.
package struct ConfigurationTable: Sendable {
    /// The maximum number of entries of a list.
    package static let maxEntries = 100

    /// The keys in the order of the documentation.
    package let keys: [ConfigurationKey]
    /// All sections that are not lists, including nested ones, such as `http` and `http.tls`.
    package let sections: Set<String>
    /// All lists of sections, such as `mqtt`.
    package let lists: Set<String>
    private let byPath: [String: ConfigurationKey]
    private let byVariable: [String: ConfigurationKey]

    /// - Parameter keys: the keys with their complete paths; if two have the same path, the first one counts.
    package init(_ keys: [ConfigurationKey]) {
        self.keys = keys
        byPath = Dictionary(keys.map { ($0.path, $0) }) { first, _ in first }
        byVariable = Dictionary(keys.map { ($0.variable, $0) }) { first, _ in first }
        lists = Set(keys.compactMap(\.list))
        var sections: Set<String> = []
        for key in keys where key.list == nil {
            let words = key.path.split(separator: ".")
            for count in 1..<words.count { sections.insert(words.prefix(count).joined(separator: ".")) }
        }
        self.sections = sections
    }

    /// Returns the key at a path, which may be in an entry of a list.
    package func key(at path: String) -> ConfigurationKey? {
        if let key = byPath[path] { return key.list == nil ? key : nil }
        let words = path.split(separator: ".", maxSplits: 2)
        guard words.count == 3, let number = Self.entryNumber(words[1]) else { return nil }
        return byPath["\(words[0]).N.\(words[2])"]?.ofEntry(number)
    }

    /// Returns the key that a variable sets, and the number of the item if the variable sets one item of a list.
    package func key(of variable: String) -> (key: ConfigurationKey, item: Int?)? {
        if let key = wholeKey(of: variable) { return (key, nil) }
        guard let end = variable.lastIndex(of: "_"), let item = Self.entryNumber(variable[end...].dropFirst()),
            let key = wholeKey(of: String(variable[..<end])), key.type.isList
        else { return nil }
        return (key, item)
    }

    private func wholeKey(of variable: String) -> ConfigurationKey? {
        if let key = byVariable[variable] { return key.list == nil ? key : nil }
        var words = variable.split(separator: "_", omittingEmptySubsequences: false)
        guard words.count > 3, let number = Self.entryNumber(words[2]) else { return nil }
        words[2] = "N"
        return byVariable[words.joined(separator: "_")]?.ofEntry(number)
    }

    /// Parses the number of an entry. Only its canonical form is accepted, so that each key has exactly one name.
    private static func entryNumber(_ text: Substring) -> Int? {
        guard let number = Int(text), (0..<maxEntries).contains(number), String(number) == text else { return nil }
        return number
    }

    /// Reads the environment. A variable that sets one item of a list does not change the other items from the file.
    ///
    /// - Parameters:
    ///   - environment: all variables; those that do not begin with `DOORWARD_` are ignored.
    ///   - others: variables that begin with `DOORWARD_` and are not keys.
    /// - Throws: the first error, sorted by the name of the variable.
    package func settings(
        of environment: [String: String], except others: Set<String> = [], over file: [String: Setting] = [:]
    ) throws(ConfigurationError) -> [String: Setting] {
        var settings: [String: Setting] = [:]
        var items: [(key: ConfigurationKey, number: Int, setting: Setting)] = []
        for (variable, text) in environment.sorted(by: { $0.key < $1.key })
        where variable.hasPrefix("DOORWARD_") && !others.contains(variable) {
            let origin = SettingOrigin.environment(variable)
            guard let (key, item) = key(of: variable) else { throw unknown(variable: variable) }
            if let item {
                guard let value = key.type.value(of: [text]) else { throw Setting.mismatch(key, "`\(text)`", origin) }
                items.append((key, item, Setting(value: value, origin: origin)))
            } else {
                settings[key.path] = try Setting.checked(text, for: key, at: origin)
            }
        }
        for (key, number, item) in items.sorted(by: { $0.number < $1.number }) {
            let list = settings[key.path] ?? file[key.path]
            settings[key.path] = try item.placed(at: number, in: list, of: key)
        }
        return settings
    }

    /// Returns the error for a path in the file that is not a key. The message suggests the most similar key.
    package func unknown(_ path: String, at origin: SettingOrigin) -> ConfigurationError {
        let entry = path.split(separator: ".").dropFirst().first.flatMap(Self.entryNumber) ?? 0
        let known = keys.map { $0.ofEntry(entry).path } + sections + lists
        let hint = nearestName(to: path, among: known).map { "; did you mean `\($0)`?" } ?? ""
        return ConfigurationError("\(origin): `\(path)` is not a key of the configuration\(hint)")
    }

    private func unknown(variable: String) -> ConfigurationError {
        let origin = SettingOrigin.environment(variable)
        let entry = variable.split(separator: "_").dropFirst(2).first.flatMap(Self.entryNumber) ?? 0
        let hint = nearestName(to: variable, among: keys.map { $0.ofEntry(entry).variable }).map { "; did you mean \($0)?" }
        return ConfigurationError("\(origin): this is not a key of the configuration\(hint ?? "")")
    }
}

/// One key of the configuration: its path in the file, its type, and its documentation.
public struct ConfigurationKey: Sendable {
    /// The sections and the name, separated by dots, such as `http.port`; in the declaration of a section only the name, `port`.
    /// In a list of sections, `N` is the placeholder for the number of an entry, from 0.
    public let path: String
    /// The type of the value.
    public let type: SettingType
    /// Whether the key is required in the section, or in each entry of the list.
    public let isRequired: Bool
    /// The value if the key is absent; `nil` for none.
    public let defaultValue: SettingValue?
    /// The text that docs/configuration.md shows as the default; `nil` to show `defaultValue`.
    let shownDefault: String?
    /// The key's documentation: a phrase in Markdown, without the range of a number. `row` adds the range unless 0 is allowed.
    public let description: String

    /// - Parameters:
    ///   - path: in the declaration of a section, a name of letters without a dot.
    ///   - shownDefault: the default in the documentation, if the default is not a value of the key, such as `all`.
    public init(
        _ path: String, _ type: SettingType, isRequired: Bool = false, default defaultValue: SettingValue? = nil,
        shownDefault: String? = nil, description: String
    ) {
        (self.path, self.type, self.isRequired, self.description) = (path, type, isRequired, description)
        (self.defaultValue, self.shownDefault) = (defaultValue, shownDefault)
    }

    /// The key's environment variable, such as `DOORWARD_HTTP_PORT`: upper case, with an underscore between words.
    package var variable: String {
        var name = "DOORWARD_"
        for character in path {
            if character.isUppercase, !name.hasSuffix("_") { name.append("_") }
            name.append(character == "." ? "_" : Character(character.uppercased()))
        }
        return name
    }

    /// Returns the same key at another path.
    func at(_ path: String) -> ConfigurationKey {
        ConfigurationKey(
            path, type, isRequired: isRequired, default: defaultValue, shownDefault: shownDefault, description: description)
    }

    /// Returns the same key for one entry, such as `mqtt.0.url`.
    package func ofEntry(_ number: Int) -> ConfigurationKey { at(path.replacing(".N.", with: ".\(number).")) }

    /// The list that contains the key in its entries; `nil` for a key outside lists.
    var list: String? { path.firstRange(of: ".N.").map { String(path[..<$0.lowerBound]) } }

    /// The key's row in the table of docs/configuration.md.
    package var row: String {
        let shown = shownDefault ?? defaultValue.map { "`\($0.text)`" } ?? "–"
        return "| `\(path)` | `\(variable)` | \(shown) | \(isRequired ? "required; " : "")\(range)\(description) |"
    }

    /// The range of a number, with a separator. Empty if 0 is allowed: 0 then has a special meaning, which `description` explains.
    private var range: String {
        guard case .integer(let range) = type, range.lowerBound > 0 else { return "" }
        return "\(Self.grouped(range.lowerBound))–\(Self.grouped(range.upperBound)); "
    }

    private static func grouped(_ number: Int) -> String {
        number < 1000 ? "\(number)" : "\(grouped(number / 1000)),\(String(1000 + number % 1000).dropFirst())"
    }
}

/// An error in the configuration: one sentence with the key, the place where it was set, and the allowed values.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sentence, without a full stop at the end.
    public let description: String
    /// Whether the command line itself is invalid.
    package var isUsageError = false

    /// Creates an error with this sentence. `SectionSettings.mistake(at:_:)` creates one that begins with the file and line of a
    /// key.
    public init(_ sentence: String) { description = sentence }
}
