import AdapterMQTT
import AdapterSimulator
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardHTTP

/// The adapters of a gateway, as configured.
struct ConfiguredAdapters {
    private let adapters: [any ConfiguredAdapter]

    /// - Throws: a `CommandFailure` with the first mistake in an adapter's section.
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

    /// Maximum number of file descriptors that the adapters' connections need.
    var descriptorCount: Int { adapters.reduce(0) { $0 + $1.descriptorCount } }

    /// The facts that `doorward config check` prints.
    var facts: [ConfigurationFact] { adapters.flatMap(\.facts) }

    /// Reads the files that the configuration names.
    ///
    /// - Returns: warnings.
    /// - Throws: the `CommandFailure` with which `serve` would end.
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

/// Converts a configuration error to a command failure.
private func orFail<Result>(_ body: () throws(ConfigurationError) -> Result) throws(CommandFailure) -> Result {
    do { return try body() } catch { throw CommandFailure(error.description) }
}

/// The only list of the adapters of this program, in the order of the help. To add an adapter, add one line here.
enum ShippedAdapters {
    static let all: [any AdapterFactory] = [SimulatorAdapterFactory(), MQTTAdapterFactory()]

    /// The values of a device's `adapter`.
    static let kinds = all.map(\.guide.kind)
}

/// Executes `POST /simulator/devices/:id/events`. The HTTP module uses only the protocol, so that it depends on no adapter.
extension SimulatorAdapter: SimulatorControl {
    package var adapterKind: String { kind }
    package var eventNames: Set<String> { Set(SimulatorEvent.allCases.map(\.rawValue)) }

    package func trigger(_ event: String, slot: String?, on device: DeviceID) async -> String? {
        guard let event = SimulatorEvent(rawValue: event) else { return SimulatorEventError.unsupported.sentence }
        do throws(SimulatorEventError) {
            try inject(event, slot: slot, into: device)
            return nil
        } catch {
            return error.sentence
        }
    }
}
