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
