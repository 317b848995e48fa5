internal import DoorwardAPI
package import DoorwardControl
package import DoorwardDomain
package import DoorwardPolicy

/// The gateway's adapters.
enum AdapterRoutes {
    static let all: [Route] = [
        .get(
            "/adapters",
            """
            Lists the adapters with their health and their form of addresses; for a super admin with all brokers and locks, for \
            others with the brokers of the portfolios in which they may attach locks, and the locks that they see.
            """,
            .data(["adapters": .array(.reference("Adapter"))]), list)
    ]

    private static let health = JSONSchema.words(["ok", "degraded", "down"])

    static let schema = JSONSchema.fields([
        "kind": .text, "health": health, "problem": .nullable(.text),
        "deviceCount": .count, "onlineCount": .count,
        "address": .array(
            .fields([
                "field": .text, "type": .words(["string", "boolean", "integer", "number", "array"]), "required": .boolean,
                "minimum": .nullable(.number()), "maximum": .nullable(.number()), "values": .nullable(.array(.text)),
                "default": .any, "meaning": .text,
            ])),
        "transports": .array(
            .fields([
                "name": .text, "health": health, "problem": .nullable(.text),
                "portfolioId": .nullable(.id),
            ])),
    ])

    private static func list(_ request: AuthenticatedRequest) throws -> APIResponse {
        try request.readNothing()
        let adapters = try request.control.adapterStates.all(for: request.caller)
        return .success { writer in
            writer.objects("adapters", adapters) { writer, adapter in
                writer.field("kind", adapter.kind)
                writer.field("health", adapter.health)
                writer.field("problem", adapter.problem)
                writer.field("deviceCount", adapter.deviceCount)
                writer.field("onlineCount", adapter.onlineCount)
                writer.field("address") { writer in writer.array(adapter.addressKeys) { $1.write(into: &$0) } }
                writer.field("transports") { writer in writer.array(adapter.transports) { $1.write(into: &$0) } }
            }
        }
    }
}

extension AddressKey: JSONRenderable {
    /// `minimum` and `maximum` are set for numbers, `values` for enumerations; otherwise they are `null`.
    package func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("field", name)
            writer.field("type", type)
            writer.field("required", isRequired)
            writer.field("minimum", minimum)
            writer.field("maximum", maximum)
            writer.field("values") { writer in
                guard let values else { return writer.null() }
                writer.array(values) { $0.string($1) }
            }
            writer.field("default", defaultValue)
            writer.field("meaning", description)
        }
    }
}

extension TransportState: JSONRenderable {
    /// `problem` is `null` if there is none. `portfolioId` is `null` if the transport belongs to no portfolio.
    package func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("name", name)
            writer.field("health", health)
            writer.field("problem", problem)
            writer.field("portfolioId", portfolioID?.description)
        }
    }
}

/// Discovered locks that can be attached.
enum DiscoveredRoutes {
    static let all: [Route] = [
        .get(
            "/devices/discovered", "Lists the locks that adapters have found and that are not attached.",
            .page("discoveredDevices", "DiscoveredDevice"), list)
    ]

    static let schema = JSONSchema.fields([
        "id": .text, "name": .nullable(.text), "manufacturer": .nullable(.text), "model": .nullable(.text), "adapter": .text,
        "address": .map(.any), "capabilities": .nullable(.array(.text)), "problem": .nullable(.text), "firstSeenAt": .instant,
        "lastSeenAt": .instant,
    ])

    private static func list(_ request: AuthenticatedRequest) throws -> APIResponse {
        let page = try request.readQuery { PageRequest<DiscoveredDeviceOrder>(&$0) }
        return try .page("discoveredDevices", request.control.discoveredLocks.list(for: request.caller, page)) {
            $1.write(into: &$0)
        }
    }
}

extension DiscoveredDevice: JSONRenderable {
    /// `adapter` and `address` are in the form that `POST /devices` takes; `capabilities` is `null` if the capabilities are known
    /// only after attaching.
    package func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("id", id)
            writer.field("name", name)
            writer.field("manufacturer", manufacturer)
            writer.field("model", model)
            writer.field("adapter", adapter)
            writer.field("address", JSONValue.object(address))
            writer.field("capabilities", capabilities?.names)
            writer.field("problem", problem)
            writer.field("firstSeenAt", firstSeenAt)
            writer.field("lastSeenAt", lastSeenAt)
        }
    }
}

/// Triggers events of simulated locks.
enum SimulatorRoutes {
    static let all: [Route] = [
        .post(
            "/simulator/devices/:id/events", "Triggers an event of a simulated lock, such as a turn of its key.",
            .object("device", "Device"), trigger)
    ]

    private static func trigger(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let simulator = request.services.simulator
        let (event, slot) = try request.readBody { body in
            let names = simulator?.eventNames
            let event = body.require("event", body.string("event", as: names.map { .words($0.sorted()) } ?? .text))
            if let event, let names, !names.contains(event) { body.reject("event", .unknownValue) }
            return (event ?? "", body.string("slot"))
        }
        let device = try request.control.attachedDevices.changeable(request.id("id"), for: request.caller)
        guard let simulator, device.adapter == simulator.adapterKind else {
            throw GatewayError.conflict("This lock is not simulated.")
        }
        if let refusal = await simulator.trigger(event, slot: slot, on: device.id).refusal {
            throw GatewayError.conflict(refusal)
        }
        return .success { $0.field("device") { request.view.device(device, into: &$0) } }
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

/// Triggers events of simulated locks, for `POST /simulator/devices/:id/events`. It is implemented outside this module with the
/// simulator adapter, so that this module depends on no adapter.
package protocol SimulatorControl: Sendable {
    /// The field `adapter` of the devices that this object controls.
    var adapterKind: String { get }

    /// The names of events that `trigger` accepts, such as `jam`.
    var eventNames: Set<String> { get }

    /// Triggers one of `eventNames` at an attached lock; returns when the lock is in its new state.
    ///
    /// - Parameter slot: the keypad slot whose code is entered; `nil` if the request contains none.
    func trigger(_ event: String, slot: String?, on device: DeviceID) async -> SimulatorAnswer
}

/// The result of triggering an event.
package enum SimulatorAnswer: Sendable {
    /// The event occurred.
    case done
    /// The lock lacks the part that the event needs: a door contact, a battery or a keypad.
    case lacksPart
    /// The keypad has no such slot.
    case unknownSlot
    /// The battery is empty and must be replaced first.
    case batteryDead
    /// The lock is not attached to the adapter, or the adapter cannot read the lock's address.
    case notAttached
}
