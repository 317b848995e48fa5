package import DoorwardDomain
internal import HashTreeCollections

/// The fields of a device that decisions need: its ids, capabilities and flags. A node has 72 bytes and contains no references.
///
/// A node is valid only with its own version of the directory, which also contains the device's other fields.
package struct DeviceNode: TableEntry {
    /// The id, which is the key of the node in the directory's table.
    package let id: DeviceID
    // These ids are not optional, because an optional id takes 24 bytes. `flags` indicates which of them are set.
    private let unit: UnitID
    private let property: PropertyID
    private let portfolio: PortfolioID
    let capabilities: LockCapabilities
    private var flags: Flags
    /// The index in `TenancyDirectory.sharing` of the units that share the device; valid if `hasSharingSlot` is set.
    private var sharing: UInt32 = 0

    private struct Flags: OptionSet {
        let rawValue: UInt8

        static let hasUnit = Self(rawValue: 1 << 0)
        static let hasProperty = Self(rawValue: 1 << 1)
        static let hasPortfolio = Self(rawValue: 1 << 2)
        static let isRemoteOperationEnabled = Self(rawValue: 1 << 3)
        static let isShared = Self(rawValue: 1 << 4)
        static let hasSharingSlot = Self(rawValue: 1 << 5)
    }

    /// Creates the node of a device that no unit shares yet.
    init(_ device: LockDevice) {
        id = device.id
        unit = device.unitID ?? UnitID(high: 0, low: 0)
        property = device.propertyID ?? PropertyID(high: 0, low: 0)
        portfolio = device.portfolioID ?? PortfolioID(high: 0, low: 0)
        capabilities = device.capabilities
        flags = [
            device.unitID == nil ? [] : .hasUnit,
            device.propertyID == nil ? [] : .hasProperty,
            device.portfolioID == nil ? [] : .hasPortfolio,
            device.isRemoteOperationEnabled ? .isRemoteOperationEnabled : [],
        ]
    }

    var unitID: UnitID? { flags.contains(.hasUnit) ? unit : nil }
    var propertyID: PropertyID? { flags.contains(.hasProperty) ? property : nil }
    var portfolioID: PortfolioID? { flags.contains(.hasPortfolio) ? portfolio : nil }
    /// False for a device without a property, which only super admins can see.
    var isAssigned: Bool { flags.contains(.hasProperty) }
    var isRemoteOperationEnabled: Bool { flags.contains(.isRemoteOperationEnabled) }
    /// Whether the tenants of at least one unit share the device.
    var isShared: Bool { flags.contains(.isShared) }
    var sharingSlot: Int? { flags.contains(.hasSharingSlot) ? Int(sharing) : nil }

    mutating func setSharing(slot: Int, isShared: Bool) {
        sharing = UInt32(slot)
        flags.insert(.hasSharingSlot)
        if isShared { flags.insert(.isShared) } else { flags.remove(.isShared) }
    }

    /// Whether tenants of `unit` may share this device if the unit lists it.
    func canBeShared(by unit: Unit) -> Bool { unitID == nil && propertyID == unit.propertyID }
}

/// A reference to a value that several versions of the directory share.
final class Box<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension Box: Equatable where Value: Equatable {
    static func == (a: Box, b: Box) -> Bool { a.value == b.value }
}

/// The fields of a device that decisions do not need. A `LockDevice` is assembled from a `DeviceNode` and these fields.
struct DeviceDetails: Sendable {
    private let name: String
    private let address: [String: JSONValue]
    private let metadata: [String: JSONValue]
    private let settings: LockSettings
    private let sealedCode: [UInt8]?
    private let createdAt: Timestamp
    private let updatedAt: Timestamp
    private let model: Box<DeviceModel>

    init(_ device: LockDevice, model: Box<DeviceModel>) {
        (name, address, metadata, settings) = (device.name, device.address, device.metadata, device.settings)
        (createdAt, updatedAt, self.model) = (device.createdAt, device.updatedAt, model)
        sealedCode = device.sealedCode
    }

