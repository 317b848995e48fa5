internal import DoorwardDomain

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
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"): true
                default: false
                }
            }
    }
}
