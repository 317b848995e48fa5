import DoorwardAdapterKit

/// The adapters of a gateway, as its configuration has them.
struct ConfiguredAdapters {
    private let adapters: [any ConfiguredAdapter]

    /// - Throws: `CommandFailure` with the first mistake in the section of an adapter.
    init(_ configuration: GatewayConfiguration, _ factories: [any AdapterFactory] = ShippedAdapters.all) throws(CommandFailure) {
        adapters = try orFail { () throws(ConfigurationError) in
            var adapters: [any ConfiguredAdapter] = []
            for factory in factories {
                guard let adapter = try factory.configure(configuration.adapters.of(factory.sections)) else { continue }
                adapters.append(adapter)
            }
            return adapters
        }
    }

    /// The file descriptors that their connections need at most.
    var descriptorCount: Int { adapters.reduce(0) { $0 + $1.descriptorCount } }

    /// What `doorward config check` shows.
    var facts: [ConfigurationFact] { adapters.flatMap(\.facts) }

    /// Reads the files that the configuration names.
    ///
    /// - Returns: warnings.
    /// - Throws: `CommandFailure` with the sentence that `serve` would end with.
    func check() throws(CommandFailure) -> [String] {
        try orFail { () throws(ConfigurationError) in
            var warnings: [String] = []
            for adapter in adapters { warnings += try adapter.check() }
            return warnings
        }
    }

    /// - Throws: `CommandFailure` for a file that cannot be used.
    func make(_ environment: AdapterEnvironment) throws(CommandFailure) -> [any LockAdapter] {
        try orFail { () throws(ConfigurationError) in
            var made: [any LockAdapter] = []
            for adapter in adapters { made.append(try adapter.make(environment)) }
            return made
        }
    }
}

/// Turns a mistake in the configuration into the failure of a command.
private func orFail<Result>(_ body: () throws(ConfigurationError) -> Result) throws(CommandFailure) -> Result {
    do { return try body() } catch { throw CommandFailure(error.description) }
}
