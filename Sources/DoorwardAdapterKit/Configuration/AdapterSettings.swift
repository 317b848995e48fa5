/// What the configuration says in the sections of an adapter, or of all of them. Each value has been checked by its key.
public struct AdapterSettings: Sendable {
    private let sections: [ConfigurationSection]
    private let settings: [String: Setting]

    /// Settings as environment variables have them, `["DOORWARD_SERIAL_PORT": "/dev/ttyS0"]`: for tests of an adapter.
    ///
    /// - Throws: the first mistake, as the gateway tells it.
    public init(_ sections: [ConfigurationSection], environment: [String: String] = [:]) throws(ConfigurationError) {
        let table = ConfigurationTable(sections.flatMap(\.configurationKeys))
        self.init(sections, try table.settings(of: environment))
    }

    /// - Parameter settings: by the path of the key; those of other sections are left out.
    package init(_ sections: [ConfigurationSection], _ settings: [String: Setting]) {
        self.sections = sections
        let names = Set(sections.map(\.name))
        self.settings = settings.filter { names.contains(String($0.key.prefix { $0 != "." })) }
    }

    /// The settings of some of these sections.
    package func of(_ sections: [ConfigurationSection]) -> AdapterSettings { AdapterSettings(sections, settings) }

    /// The section of that name, which there is once; `nil` if none of its keys is set.
    ///
    /// - Throws: the first key that is required and not set.
    public func section(_ name: String) throws(ConfigurationError) -> SectionSettings? {
        let section = SectionSettings(prefix: name, keys: keys(of: name), settings)
        guard section.origin != nil else { return nil }
        try section.requireKeys()
        return section
    }

    /// The entries of a list, in its order.
    ///
    /// - Throws: the first entry that is skipped, that lacks a required key, or that has the name of another.
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
            if let twin = entries.firstIndex(where: { $0.text("name") == entry.text("name") }) {
                let noun = sections.first { $0.name == name }?.entryNoun ?? "entries"
                throw entry.mistake(
                    at: "name",
                    "is `\(entry.text("name") ?? "")`, as `\(entries[twin].path("name"))` is; two \(noun) need two names")
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
    /// Whether both say the same, wherever it was set.
    public static func == (one: Self, other: Self) -> Bool {
        one.settings.mapValues(\.value) == other.settings.mapValues(\.value)
    }
}
