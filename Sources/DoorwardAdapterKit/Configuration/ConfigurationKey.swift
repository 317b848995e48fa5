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
    public let meaning: String

    /// - Parameters:
    ///   - path: in the declaration of a section, a name of letters without a dot.
    ///   - shownDefault: the default in the documentation, if the default is not a value of the key, such as `all`.
    public init(
        _ path: String, _ type: SettingType, isRequired: Bool = false, default defaultValue: SettingValue? = nil,
        shownDefault: String? = nil, meaning: String
    ) {
        (self.path, self.type, self.isRequired, self.meaning) = (path, type, isRequired, meaning)
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
            path, type, isRequired: isRequired, default: defaultValue, shownDefault: shownDefault, meaning: meaning)
    }

    /// Returns the same key for one entry, such as `mqtt.0.url`.
    package func ofEntry(_ number: Int) -> ConfigurationKey { at(path.replacing(".N.", with: ".\(number).")) }

    /// The list that contains the key in its entries; `nil` for a key outside lists.
    var list: String? { path.firstRange(of: ".N.").map { String(path[..<$0.lowerBound]) } }

    /// The key's row in the table of docs/configuration.md.
    package var row: String {
        let shown = shownDefault ?? defaultValue.map { "`\($0.text)`" } ?? "–"
        return "| `\(path)` | `\(variable)` | \(shown) | \(isRequired ? "required; " : "")\(range)\(meaning) |"
    }

    /// The range of a number, with a separator. Empty if 0 is allowed: 0 then has a special meaning, which `meaning` explains.
    private var range: String {
        guard case .integer(let range) = type, range.lowerBound > 0 else { return "" }
        return "\(Self.grouped(range.lowerBound))–\(Self.grouped(range.upperBound)); "
    }

    private static func grouped(_ number: Int) -> String {
        number < 1000 ? "\(number)" : "\(grouped(number / 1000)),\(String(1000 + number % 1000).dropFirst())"
    }
}
