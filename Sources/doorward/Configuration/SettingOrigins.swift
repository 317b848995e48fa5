import DoorwardAdapterKit

/// The origins of all settings. They do not affect equality: configurations with the same values are equal.
struct SettingOrigins: Equatable, Sendable {
    private let byPath: [String: SettingOrigin]

    /// - Parameter byPath: the explicit settings, by the path of the key.
    init(_ byPath: [String: SettingOrigin] = [:]) { self.byPath = byPath }

    /// Returns the beginning of an error message about a setting: its origin and its key.
    func subject(_ path: String) -> String { "\(byPath[path] ?? .standard): `\(path)`" }

    static func == (_: Self, _: Self) -> Bool { true }
}
