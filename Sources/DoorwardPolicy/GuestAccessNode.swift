package import DoorwardDomain
internal import HashTreeCollections

/// A guest access as the directory keeps it, with what a decision asks of it made ready.
package final class GuestAccessNode: Sendable {
    /// What was granted, for a test that touches no further memory.
    let operations: OperationSet
    let isRevoked: Bool
    /// Whether a tenant granted it, so that each device ends with the tenancies that carried it.
    private let isUnderTenancy: Bool
    /// As it was put. Its id and its window come first in it, next to what a decision asks above.
    package let access: GuestAccess

    init(_ access: GuestAccess) {
        self.access = access
        isRevoked = access.revokedAt != nil
        operations = OperationSet(access.operations)
        isUnderTenancy = access.grantedUnderRole == .tenant
    }

    var id: GuestAccessID { access.id }
    var window: GuestWindow { access.window }

    /// When the access lets its guest know of the devices.
    private var reach: Range<Int64> {
        let reachEnds = access.endsAt.advanced(by: GuestAccess.reachAfterEnd).milliseconds
        return access.createdAt.milliseconds..<max(access.createdAt.milliseconds, reachEnds)
    }

    /// The next instant after `instant` at which a decision or the reach of the access changes by time alone.
    func nextEdge(after instant: Timestamp) -> Timestamp? {
        let reach = reach
        let reachEdges = [reach.lowerBound, reach.upperBound].map(Timestamp.init(milliseconds:))
        // A revoked access is denied for that reason at every instant.
        let edges = isRevoked ? reachEdges : reachEdges + [window.validFrom, window.validUntil]
        return edges.lazy.filter { $0 > instant }.min()
    }

    /// Whether the grantor has given up every tenancy that carried a listed device.
    func hasLostGrantor(of device: DeviceID, in directory: TenancyDirectory) -> Bool {
        guard isUnderTenancy else { return false }
        guard let carriers = access.carriersByDevice else { return directory.holders[access.grantedUnderAssociationID] == nil }
        return !(carriers[device] ?? []).contains { directory.holders[$0] != nil }
    }

    /// Whether the guest may know of a listed device: from the creation until 30 days after the end, unless it has gone to
    /// another portfolio, of which nobody here is told anything.
    func givesReach(to device: DeviceNode, at instant: Timestamp, in directory: TenancyDirectory) -> Bool {
        guard reach.contains(instant.milliseconds) else { return false }
        guard let property = device.propertyID, property != access.propertyID else { return true }
        return directory.property(access.propertyID)?.portfolioID == device.portfolioID
    }
}

/// The guest accesses of one user, an entry for each device, sorted by device and then by id.
struct HeldGuestAccesses: Sendable {
    struct Entry: Sendable {
        let deviceID: DeviceID
        let node: GuestAccessNode
    }

    private(set) var entries: ContiguousArray<Entry> = []
    /// Accesses that list no device.
    private var empty = SortedIDs<GuestAccess>()

    /// Every access once, ascending.
    var ids: [GuestAccessID] { Set(entries.map(\.node.id)).union(empty).sorted() }

    mutating func insert(_ node: GuestAccessNode) {
        let devices = Set(node.access.deviceIDs).sorted()
        guard devices.count > 1 else {
            guard let device = devices.first else { return empty.insert(node.id) }
            let index = entries.lowerBound { ($0.deviceID, $0.node.access.id) < (device, node.access.id) }
            return entries.insert(Entry(deviceID: device, node: node), at: index)
        }
        // Merged in one pass: entry by entry, many devices would move all that the guest holds as often.
        var merged: ContiguousArray<Entry> = []
        merged.reserveCapacity(entries.count + devices.count)
        var rest = devices[...]
        for entry in entries {
            while let device = rest.first, (device, node.access.id) < (entry.deviceID, entry.node.access.id) {
                merged.append(Entry(deviceID: device, node: node))
                rest.removeFirst()
            }
            merged.append(entry)
        }
        merged += rest.map { Entry(deviceID: $0, node: node) }
        entries = merged
    }

    mutating func remove(_ id: GuestAccessID) {
        empty.remove(id)
        entries.removeAll { $0.node.access.id == id }
    }

    var deviceFilter: DeviceFilter { entries.reduce(into: DeviceFilter()) { $0.insert($1.deviceID) } }

    /// The indices of those that list a device, smaller id first.
    func indices(on device: DeviceID) -> Range<Int> {
        if entries.isEmpty { return 0..<0 }
        let start = entries.lowerBound { $0.deviceID < device }
        var end = start
        while end < entries.count, entries[end].deviceID == device { end += 1 }
        return start..<end
    }
}

/// Tells of most devices in one look that they are not in a set.
struct DeviceFilter: Sendable {
    private var bits: UInt64 = 0

    mutating func insert(_ id: DeviceID) { bits |= Self.bit(id) }

    func mayContain(_ id: DeviceID) -> Bool { bits & Self.bit(id) != 0 }

    private static func bit(_ id: DeviceID) -> UInt64 { 1 << (id.low & 63) }
}

/// A set of lock operations in one byte.
struct OperationSet: OptionSet, Sendable {
    let rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ operations: some Sequence<LockOperation>) {
        self.init(rawValue: operations.reduce(0) { $0 | Self.bit($1) })
    }

    func contains(_ operation: LockOperation) -> Bool { rawValue & Self.bit(operation) != 0 }

    private static func bit(_ operation: LockOperation) -> UInt8 {
        switch operation {
        case .lock: 1 << 0
        case .unlock: 1 << 1
        case .unlatch: 1 << 2
        case .viewStatus: 1 << 3
        case .changeSettings: 1 << 4
        case .viewAccessHistory: 1 << 5
        case .grantAccess: 1 << 6
        case .lockdown: 1 << 7
        }
    }
}
