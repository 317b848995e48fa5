public import DoorwardDomain

/// The settings in the sections of one adapter, or of all adapters. Each value has been checked against its key.
public struct AdapterSettings: Sendable {
    private let sections: [ConfigurationSection]
    private let settings: [String: Setting]

    /// Creates settings from environment variables such as `["DOORWARD_SERIAL_PORT": "/dev/ttyS0"]`, for tests of an adapter.
    ///
    /// - Throws: the first error, with the gateway's message.
    public init(_ sections: [ConfigurationSection], environment: [String: String] = [:]) throws(ConfigurationError) {
        let table = ConfigurationTable(sections.flatMap(\.configurationKeys))
        self.init(sections, try table.settings(of: environment))
    }

    /// - Parameter settings: the settings by the path of their key; those of other sections are ignored.
    package init(_ sections: [ConfigurationSection], _ settings: [String: Setting]) {
        self.sections = sections
        let names = Set(sections.map(\.name))
        self.settings = settings.filter { names.contains(String($0.key.prefix { $0 != "." })) }
    }

    /// Returns the settings of some of these sections.
    package func of(_ sections: [ConfigurationSection]) -> AdapterSettings { AdapterSettings(sections, settings) }

    /// Returns the section of that name, which must not be a list; `nil` if none of its keys is set.
    ///
    /// - Throws: an error for the first required key that is not set.
    public func section(_ name: String) throws(ConfigurationError) -> SectionSettings? {
        let section = SectionSettings(prefix: name, keys: keys(of: name), settings)
        guard section.origin != nil else { return nil }
        try section.requireKeys()
        return section
    }

    /// Returns the entries of a list, in order.
    ///
    /// - Throws: an error for the first entry that is missing, lacks a required key, or has the same name as another.
    public func entries(_ name: String) throws(ConfigurationError) -> [SectionSettings] {
        let numbers = Set(settings.keys.compactMap { Self.entryNumber($0, in: name) })
        var entries: [SectionSettings] = []
        for number in 0..<((numbers.max() ?? -1) + 1) {
            guard numbers.contains(number) else {
                let last = entry(numbers.max() ?? number, of: name)
                throw ConfigurationError("\(last.origin ?? .standard): there is no `\(name).\(number)` before it")
            }
            let entry = entry(number, of: name)
            try entry.requireKeys()
            if let duplicate = entries.firstIndex(where: { $0.text("name") == entry.text("name") }) {
                let noun = sections.first { $0.name == name }?.entryNoun ?? "entries"
                throw entry.mistake(
                    at: "name",
                    "is `\(entry.text("name") ?? "")`, as `\(entries[duplicate].path("name"))` is; two \(noun) need two names")
            }
            entries.append(entry)
        }
        return entries
    }

    private func entry(_ number: Int, of name: String) -> SectionSettings {
        SectionSettings(prefix: "\(name).\(number)", keys: keys(of: name), settings)
    }

    private func keys(of name: String) -> [ConfigurationKey] { sections.first { $0.name == name }?.keys ?? [] }

    private static func entryNumber(_ path: String, in list: String) -> Int? {
        let words = path.split(separator: ".")
        return words.count == 3 && words[0] == list ? Int(words[1]) : nil
    }
}

extension AdapterSettings: Equatable {
    /// Returns whether both contain the same values. The origins of the values are ignored.
    public static func == (one: Self, other: Self) -> Bool {
        one.settings.mapValues(\.value) == other.settings.mapValues(\.value)
    }
}

/// The settings of one section, or of one entry of a list. Parameters name a key as in the
/// declaration of the section, such as `url`.
public struct SectionSettings: Sendable {
    private let prefix: String
    private let keys: [ConfigurationKey]
    private let settings: [String: Setting]

    /// - Parameters:
    ///   - prefix: the path of the section or entry, such as `mqtt.0`.
    ///   - keys: the keys that the section declares.
    ///   - settings: the settings by the complete path of their key.
    init(prefix: String, keys: [ConfigurationKey], _ settings: [String: Setting]) {
        (self.prefix, self.keys, self.settings) = (prefix, keys, settings)
    }

    /// Returns the complete path of a key for messages, such as `mqtt.0.url`.
    public func path(_ key: String) -> String { "\(prefix).\(key)" }

    /// Returns the text, path, choice or name that is set, or the key's default; `nil` if there is neither.
    public func text(_ key: String) -> String? { if case .text(let text)? = value(key) { text } else { nil } }

    /// Returns the number that is set, or the key's default; `nil` if there is neither.
    public func integer(_ key: String) -> Int? { if case .integer(let number)? = value(key) { number } else { nil } }

