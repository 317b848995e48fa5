internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain

/// Triggers events of simulated locks.
enum SimulatorRoutes {
    static let all: [Route] = [
        .post(
            "/simulator/devices/:id/events", "Triggers an event of a simulated lock, such as a turn of its key.",
            .object("device", "Device"), trigger)
    ]

    private static func trigger(_ call: AuthenticatedRequest) async throws -> APIResponse {
        let simulator = call.services.simulator
        let (event, slot) = try call.readBody { body in
            let names = simulator?.eventNames
            let event = body.require("event", body.string("event", as: names.map { .words($0.sorted()) } ?? .text))
            if let event, let names, !names.contains(event) { body.note("event", .unknownValue) }
            return (event ?? "", body.string("slot"))
        }
        let device = try call.control.attachedDevices.changeable(call.id("id"), for: call.caller)
        guard let simulator, device.adapter == simulator.adapterKind else {
            throw GatewayError.conflict("This lock is not simulated.")
        }
        if let refusal = await simulator.trigger(event, slot: slot, on: device.id).refusal {
            throw GatewayError.conflict(refusal)
        }
        let view = call.view
        return .success { $0.field("device") { view.device(device, into: &$0) } }
    }
}

extension SimulatorAnswer {
    /// The reason why the event did not occur, and what to do; `nil` if it occurred.
    fileprivate var refusal: String? {
        switch self {
        case .done: nil
        case .lacksPart:
            "This lock lacks the part that the event needs; see its capabilities and the keypadSlots of its address."
        case .unknownSlot: "The keypad of this lock has no such slot; the slots are listed under keypadSlots in its address."
        case .batteryDead: "The battery of this lock is empty; send replace_battery first."
        case .notAttached: "The lock is not attached to the simulator, or its address is not valid; attach it again."
        }
    }
}
