public import DoorwardDomain

/// The settings of one section, or of one entry of a list. Keys are named as in the declaration: `url`.
public struct SectionSettings: Sendable {
    private let prefix: String
    private let keys: [ConfigurationKey]
    private let settings: [String: Setting]

    /// - Parameters:
    ///   - prefix: the path of the section or entry: `mqtt.0`.
    ///   - keys: as the section declares them.
    ///   - settings: by the whole path of the key.
    init(prefix: String, keys: [ConfigurationKey], _ settings: [String: Setting]) {
        (self.prefix, self.keys, self.settings) = (prefix, keys, settings)
    }

    /// The whole path of a key, as messages name it: `mqtt.0.url`.
    public func path(_ key: String) -> String { "\(prefix).\(key)" }

    /// The text, path, word or name that was set, or the key's default; `nil` for neither.
    public func text(_ key: String) -> String? { if case .text(let text)? = value(key) { text } else { nil } }

    /// The number that was set, or the key's default; `nil` for neither.
    public func integer(_ key: String) -> Int? { if case .integer(let number)? = value(key) { number } else { nil } }

    /// The truth that was set, or the key's default, or `false`.
    public func flag(_ key: String) -> Bool { value(key) == .boolean(true) }

    /// The list that was set, or the key's default, or no item.
    public func texts(_ key: String) -> [String] { if case .texts(let texts)? = value(key) { texts } else { [] } }

    /// The id of a portfolio that was set; `nil` for none.
    public func portfolio(_ key: String) -> PortfolioID? { text(key).flatMap { PortfolioID($0) } }

    /// The path that was set, of a file that can be read; `nil` for none.
    ///
    /// - Throws: one sentence for what is no file, or cannot be read.
    public func readableFile(_ key: String) throws(ConfigurationError) -> String? {
        guard let path = text(key) else { return nil }
        try file(path, key).requireReadable()
        return path
    }

    /// The paths that were set, of folders that can be read.
    ///
    /// - Throws: one sentence for the first that is no folder, or cannot be read.
    public func readableFolders(_ key: String) throws(ConfigurationError) -> [String] {
        let paths = texts(key)
        for path in paths { try file(path, key).requireFolder() }
        return paths
    }

    /// The one line of the file that was set, without its end; `nil` for none. If the key's type is `.secretFile`, a file that others
    /// than its owner can read is refused.
    ///
    /// - Throws: one sentence, which never repeats what is in the file.
    public func line(_ key: String) throws(ConfigurationError) -> Secret<String>? {
        guard let path = text(key) else { return nil }
        let isSecret = if case .secretFile? = declared(key)?.type { true } else { false }
        return try file(path, key).line(isSecret: isSecret)
    }

    /// Requires another key beside one that is set.
    ///
    /// - Throws: a sentence that names both.
    public func require(_ other: String, beside key: String) throws(ConfigurationError) {
        if value(key) != nil, value(other) == nil { throw mistake(at: key, "needs `\(path(other))` beside it") }
    }

    /// A mistake in the value of a key, which begins with where the key was set.
    ///
    /// - Parameter sentence: what follows the key, without a full stop.
    public func mistake(at key: String, _ sentence: String) -> ConfigurationError {
        ConfigurationError("\(subject(key)) \(sentence)")
    }

    /// How a sentence about a key begins: where it was set, and its path.
    public func subject(_ key: String) -> String { "\(settings[path(key)]?.origin ?? .standard): `\(path(key))`" }

    /// Where the section was set, by the first of its keys; `nil` if none is set.
    var origin: SettingOrigin? { keys.lazy.compactMap { settings[path($0.path)]?.origin }.first }

    /// - Throws: the first key that is required and not set.
    func requireKeys() throws(ConfigurationError) {
        guard let missing = keys.first(where: { $0.isRequired && settings[path($0.path)] == nil }) else { return }
        throw ConfigurationError("\(origin ?? .standard): `\(path(missing.path))` is missing")
    }

    private func value(_ key: String) -> SettingValue? { settings[path(key)]?.value ?? declared(key)?.defaultValue }

    private func declared(_ key: String) -> ConfigurationKey? { keys.first { $0.path == key } }

    private func file(_ path: String, _ key: String) -> ConfiguredFile { ConfiguredFile(path: path, setting: subject(key)) }
}
