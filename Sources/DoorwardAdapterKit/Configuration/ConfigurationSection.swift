/// A section of the configuration that an adapter owns: the gateway reads it from the file and the environment, reports mistakes in
/// it, and lists its keys on the page of all keys.
public struct ConfigurationSection: Sendable {
    /// The key of the section in the file: `mqtt`.
    public let name: String
    /// The keys, each by its name alone, in the order of the page.
    public let keys: [ConfigurationKey]
    /// The plural of what each entry of a list is; `nil` for a section that there is once.
    let entryNoun: String?

    /// A section that there is once.
    public init(_ name: String, _ keys: [ConfigurationKey]) { (self.name, self.keys, entryNoun) = (name, keys, nil) }

    /// A list of named transports, up to 100.
    ///
    /// - Parameters:
    ///   - transports: what they are in messages, in the plural: `brokers`.
    ///   - keys: among them `name`, which is required; no two entries have the same.
    public init(_ name: String, listOf transports: String, _ keys: [ConfigurationKey]) {
        (self.name, self.keys, entryNoun) = (name, keys, transports)
    }

    /// The keys with their paths.
    package var configurationKeys: [ConfigurationKey] {
        keys.map { $0.at("\(name).\(entryNoun == nil ? "" : "N.")\($0.path)") }
    }
}
