internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain

/// Makes things happen to simulated locks.
enum SimulatorRoutes {
    static let all: [Route] = [.post("/simulator/devices/:id/events", trigger)]

    private static func trigger(_ call: Call) async throws -> Answer {
        let simulator = call.services.simulator
        let event = try call.exchange.readBody { body in
            let event = body.require("event", body.string("event")) ?? ""
            if !event.isEmpty, let simulator, !simulator.eventWords.contains(event) { body.note("event", .unknownValue) }
            return event
        }
        let device = try call.control.attachedDevices.changeable(call.id("id"), for: call.caller)
        guard let simulator, device.adapter == simulator.adapterKind else {
            throw GatewayError.conflict("This lock is not a simulated one.")
        }
        guard await simulator.trigger(event, on: device.id) else {
            throw GatewayError.conflict("This cannot happen to this lock: it lacks the part for it; see its capabilities.")
        }
        let view = call.view
        return .success { $0.field("device") { view.device(device, into: &$0) } }
    }
}