    func device(_ node: DeviceNode) -> LockDevice {
        LockDevice(
            id: node.id, name: name, adapter: model.value.adapter, address: address, texts: model.value.texts,
            firmwareVersion: model.value.firmwareVersion, portfolioID: node.portfolioID,
            propertyID: node.propertyID, unitID: node.unitID, isRemoteOperationEnabled: node.isRemoteOperationEnabled,
            capabilities: node.capabilities, settings: settings, sealedCode: sealedCode, metadata: metadata,
            createdAt: createdAt, updatedAt: updatedAt)
    }
}

/// The fields that devices of the same model share.
struct DeviceModel: Hashable, Sendable {
    let adapter: String
    /// The texts that the device has.
    let texts: [DeviceText: String]
    let firmwareVersion: String?

    init(_ device: LockDevice) {
        (adapter, texts, firmwareVersion) = (device.adapter, device.texts, device.firmwareVersion)
    }
}

/// The values that were stored last. A new value that equals one of them is replaced by it, so that
/// equal device models, lists of common areas and lists of operations share memory.
struct RecentValues<Value: Equatable & Sendable>: Sendable {
    private static var capacity: Int { 16 }

    private var values: [Value] = []

    /// Returns an equal value that was stored recently. If there is none, stores and returns `value`.
    mutating func shared(_ value: Value) -> Value { shared(where: { $0 == value }, orElse: value) }

    /// Like the other function, for values that take longer to create than to compare.
    mutating func shared(where isEqual: (Value) -> Bool, orElse value: @autoclosure () -> Value) -> Value {
        if let known = values.last(where: isEqual) { return known }
        if values.count == Self.capacity { values.removeFirst() }
        let value = value()
        values.append(value)
        return value
    }
}

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
    func makesVisible(_ device: DeviceNode, at time: DecisionTime, in directory: TenancyDirectory) -> Bool {
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

/// A user's data for decisions: the user, their roles and their guest accesses, in as few blocks of memory as possible.
final class UserNode: Sendable {
    let isEnabled: Bool
    let isSuperAdmin: Bool
    /// Whether `user` is not `nil`. Every decision tests this flag, because reading `user` would copy the whole user.
    let isKnown: Bool
    let roles: HeldRoles
    /// A filter for the devices of the user's guest accesses. If the filter excludes a device, no guest access lists the device.
    let deviceFilter: DeviceFilter
    let guestAccesses: HeldGuestAccesses
    /// The user's id. Roles and guest accesses can refer to an id before the user is stored; `user` is then `nil`.
    let id: UserID
    /// The stored user; `nil` while only roles or guest accesses refer to the id. Decisions then treat the user as unknown.
    let user: User?

    init(id: UserID, user: User? = nil, roles: [HeldRole] = [], guestAccesses: HeldGuestAccesses = HeldGuestAccesses()) {
        (self.id, self.user, self.guestAccesses) = (id, user, guestAccesses)
        self.roles = HeldRoles(roles)
        deviceFilter = guestAccesses.deviceFilter
        isKnown = user != nil
        isEnabled = user?.isEnabled ?? false
        isSuperAdmin = user?.isSuperAdmin ?? false
    }

    /// - Parameter user: `nil` for a node that only has the roles and guest accesses that refer to the id.
    func replacing(user: User?) -> UserNode { UserNode(id: id, user: user, roles: roles.all, guestAccesses: guestAccesses) }

    func replacing(roles: [HeldRole]? = nil, guestAccesses: HeldGuestAccesses? = nil) -> UserNode {
        UserNode(id: id, user: user, roles: roles ?? self.roles.all, guestAccesses: guestAccesses ?? self.guestAccesses)
    }
}

/// A user in the table of users. The id is stored beside the node, so that a lookup reads no other user's node.
struct UserEntry: TableEntry {
    let id: UserID
    let node: UserNode

    init(node: UserNode) { (id, self.node) = (node.id, node) }
}
