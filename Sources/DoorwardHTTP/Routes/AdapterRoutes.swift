internal import DoorwardAPI
internal import DoorwardControl
package import DoorwardDomain
internal import DoorwardPolicy

/// The gateway's adapters.
enum AdapterRoutes {
    static let all: [Route] = [
        .read(
            "/adapters",
            """
            Lists the adapters with their health and their form of addresses; for a super admin with all brokers and locks, for \
            others with the brokers of the portfolios in which they may attach locks, and the locks that they see.
            """,
            .data(["adapters": .array(.reference("Adapter"))])
        ) { request in
            let adapters = try request.control.adapterStates.all(for: request.caller)
            return .success { $0.field("adapters", adapters) }
        }
    ]
}

extension AdapterState: ResponseObject {
    static let fields: [ResponseField<Self>] = [
        .init("kind", \.kind), .init("health", .health, \.health), .init("problem", \.problem),
        .init("deviceCount", .count, \.deviceCount), .init("onlineCount", .count, \.onlineCount),
        .init("address", \.addressKeys), .init("transports", \.transports),
    ]
}

extension JSONSchema {
    fileprivate static let health = words(["ok", "degraded", "down"])
}

extension AddressKey: ResponseObject {
    /// `minimum` and `maximum` are set for numbers, `values` for enumerations; otherwise they are `null`.
    static let fields: [ResponseField<Self>] = [
        .init("field", \.name), .init("type", .words(["string", "boolean", "integer", "number", "array"]), \.type),
        .init("required", \.isRequired), .init("minimum", .nullable(.number()), \.minimum),
        .init("maximum", .nullable(.number()), \.maximum), .init("values", \.values), .init("default", .any, \.defaultValue),
        .init("meaning", \.description),
    ]
}

extension TransportState: ResponseObject {
    /// `problem` is `null` if there is none. `portfolioId` is `null` if the transport belongs to no portfolio.
    static let fields: [ResponseField<Self>] = [
        .init("name", \.name), .init("health", .health, \.health), .init("problem", \.problem),
        .init("portfolioId", \.portfolioID),
    ]
}

/// Discovered locks that can be attached.
enum DiscoveredRoutes {
    static let all: [Route] = [
        .get(
            "/devices/discovered", "Lists the locks that adapters have found and that are not attached.",
            .page("discoveredDevices", "DiscoveredDevice")
        ) { request in
            let page = try request.readQuery { PageRequest<DiscoveredDeviceOrder>(&$0) }
            let devices = request.control.adapterStates.discovered(for: request.caller, page)
            return try .page("discoveredDevices", devices) { $1.write(into: &$0) }
        }
    ]
}

extension DiscoveredDevice: ResponseObject {
    /// `adapter` and `address` are in the form that `POST /devices` takes; `capabilities` is `null` if the capabilities are known
    /// only after attaching.
    static let fields: [ResponseField<Self>] = [
        .init("id", \.id), .init("name", \.name), .init("manufacturer", \.manufacturer), .init("model", \.model),
        .init("adapter", \.adapter), .init("address", .map(.any)) { JSONValue.object($0.address) },
        .init("capabilities") { $0.capabilities?.names }, .init("problem", \.problem), .init("firstSeenAt", \.firstSeenAt),
        .init("lastSeenAt", \.lastSeenAt),
    ]
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
        if let refusal = await simulator.trigger(event, slot: slot, on: device.id) {
            throw GatewayError.conflict(refusal)
        }
        return .success { $0.field("device") { request.view.device(device, into: &$0) } }
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
    /// - Returns: the sentence that says why the event did not occur, and what to do; `nil` if it occurred.
    func trigger(_ event: String, slot: String?, on device: DeviceID) async -> String?
}
