import DoorwardAdapterKit

/// Where the settings were made. It is no part of what they say: configurations that say the same are equal, wherever from.
struct SettingOrigins: Equatable, Sendable {
    private let byPath: [String: SettingOrigin]

    /// - Parameter byPath: those that somebody made, by the path of the key.
    init(_ byPath: [String: SettingOrigin] = [:]) { self.byPath = byPath }

    /// How a sentence about a setting begins: where it was made, and its key.
    func subject(_ path: String) -> String { "\(byPath[path] ?? .standard): `\(path)`" }

    static func == (_: Self, _: Self) -> Bool { true }
}
