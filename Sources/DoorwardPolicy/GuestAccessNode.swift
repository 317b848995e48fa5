package import DoorwardDomain
internal import HashTreeCollections

/// A guest access as stored in the directory, with precomputed values for decisions.
package final class GuestAccessNode: Sendable {
    /// The granted operations as a bit set, so that a test requires no further memory access.
    let operations: OperationSet
    let isRevoked: Bool
    /// Whether the number of uses is limited.
    let hasMaxUses: Bool
    /// Whether a tenant granted or widened the access. If so, access to each device ends with the tenancies that it depends on.
    private let dependsOnTenancies: Bool
    /// The schedule of the access, if it has one.
    let hours: ScheduleHours?
    /// The stored access. It begins with its id and its window, which are therefore in memory next
    /// to the precomputed values above.
    package let access: GuestAccess

    init(_ access: GuestAccess, hours: ScheduleHours?) {
        (self.access, self.hours) = (access, hours)
        isRevoked = access.revokedAt != nil
        hasMaxUses = access.maxUses != nil
        operations = OperationSet(access.operations)
        dependsOnTenancies = access.dependsOnTenancies
    }

    var id: GuestAccessID { access.id }
    var window: GuestWindow { access.window }

    /// The time during which the access makes its devices visible to the guest.
    private var reach: Range<Int64> {
        let reachEnds = access.endsAt.advanced(by: GuestAccess.reachAfterEnd).milliseconds
        return access.createdAt.milliseconds..<max(access.createdAt.milliseconds, reachEnds)
    }

    /// The next instant after `instant` at which time alone changes a decision on the access or the visibility of its devices.
    func nextEdge(after instant: Timestamp, in directory: TenancyDirectory) -> Timestamp? {
        let reach = reach
        var edges = [reach.lowerBound, reach.upperBound].map(Timestamp.init(milliseconds:))
        // A revoked access is denied at every instant, so its window and its schedule change no decision.
        if !isRevoked {
            edges += [window.validFrom, window.validUntil]
            if window.contains(instant), let clock = directory.scheduleClock(of: self),
                let change = clock.nextChange(after: instant, before: window.validUntil)
            {
                edges.append(change)
            }
        }
        return edges.lazy.filter { $0 > instant }.min()
    }

    /// Whether the grantor, or a tenant who widened the access, has lost the tenancies that the access to a listed device depends
    /// on.
    func hasLostGrantor(of device: DeviceID, in directory: TenancyDirectory) -> Bool {
        guard dependsOnTenancies else { return false }
        return !access.isHeld(on: device) { directory.holders.slot(of: $0) != nil }
    }

    /// Whether the guest may know that a listed device exists: from the creation of the access until 30 days after its end. False
    /// if the device was moved to another portfolio, because the guest must not learn of the move.
    ///
    /// An untrusted clock may show a time before the creation; the access exists, so it has been created.
    func givesReach(to device: DeviceNode, at time: DecisionTime, in directory: TenancyDirectory) -> Bool {
        let (instant, reach) = (time.expiryInstant.milliseconds, reach)
        guard instant < reach.upperBound, instant >= reach.lowerBound || !time.isTrusted else { return false }
        guard let property = device.propertyID, property != access.propertyID else { return true }
        return directory.property(access.propertyID)?.portfolioID == device.portfolioID
    }
}

/// The guest accesses of one user: an entry for each device of each access, sorted by device and then by the access's id.
struct HeldGuestAccesses: Sendable {
    struct Entry: Sendable {
        let deviceID: DeviceID
        let node: GuestAccessNode
    }

    private(set) var entries: ContiguousArray<Entry> = []
    /// Accesses that list no device.
    private var empty = SortedIDs<GuestAccess>()

    /// The ids of all accesses without duplicates, ascending.
    var ids: [GuestAccessID] { Set(entries.map(\.node.id)).union(empty).sorted() }

    mutating func insert(_ node: GuestAccessNode) {
        let devices = Set(node.access.deviceIDs).sorted()
        guard devices.count > 1 else {
            guard let device = devices.first else { return empty.insert(node.id) }
            let index = entries.lowerBound { ($0.deviceID, $0.node.access.id) < (device, node.access.id) }
            return entries.insert(Entry(deviceID: device, node: node), at: index)
        }
        // Merge in one pass: inserting one entry at a time would move the user's other entries once for each device.
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

    /// The indices of the entries for a device, sorted by the access's id.
    func indices(on device: DeviceID) -> Range<Int> {
        if entries.isEmpty { return 0..<0 }
        let start = entries.lowerBound { $0.deviceID < device }
        var end = start
        while end < entries.count, entries[end].deviceID == device { end += 1 }
        return start..<end
    }
}

/// A filter that excludes most devices outside a set with one bit test.
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
