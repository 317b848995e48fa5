package import DoorwardAdapterKit

/// Creates the simulator. It has no section in the configuration, and is part of every gateway.
package struct SimulatorAdapterFactory: Sendable {
    package init() {}
}

extension SimulatorAdapterFactory: AdapterFactory {
    package var guide: AdapterGuide { .simulator }
    package var addressFields: [AddressField] { AddressField.ofSimulator }

    package func configure(_ settings: AdapterSettings) -> (any ConfiguredAdapter)? { Configured() }

    private struct Configured: ConfiguredAdapter {
        func make(_ environment: AdapterEnvironment) -> any LockAdapter { SimulatorAdapter(clock: environment.clock) }
    }
}
