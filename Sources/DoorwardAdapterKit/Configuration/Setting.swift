/// A checked value and where it was set.
package struct Setting: Hashable, Sendable {
    /// The value.
    package let value: SettingValue
    /// The place.
    package let origin: SettingOrigin

    /// A value that was checked.
    package init(value: SettingValue, origin: SettingOrigin) { (self.value, self.origin) = (value, origin) }

    /// Checks a text against the type of the key.
    package static func checked(
        _ text: String, for key: ConfigurationKey, at origin: SettingOrigin
    ) throws(ConfigurationError) -> Setting {
        // The value is not repeated: it may hold a secret.
        if case .formatted(let format) = key.type, let problem = format.secretProblem(text) {
            throw ConfigurationError("\(origin): `\(key.path)` \(problem)")
        }
        guard let value = key.type.value(of: text) else { throw mismatch(key, "`\(text)`", origin) }
        return Setting(value: value, origin: origin)
    }

    /// The mistake that a value has another type than the key's.
    ///
    /// - Parameter found: what it is, to follow "not".
    package static func mismatch(_ key: ConfigurationKey, _ found: String, _ origin: SettingOrigin) -> ConfigurationError {
        var error = ConfigurationError("\(origin): `\(key.path)` must be \(key.type.demand), not \(found)")
        if case .flag = origin { error.isWrongUsage = true }
        return error
    }

    /// The list with its item of that number exchanged for the one that this setting holds, or with one item more.
    func placed(at number: Int, in list: Setting?, of key: ConfigurationKey) throws(ConfigurationError) -> Setting {
        var items: [String] = if case .texts(let items) = list?.value { items } else { [] }
        guard case .texts(let new) = value, number <= items.count else {
            throw ConfigurationError("\(origin): `\(key.path)` has no item \(items.count), so it can have no item \(number)")
        }
        items.replaceSubrange(number..<min(number + 1, items.count), with: new)
        return Setting(value: .texts(items), origin: origin)
    }
}
