import AdapterSimulator
import DoorwardDomain
import DoorwardHTTP

/// Lets the HTTP module play with the simulated locks without knowing their adapter.
struct SimulatorSwitch: SimulatorControl {
    let adapter: SimulatorAdapter

    var adapterKind: String { adapter.kind }
    var eventWords: Set<String> { Set(SimulatorEvent.allCases.map(\.rawValue)) }

    func trigger(_ event: String, on device: DeviceID) async -> Bool {
        guard let event = SimulatorEvent(rawValue: event) else { return false }
        do {
            try adapter.inject(event, into: device)
            return true
        } catch {
            return false
        }
    }
}
