internal import DoorwardControl
internal import DoorwardDomain

/// Locks that were found and wait to be attached.
enum DiscoveredRoutes {
    static let all: [Route] = [.get("/devices/discovered", list)]

    private static func list(_ call: Call) throws -> Answer {
        let page = try call.readQuery { PageRequest<DiscoveredDeviceOrder>(&$0) }
        return try .page("discoveredDevices", call.control.discoveredLocks.list(for: call.caller, page)) {
            $1.write(into: &$0)
        }
    }
}

extension DiscoveredDevice: JSONRenderable {
    /// `adapter` and `address` are what `POST /devices` takes; `capabilities` is `null` where only attaching tells.
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
