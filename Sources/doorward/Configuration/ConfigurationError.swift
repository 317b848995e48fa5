/// A mistake in the configuration: one sentence that names the key, where it stands, and what would be right.
struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    let description: String
    /// Whether the command line itself is wrong.
    var isWrongUsage = false

    init(_ sentence: String) { description = sentence }
}

/// Where a setting was made, as a sentence begins with it.
enum SettingOrigin: Equatable, Sendable, CustomStringConvertible {
    case file(String, line: Int)
    case environment(String)
    case flag(String)
    /// Nobody made it: the value that Doorward ships with.
    case standard

    var description: String {
        switch self {
        case .file(let path, let line): "\(path), line \(line)"
        case .environment(let variable): "environment variable \(variable)"
        case .flag(let name): "option \(name)"
        case .standard: "default"
        }
    }
}

/// Where the settings were made. It is no part of what they say: configurations that say the same are equal, wherever from.
struct SettingOrigins: Equatable, Sendable {
    private let byPath: [String: SettingOrigin]

    /// - Parameter byPath: those that somebody made, by the path of the key, of an entry too: `mqtt.0.url`.
    init(_ byPath: [String: SettingOrigin] = [:]) { self.byPath = byPath }

    /// How a sentence about a setting begins: where it was made, and its key.
    func subject(_ path: String) -> String { "\(byPath[path] ?? .standard): `\(path)`" }

    static func == (_: Self, _: Self) -> Bool { true }
}
