/// Where a setting was made, as a sentence begins with it.
package enum SettingOrigin: Hashable, Sendable, CustomStringConvertible {
    /// A line of the configuration file, from 1.
    case file(String, line: Int)
    /// An environment variable, by its name.
    case environment(String)
    /// An option of the command line, by its name.
    case flag(String)
    /// The value that Doorward ships with.
    case standard

    /// Such as `doorward.yaml, line 4`.
    package var description: String {
        switch self {
        case .file(let path, let line): "\(path), line \(line)"
        case .environment(let variable): "environment variable \(variable)"
        case .flag(let name): "option \(name)"
        case .standard: "default"
        }
    }
}
