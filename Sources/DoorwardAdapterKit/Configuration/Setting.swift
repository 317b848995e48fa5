/// A checked value, and the place where it was set.
package struct Setting: Hashable, Sendable {
    /// The checked value.
    package let value: SettingValue
    /// The place where it was set.
    package let origin: SettingOrigin

    /// Creates a setting with a value that has been checked.
    package init(value: SettingValue, origin: SettingOrigin) { (self.value, self.origin) = (value, origin) }

    /// Checks a text against the type of the key.
    package static func checked(
        _ text: String, for key: ConfigurationKey, at origin: SettingOrigin
    ) throws(ConfigurationError) -> Setting {
        // Do not repeat the value in the message, because it may contain a secret.
        if case .formatted(let format) = key.type, let problem = format.secretProblem(text) {
            throw ConfigurationError("\(origin): `\(key.path)` \(problem)")
        }
        guard let value = key.type.value(of: text) else { throw mismatch(key, "`\(text)`", origin) }
        return Setting(value: value, origin: origin)
    }

    /// Returns the error for a value that does not have the key's type.
    ///
    /// - Parameter found: a description of the wrong value, which follows "not" in the message.
    package static func mismatch(_ key: ConfigurationKey, _ found: String, _ origin: SettingOrigin) -> ConfigurationError {
        var error = ConfigurationError("\(origin): `\(key.path)` must be \(key.type.expectation), not \(found)")
        if case .flag = origin { error.isUsageError = true }
        return error
    }

    /// Returns the list with one item replaced by the value of this setting, or with that value appended.
    func placed(at number: Int, in list: Setting?, of key: ConfigurationKey) throws(ConfigurationError) -> Setting {
        var items: [String] = if case .texts(let items) = list?.value { items } else { [] }
        guard case .texts(let new) = value, number <= items.count else {
            throw ConfigurationError("\(origin): `\(key.path)` has no item \(items.count), so it can have no item \(number)")
        }
        items.replaceSubrange(number..<min(number + 1, items.count), with: new)
        return Setting(value: .texts(items), origin: origin)
    }
}
