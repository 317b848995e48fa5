import AdapterSimulator
import DoorwardDomain
import DoorwardHTTP

/// Executes `POST /simulator/devices/:id/events`. The HTTP module uses only the protocol, so that it depends on no adapter.
extension SimulatorAdapter: SimulatorControl {
    package var adapterKind: String { kind }
    package var eventNames: Set<String> { Set(SimulatorEvent.allCases.map(\.rawValue)) }

    package func trigger(_ event: String, slot: String?, on device: DeviceID) async -> SimulatorAnswer {
        guard let event = SimulatorEvent(rawValue: event) else { return .lacksPart }
        do throws(SimulatorEventError) {
            try inject(event, slot: slot, into: device)
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
