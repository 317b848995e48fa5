import Configuration

/// A checked value and where it was made.
struct Setting: Equatable, Sendable {
    let content: ConfigContent
    let origin: SettingOrigin

    /// Checks a text against what the key demands.
    static func checked(_ text: String, for key: ConfigurationKey, at origin: SettingOrigin) throws(ConfigurationError) -> Setting
    {
        // Not repeated: what is wrong about it is that it is a secret.
        if key.form == .brokerAddress, text.contains("@") {
            throw ConfigurationError(
                "\(origin): `\(key.path)` must hold no user name and password; write each into a file, and name the files as "
                    + "`usernameFile` and `passwordFile`")
        }
        guard let content = key.form.content(of: text) else { throw mismatch(key, "`\(text)`", origin) }
        return Setting(content: content, origin: origin)
    }

    static func mismatch(_ key: ConfigurationKey, _ found: String, _ origin: SettingOrigin) -> ConfigurationError {
        var error = ConfigurationError("\(origin): `\(key.path)` must be \(key.form.demand), not \(found)")
        if case .flag = origin { error.isWrongUsage = true }
        return error
    }

    /// The list with its item of that number exchanged for the one that this setting holds, or with one item more.
    func placed(at number: Int, in list: Setting?, of key: ConfigurationKey) throws(ConfigurationError) -> Setting {
        var items: [String] = if case .stringArray(let items) = list?.content { items } else { [] }
        guard case .stringArray(let new) = content, number <= items.count else {
            throw ConfigurationError("\(origin): `\(key.path)` has no item \(items.count), so it can have no item \(number)")
        }
        items.replaceSubrange(number..<min(number + 1, items.count), with: new)
        return Setting(content: .stringArray(items), origin: origin)
    }
}
