/// A section of the configuration that an adapter owns. The gateway reads it from the file and the environment, reports errors in
/// it, and lists its keys in the documentation.
public struct ConfigurationSection: Sendable {
    /// The key of the section in the file, such as `mqtt`.
    public let name: String
    /// The keys in the order of the documentation. Their paths do not contain the section.
    public let keys: [ConfigurationKey]
    /// The noun for the entries of a list, in the plural; `nil` for a section that is not a list.
    let entryNoun: String?

    /// Creates a section that is not a list.
    public init(_ name: String, _ keys: [ConfigurationKey]) { (self.name, self.keys, entryNoun) = (name, keys, nil) }

    /// Creates a list of up to 100 named transports.
    ///
    /// - Parameters:
    ///   - transports: the noun for the entries in messages, in the plural, such as `brokers`.
    ///   - keys: the keys of an entry. They include `name`, which is required and must be unique.
    public init(_ name: String, listOf transports: String, _ keys: [ConfigurationKey]) {
        (self.name, self.keys, entryNoun) = (name, keys, transports)
    }

    /// The keys with their complete paths.
    package var configurationKeys: [ConfigurationKey] {
        keys.map { $0.at("\(name).\(entryNoun == nil ? "" : "N.")\($0.path)") }
    }
}
