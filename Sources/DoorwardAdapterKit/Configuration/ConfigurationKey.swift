/// One key of the configuration: its path in the file, what its value must be, and what the page of all keys says of it.
public struct ConfigurationKey: Sendable {
    /// Sections and name with dots: `http.port`. In the declaration of a section the name alone, `port`. An `N` stands for the number
    /// of an entry, from 0, in a list of sections.
    public let path: String
    /// What the value must look like.
    public let type: SettingType
    /// Whether the section, or each entry of the list, must have it.
    public let isRequired: Bool
    /// The value where the key is absent; `nil` for none.
    public let defaultValue: SettingValue?
    /// What the page shows as the default in place of the value; `nil` for the value itself.
    let shownDefault: String?
    /// What it is, for the page: a phrase in Markdown, without the range of a number.
    public let meaning: String

    /// - Parameters:
    ///   - path: in the declaration of a section a name of letters, without a dot.
    ///   - shownDefault: what holds where the key is absent, if that is no value: `all`.
    public init(
        _ path: String, _ type: SettingType, isRequired: Bool = false, default defaultValue: SettingValue? = nil,
        shownDefault: String? = nil, meaning: String
    ) {
        (self.path, self.type, self.isRequired, self.meaning) = (path, type, isRequired, meaning)
        (self.defaultValue, self.shownDefault) = (defaultValue, shownDefault)
    }

    /// Its environment variable, `DOORWARD_HTTP_PORT`: upper case, an underscore between words.
    package var variable: String {
        var name = "DOORWARD_"
        for character in path {
            if character.isUppercase, !name.hasSuffix("_") { name.append("_") }
            name.append(character == "." ? "_" : Character(character.uppercased()))
        }
        return name
    }

    /// The same key at another path.
    func at(_ path: String) -> ConfigurationKey {
        ConfigurationKey(
            path, type, isRequired: isRequired, default: defaultValue, shownDefault: shownDefault, meaning: meaning)
    }

    /// The same key of one entry: `mqtt.0.url`.
    package func ofEntry(_ number: Int) -> ConfigurationKey { at(path.replacing(".N.", with: ".\(number).")) }

    /// The list that the key is one of an entry of; `nil` for a key that there is once.
    var list: String? { path.firstRange(of: ".N.").map { String(path[..<$0.lowerBound]) } }

    /// Its row in the table of docs/configuration.md.
    package var row: String {
        let shown = shownDefault ?? defaultValue.map { "`\($0.text)`" } ?? "–"
        return "| `\(path)` | `\(variable)` | \(shown) | \(isRequired ? "required; " : "")\(range)\(meaning) |"
    }

    /// Of a number that cannot be 0, for 0 then has a meaning of its own.
    private var range: String {
        guard case .integer(let range) = type, range.lowerBound > 0 else { return "" }
        return "\(Self.grouped(range.lowerBound))–\(Self.grouped(range.upperBound)); "
    }

    private static func grouped(_ number: Int) -> String {
        number < 1000 ? "\(number)" : "\(grouped(number / 1000)),\(String(1000 + number % 1000).dropFirst())"
    }
}
