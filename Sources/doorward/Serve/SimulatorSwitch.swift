import AdapterSimulator
import DoorwardDomain
import DoorwardHTTP

/// Lets the HTTP module play with the simulated locks without knowing their adapter.
struct SimulatorSwitch: SimulatorControl {
    let adapter: SimulatorAdapter

    var adapterKind: String { adapter.kind }
    var eventWords: Set<String> { Set(SimulatorEvent.allCases.map(\.rawValue)) }

    func trigger(_ event: String, on device: DeviceID) async {
        guard let event = SimulatorEvent(rawValue: event) else { return }
        // A lock without the part, or one that was just taken away, has nothing that could happen to it.
        try? adapter.inject(event, into: device)
    }
}
