import AdapterMQTT
import AdapterSimulator
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardHTTP

/// The adapters of a gateway, as configured.
struct ConfiguredAdapters {
    private var adapters: [any ConfiguredAdapter] = []

    /// - Throws: the first mistake in an adapter's section.
    init(
        _ configuration: GatewayConfiguration, _ factories: [any AdapterFactory] = ShippedAdapters.all
    ) throws(ConfigurationError) {
        for factory in factories {
            guard let adapter = try factory.configure(configuration.adapters.of(factory.sections)) else { continue }
            adapters.append(adapter)
        }
    }

    /// Maximum number of file descriptors that the adapters' connections need.
    var descriptorCount: Int { adapters.reduce(0) { $0 + $1.descriptorCount } }

    /// The facts that `doorward config check` prints.
    var facts: [ConfigurationFact] { adapters.flatMap(\.facts) }

    /// Reads the files that the configuration names.
    ///
    /// - Returns: warnings.
    /// - Throws: the error with which `serve` would end.
    func check() throws(ConfigurationError) -> [String] {
        var warnings: [String] = []
        for adapter in adapters { warnings += try adapter.check() }
        return warnings
    }

    /// - Throws: an error about a file that cannot be used.
    func make(_ environment: AdapterEnvironment) throws(ConfigurationError) -> [any LockAdapter] {
        try adapters.map { (adapter) throws(ConfigurationError) in try adapter.make(environment) }
    }
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
