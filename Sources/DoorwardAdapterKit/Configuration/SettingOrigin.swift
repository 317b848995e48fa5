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
