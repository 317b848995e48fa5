import Configuration

/// A checked value and where it was made.
struct Setting: Equatable, Sendable {
    let content: ConfigContent
    let origin: SettingOrigin

    /// Checks a text against what the key demands.
    static func checked(_ text: String, for key: ConfigurationKey, at origin: SettingOrigin) throws(ConfigurationError) -> Setting
    {
        guard let content = key.form.content(of: text) else { throw mismatch(key, "`\(text)`", origin) }
        return Setting(content: content, origin: origin)
    }

    static func mismatch(_ key: ConfigurationKey, _ found: String, _ origin: SettingOrigin) -> ConfigurationError {
        var error = ConfigurationError("\(origin): `\(key.path)` must be \(key.form.demand), not \(found)")
        if case .flag = origin { error.isWrongUsage = true }
        return error
    }
}
