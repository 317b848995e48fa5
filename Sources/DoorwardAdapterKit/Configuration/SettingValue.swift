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
    var text: String {
        switch self {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .boolean(let flag): "\(flag)"
        case .texts(let texts): texts.joined(separator: ",")
        }
    }
}
