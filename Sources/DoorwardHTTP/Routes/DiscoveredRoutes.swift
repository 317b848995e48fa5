internal import DoorwardControl
internal import DoorwardDomain

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

    private static func list(_ call: AuthenticatedRequest) throws -> APIResponse {
        let page = try call.readQuery { PageRequest<DiscoveredDeviceOrder>(&$0) }
        return try .page("discoveredDevices", call.control.discoveredLocks.list(for: call.caller, page)) {
            $1.write(into: &$0)
        }
    }
}

extension DiscoveredDevice: JSONRenderable {
    /// `adapter` and `address` are in the form that `POST /devices` takes; `capabilities` is `null` if the capabilities are known
    /// only after attaching.
    func write(into writer: inout JSONWriter) {
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
