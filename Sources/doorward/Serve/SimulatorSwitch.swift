import AdapterSimulator
import DoorwardDomain
import DoorwardHTTP

/// Lets the HTTP module play with the simulated locks without knowing their adapter.
struct SimulatorSwitch: SimulatorControl {
    let adapter: SimulatorAdapter

    var adapterKind: String { adapter.kind }
    var eventNames: Set<String> { Set(SimulatorEvent.allCases.map(\.rawValue)) }

    func trigger(_ event: String, slot: String?, on device: DeviceID) async -> SimulatorAnswer {
        guard let event = SimulatorEvent(rawValue: event) else { return .lacksPart }
        do throws(SimulatorEventError) {
            try adapter.inject(event, slot: slot, into: device)
            return .done
        } catch {
            return SimulatorAnswer(error)
        }
    }
}

extension SimulatorAnswer {
    fileprivate init(_ error: SimulatorEventError) {
        self =
            switch error {
            case .notAttached: .notAttached
            case .unsupported: .lacksPart
            case .unknownSlot: .unknownSlot
            case .batteryDead: .batteryDead
            }
    }
}
