public import DoorwardDomain

/// Creates an adapter from its sections of the configuration. The gateway has one list of
/// factories, and reads their declarations before it creates an adapter.
public protocol AdapterFactory: Sendable {
    /// The kind of the adapter, and the description of its locks for users.
    var guide: AdapterGuide { get }

    /// The sections that the adapter owns. Their names differ from those of all other adapters and of the gateway.
    var sections: [ConfigurationSection] { get }

    /// The keys of an address that are known without a configuration. They appear in messages to
    /// users who may not call `GET /adapters`.
    var addressFields: [AddressField] { get }

    /// Whether an address can have keys other than those of `addressFields`, such as the variables of a profile.
    var hasFurtherAddressFields: Bool { get }

    /// Checks that the settings fit together, without reading a file.
    ///
    /// - Parameter settings: the settings of `sections`.
    /// - Returns: `nil` if the gateway does not use the adapter with these settings.
    /// - Throws: the first error.
    func configure(_ settings: AdapterSettings) throws(ConfigurationError) -> (any ConfiguredAdapter)?
}

/// An adapter that is configured but not created yet.
public protocol ConfiguredAdapter: Sendable {
    /// The maximum number of file descriptors for the adapter's connections. The gateway reserves this number.
    var descriptorCount: Int { get }

    /// The facts that `doorward config check` shows.
    var facts: [ConfigurationFact] { get }

    /// Reads the files that the settings name, without opening a connection.
    ///
    /// - Returns: warnings that do not prevent a start, one sentence each, for `doorward config check`.
    /// - Throws: the error that `make` would throw for these files.
    func check() throws(ConfigurationError) -> [String]

    /// Creates the adapter. The adapter must not send anything or open a connection before its `start`.
    ///
    /// - Throws: one sentence about a file that cannot be read or used.
    func make(_ environment: AdapterEnvironment) throws(ConfigurationError) -> any LockAdapter
}

extension AdapterFactory {
    /// The default: no sections.
    public var sections: [ConfigurationSection] { [] }
    /// The default: no other keys.
    public var hasFurtherAddressFields: Bool { false }
}

extension ConfiguredAdapter {
    /// The default: no descriptors.
    public var descriptorCount: Int { 0 }
    /// The default: no facts.
    public var facts: [ConfigurationFact] { [] }
    /// The default: checks nothing.
    public func check() throws(ConfigurationError) -> [String] { [] }
}

/// The gateway's services for a new adapter.
public struct AdapterEnvironment: Sendable {
    /// The clock for deadlines.
    public let clock: any GatewayClock
    /// The gateway's source of randomness.
    package let random: RandomSource

    /// Creates an environment for tests of a factory, with its own source of randomness.
    public init(clock: any GatewayClock) { self.init(clock: clock, random: RandomSource()) }

    /// Creates an environment with the gateway's own source of randomness.
    package init(clock: any GatewayClock, random: RandomSource) { (self.clock, self.random) = (clock, random) }
}

/// One line of `doorward config check`, and one field of its JSON.
public struct ConfigurationFact: Hashable, Sendable {
    /// The beginning of the line, such as `brokers`.
    public let name: String
    /// The rest of the line; empty if there is none.
    public let text: String
    /// The name of the field in the JSON document, such as `brokers`; no other fact has the same.
    public let field: String
    /// The value of the field.
    public let value: JSONValue

    public init(_ name: String, _ text: String, field: String, _ value: JSONValue) {
        (self.name, self.text, self.field, self.value) = (name, text, field, value)
    }
}
