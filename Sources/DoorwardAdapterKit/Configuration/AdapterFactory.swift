public import DoorwardDomain

/// Makes an adapter from its sections of the configuration. The gateway has one list of these, and knows nothing else of its adapters
/// before they are made.
public protocol AdapterFactory: Sendable {
    /// The kind of the adapter, and what people are told of its locks.
    var guide: AdapterGuide { get }

    /// The sections that the adapter owns. No other adapter, and not the gateway, has one of the same name.
    var sections: [ConfigurationSection] { get }

    /// The keys of an address as they are known without a configuration, for messages to people who may not call `GET /adapters`.
    var addressFields: [AddressField] { get }

    /// Whether an address can have keys beside those of `addressFields`, such as the variables of a profile.
    var hasFurtherAddressFields: Bool { get }

    /// Checks what the settings say together, as far as it can be told without reading a file.
    ///
    /// - Parameter settings: those of `sections`.
    /// - Returns: `nil` if the gateway has no such adapter with these settings.
    /// - Throws: the first mistake.
    func configure(_ settings: AdapterSettings) throws(ConfigurationError) -> (any ConfiguredAdapter)?
}

/// An adapter as the configuration has it, not yet made.
public protocol ConfiguredAdapter: Sendable {
    /// How many file descriptors its connections need at most; the gateway keeps them free.
    var descriptorCount: Int { get }

    /// What `doorward config check` shows.
    var facts: [ConfigurationFact] { get }

    /// Reads the files that the settings name, and opens no connection.
    ///
    /// - Returns: what does not stop a start and is perhaps not meant, a sentence each, for `doorward config check`.
    /// - Throws: the mistake for which `make` fails.
    func check() throws(ConfigurationError) -> [String]

    /// Makes the adapter. Nothing is sent and no connection is opened before its `start`.
    ///
    /// - Throws: one sentence about a file that cannot be read or used.
    func make(_ environment: AdapterEnvironment) throws(ConfigurationError) -> any LockAdapter
}

extension AdapterFactory {
    /// None.
    public var sections: [ConfigurationSection] { [] }
    /// No.
    public var hasFurtherAddressFields: Bool { false }
}

extension ConfiguredAdapter {
    /// None.
    public var descriptorCount: Int { 0 }
    /// None.
    public var facts: [ConfigurationFact] { [] }
    /// Finds nothing.
    public func check() throws(ConfigurationError) -> [String] { [] }
}

/// What the gateway gives to an adapter that it makes.
public struct AdapterEnvironment: Sendable {
    /// The clock that deadlines are measured on.
    public let clock: any GatewayClock
    /// The gateway's source of randomness.
    package let random: RandomSource

    /// For tests of a factory.
    public init(clock: any GatewayClock) { self.init(clock: clock, random: RandomSource()) }

    /// With the gateway's own source of randomness.
    package init(clock: any GatewayClock, random: RandomSource) { (self.clock, self.random) = (clock, random) }
}

/// One line of `doorward config check`, and one field of its JSON.
public struct ConfigurationFact: Hashable, Sendable {
    /// What the line begins with: `brokers`.
    public let name: String
    /// What the line says; empty for nothing.
    public let text: String
    /// The field of the JSON document, which no other fact has: `brokers`.
    public let field: String
    /// The value of the field.
    public let value: JSONValue

    public init(_ name: String, _ text: String, field: String, _ value: JSONValue) {
        (self.name, self.text, self.field, self.value) = (name, text, field, value)
    }
}