    /// Returns the Boolean that is set, or the key's default, or `false`.
    public func flag(_ key: String) -> Bool { value(key) == .boolean(true) }

    /// Returns the list that is set, or the key's default, or an empty list.
    public func texts(_ key: String) -> [String] { if case .texts(let texts)? = value(key) { texts } else { [] } }

    /// Returns the id of a portfolio that is set; `nil` if none is.
    public func portfolio(_ key: String) -> PortfolioID? { text(key).flatMap { PortfolioID($0) } }

    /// Returns the path that is set, after checking that the file can be read; `nil` if none is set.
    ///
    /// - Throws: one sentence if the path is not a file or cannot be read.
    public func readableFile(_ key: String) throws(ConfigurationError) -> String? {
        guard let path = text(key) else { return nil }
        try file(path, key).requireReadable()
        return path
    }

    /// Returns the paths that are set, after checking that the folders can be read.
    ///
    /// - Throws: one sentence about the first path that is not a folder or cannot be read.
    public func readableFolders(_ key: String) throws(ConfigurationError) -> [String] {
        let paths = texts(key)
        for path in paths { try file(path, key).requireFolder() }
        return paths
    }

    /// Returns the only line of the file that the key names, without its line break; `nil` if the key is not set. If the key's
    /// type is `.secretFile`, a file that users other than its owner can read is rejected.
    ///
    /// - Throws: one sentence, which never contains the content of the file.
    public func line(_ key: String) throws(ConfigurationError) -> Secret<String>? {
        guard let path = text(key) else { return nil }
        let isSecret = if case .secretFile? = declared(key)?.type { true } else { false }
        return try file(path, key).line(isSecret: isSecret)
    }

    /// Requires that another key is set if this one is.
    ///
    /// - Throws: a sentence with both keys.
    public func require(_ other: String, beside key: String) throws(ConfigurationError) {
        if value(key) != nil, value(other) == nil { throw mistake(at: key, "needs `\(path(other))` beside it") }
    }

    /// Returns an error about the value of a key. The error begins with the place where the key was set.
    ///
    /// - Parameter sentence: the text after the key, without a full stop.
    public func mistake(at key: String, _ sentence: String) -> ConfigurationError {
        ConfigurationError("\(subject(key)) \(sentence)")
    }

    /// Returns the beginning of a sentence about a key: the place where it was set, and its path.
    public func subject(_ key: String) -> String { "\(settings[path(key)]?.origin ?? .standard): `\(path(key))`" }

    /// The place where the first setting of the section was made; `nil` if the section has no settings.
    var origin: SettingOrigin? { keys.lazy.compactMap { settings[path($0.path)]?.origin }.first }

    /// - Throws: an error for the first required key that is not set.
    func requireKeys() throws(ConfigurationError) {
        guard let missing = keys.first(where: { $0.isRequired && settings[path($0.path)] == nil }) else { return }
        throw ConfigurationError("\(origin ?? .standard): `\(path(missing.path))` is missing")
    }

    private func value(_ key: String) -> SettingValue? { settings[path(key)]?.value ?? declared(key)?.defaultValue }

    private func declared(_ key: String) -> ConfigurationKey? { keys.first { $0.path == key } }

    private func file(_ path: String, _ key: String) -> ConfiguredFile { ConfiguredFile(path: path, setting: subject(key)) }
}

/// A section of the configuration that an adapter owns. The gateway reads it from the file and the environment, reports errors in
/// it, and lists its keys in the documentation.
public struct ConfigurationSection: Sendable {
    /// The key of the section in the file, such as `mqtt`.
    public let name: String
    /// The keys in the order of the documentation. Their paths do not contain the section.
    public let keys: [ConfigurationKey]
    /// The noun for the entries of a list, in the plural; `nil` for a section that is not a list.
    let entryNoun: String?

    /// Creates a section, or a list of up to 100 named transports.
    ///
    /// - Parameters:
    ///   - transports: for a list, the noun for the entries in messages, in the plural, such as `brokers`.
    ///   - keys: the keys of the section, or of an entry. Those of an entry include `name`, which is required and must be unique.
    public init(_ name: String, listOf transports: String? = nil, _ keys: [ConfigurationKey]) {
        (self.name, self.keys, entryNoun) = (name, keys, transports)
    }

    /// The keys with their complete paths.
    package var configurationKeys: [ConfigurationKey] {
        keys.map { $0.at("\(name).\(entryNoun == nil ? "" : "N.")\($0.path)") }
    }
}
