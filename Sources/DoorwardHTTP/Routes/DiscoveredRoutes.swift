internal import DoorwardControl
internal import DoorwardDomain

/// Locks that were found and wait to be attached.
enum DiscoveredRoutes {
    static let all: [Route] = [.get("/devices/discovered", list)]

    /// What the list is sorted by; `createdAt`, as for every list, is when a lock was first seen.
    private enum Key: String, CaseIterable, Sendable {
        case name, createdAt, firstSeenAt, lastSeenAt
    }

    private static func list(_ call: Call) throws -> Answer {
        let page: PageRequest<Key> = try call.exchange.readQuery { PageRequest(&$0) }
        let found = call.control.discoveredLocks.all(for: call.caller).sorted { ($0.id, $0.adapter) < ($1.id, $1.adapter) }
        let sorted = page.sorted(found) { key, found in
            switch key {
            case .name: .name(found.name ?? "")
            case .createdAt, .firstSeenAt: .number(found.firstSeenAt.milliseconds)
            case .lastSeenAt: .number(found.lastSeenAt.milliseconds)
            }
        }
        return try .list("discoveredDevices", sorted, page) { $1.write(into: &$0) }
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
