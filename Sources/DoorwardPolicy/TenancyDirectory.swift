package import DoorwardDomain
internal import HashTreeCollections

/// The whole tenancy in memory. The directory is a value, so decisions can read one version while the next one is created.
///
/// Copying costs nothing, and the cost of a change is logarithmic in the size of the directory, because versions share all memory
/// that did not change. Children may be added before their parents; requests for them are denied until the parents are added.
package struct TenancyDirectory: Sendable {
    var portfolios: TreeDictionary<PortfolioID, Box<Portfolio>> = [:]
    var properties: TreeDictionary<PropertyID, Box<Property>> = [:]
    var units: TreeDictionary<UnitID, Box<Unit>> = [:]
    /// The fields of devices that decisions need. The other fields of a device are in `deviceDetails`, at the same slot.
    var devices = EntityTable<DeviceNode>()
    var deviceDetails = PersistentArray<DeviceDetails>()
    var recentModels = RecentValues<Box<DeviceModel>>()
    var recentCommonAreas = RecentValues<[DeviceID]>()
    var recentOperations = RecentValues<[LockOperation]>()
    var recentSchedules = RecentValues<ScheduleHours>()
    /// The units that share each device, at the index `sharingSlot` of the device.
    var sharing = PersistentArray<CommonAreaUnits>()
    /// The free slots in `sharing`, which belonged to removed devices.
    var freeSharingSlots: [Int] = []
    var users = EntityTable<UserEntry>()
    /// The ids of users who were removed.
    var removedUsers: TreeSet<UserID> = []
    /// The super admins, including disabled ones.
    var superAdmins: TreeSet<UserID> = []
    var guestAccesses: TreeDictionary<GuestAccessID, GuestAccessNode> = [:]
    var apiKeys: TreeDictionary<APIKeyID, APIKeyNode> = [:]
    var invitations: TreeDictionary<InvitationID, Box<Invitation>> = [:]
    var guestLinks: TreeDictionary<GuestAccessID, GuestLink> = [:]

    /// The user of each association. A decision on an access that a tenant granted looks the tenant's association up here.
    var holders = EntityTable<AssociationHolder>()
    var holdersByEntity: TreeDictionary<AssociatedEntity, SortedIDs<User>> = [:]
    var usersByEmail: TreeDictionary<String, UserID> = [:]

    var propertiesByPortfolio: TreeDictionary<PortfolioID, TreeSet<PropertyID>> = [:]
    var unitsByProperty: TreeDictionary<PropertyID, TreeSet<UnitID>> = [:]
    var devicesByProperty: TreeDictionary<PropertyID, TreeSet<DeviceID>> = [:]
    var devicesByUnit: TreeDictionary<UnitID, SortedIDs<LockDevice>> = [:]
    /// The units that list a device as a common area, whether or not they may share it.
    var unitsByListedDevice: TreeDictionary<DeviceID, SortedIDs<Unit>> = [:]
    var guestAccessesByDevice: TreeDictionary<DeviceID, SortedIDs<GuestAccess>> = [:]
    var guestAccessesByProperty: TreeDictionary<PropertyID, TreeSet<GuestAccessID>> = [:]
    var apiKeysByUser: TreeDictionary<UserID, SortedIDs<APIKey>> = [:]
    var apiKeysByEntity: TreeDictionary<AssociatedEntity, SortedIDs<APIKey>> = [:]
    var apiKeysByPortfolio: TreeDictionary<PortfolioID, SortedIDs<APIKey>> = [:]
    var invitationsByDigest: TreeDictionary<[UInt8], InvitationID> = [:]
    var invitationsByMaker: TreeDictionary<UserID, TreeSet<InvitationID>> = [:]
    var guestLinksByDigest: TreeDictionary<[UInt8], GuestAccessID> = [:]
    /// By address in lower case.
    var invitationsByEmail: TreeDictionary<String, SortedIDs<Invitation>> = [:]
    var invitationsByEntity: TreeDictionary<AssociatedEntity, SortedIDs<Invitation>> = [:]

    /// The properties under lockdown. Decisions read this set instead of a flag of each device, so that starting a lockdown does
    /// not change every device of the property, and so that it also applies to a device that is moved into the property. The set is nearly
    /// always empty.
    var lockedDownProperties: TreeSet<PropertyID> = []
    /// The portfolios whose subscription does not include guest accesses; nearly always empty.
    var portfoliosWithoutGuestAccess: TreeSet<PortfolioID> = []

    /// The default zone of each property that has one which the system knows. Schedules without a zone of their own use it.
    var zonesByProperty: TreeDictionary<PropertyID, TimeZoneRules> = [:]
    /// The source of the zones of schedules and properties.
    let zones: TimeZoneDatabase
    /// The taken uses of guest accesses. Unlike everything else here they are shared by all versions; see `GuestUseCounts`.
    package var useCounts = GuestUseCounts()

    /// The number of changes that led to this version. A `Subject` of another version is not valid here.
    var version: UInt64 = 0

    /// The number of users, including disabled ones.
    package internal(set) var userCount = 0

    /// An empty directory: every request is denied.
    ///
    /// - Parameter zones: the zones of schedules. A schedule with a zone that is not among them denies.
    package init(zones: TimeZoneDatabase = .system) { self.zones = zones }

    /// The number of devices, including unassigned ones.
    package var deviceCount: Int { devices.count }

    /// The portfolio with this id; `nil` if there is none. Visibility is not checked here.
    package func portfolio(_ id: PortfolioID) -> Portfolio? { portfolios[id]?.value }
    /// The property with this id, even if its portfolio does not exist yet; `nil` if there is no such property.
    package func property(_ id: PropertyID) -> Property? { properties[id]?.value }
    /// The unit with this id, even if its property does not exist yet; `nil` if there is no such unit.
    package func unit(_ id: UnitID) -> Unit? { units[id]?.value }
    /// The device with this id; `nil` if there is none. Each call assembles the device, so decisions use `resolve` instead.
    package func device(_ id: DeviceID) -> LockDevice? {
        devices.slot(of: id).map { deviceDetails[$0].device(devices[slot: $0]) }
    }
    /// The user with this id; `nil` if there is none, even if roles or guest accesses refer to the id.
    package func user(_ id: UserID) -> User? { users[id]?.node.user }
    /// Whether there was a user with this id, who has been removed. No other user gets the id.
    package func isRemoved(_ id: UserID) -> Bool { removedUsers.contains(id) }
    /// The guest access with this id, even if it is revoked or has ended.
    package func guestAccess(_ id: GuestAccessID) -> GuestAccess? { guestAccesses[id]?.access }

    /// The association with this id; `nil` if there is none, or if it was removed.
    package func association(_ id: AssociationID) -> UserRoleAssociation? {
        guard let holder = holders[id]?.userID else { return nil }
        return users[holder]?.node.roles.all.first { $0.id == id }?.association(of: holder)
    }

    /// The user with an email address, compared without case.
    package func user(email: String) -> User? { usersByEmail[Self.emailKey(email)].flatMap(user) }

    /// The fields of a device that a decision needs. The node belongs to this version of the directory.
    package func resolve(_ id: DeviceID) -> DeviceNode? { devices[id] }

    static func emailKey(_ email: String) -> String { email.lowercased() }
}

// Lists are in ascending order of ids. A list of n elements takes time O(n log n), independent of the size of the directory.
extension TenancyDirectory {
    /// All portfolios of the gateway. Those that one subject may read are in `SecurityService.visiblePortfolioIDs`.
    package var portfolioIDs: [PortfolioID] { portfolios.keys.sorted() }
    /// The properties of all portfolios, including those whose portfolio does not exist yet.
    package var propertyIDs: [PropertyID] { properties.keys.sorted() }
    /// The units of all properties, including those whose property does not exist yet.
    package var unitIDs: [UnitID] { units.keys.sorted() }
    /// The devices of all properties, and the unassigned ones.
    package var deviceIDs: [DeviceID] { devices.ids.sorted() }
    /// The ids for which there is a `User`, including those of disabled users.
    package var userIDs: [UserID] { users.lazy.map(\.node).filter(\.isKnown).map(\.id).sorted() }
    /// The super admins, including disabled ones.
    package var superAdminIDs: [UserID] { superAdmins.sorted() }
    /// All guest accesses, including ended ones.
    package var guestAccessIDs: [GuestAccessID] { guestAccesses.keys.sorted() }

    /// The properties of a portfolio; empty for an unknown portfolio.
    package func propertyIDs(of portfolio: PortfolioID) -> [PropertyID] { propertiesByPortfolio[portfolio]?.sorted() ?? [] }
    /// The units of a property; empty for an unknown property.
    package func unitIDs(of property: PropertyID) -> [UnitID] { unitsByProperty[property]?.sorted() ?? [] }

    /// All devices of a property, including those of its units.
    package func deviceIDs(of property: PropertyID) -> [DeviceID] { devicesByProperty[property]?.sorted() ?? [] }

    /// The devices attached to a unit. The devices that the unit shares are in its `commonAreaAccessIDs`.
    package func deviceIDs(of unit: UnitID) -> [DeviceID] { devicesByUnit[unit].map(Array.init) ?? [] }

    /// The role associations of a user, by id.
    package func associations(of user: UserID) -> [UserRoleAssociation] {
        (users[user]?.node.roles.all.map { $0.association(of: user) } ?? []).sorted { $0.id < $1.id }
    }

    /// The role associations on an entity itself, not above or below it; by id.
    package func associations(on entity: AssociatedEntity) -> [UserRoleAssociation] {
        let holders = holdersByEntity[entity] ?? SortedIDs()
        return holders.flatMap { user in
            users[user]?.node.roles.held(on: entity).map { $0.association(of: user) } ?? []
        }.sorted { $0.id < $1.id }
    }

    /// The guest accesses of a user, including ended ones.
    package func guestAccesses(of user: UserID) -> [GuestAccess] {
        users[user]?.node.guestAccesses.ids.compactMap(guestAccess) ?? []
    }

    /// The accesses that list a device, including ended ones.
    package func guestAccesses(on device: DeviceID) -> [GuestAccess] {
        guestAccessesByDevice[device]?.compactMap(guestAccess) ?? []
    }

    /// The accesses of a property, including ended ones.
    package func guestAccesses(in property: PropertyID) -> [GuestAccess] {
        guestAccessesByProperty[property]?.sorted().compactMap(guestAccess) ?? []
    }

    /// The accesses that a tenant's association granted or widened, including ended ones: they depend on it for at least one device.
    package func guestAccesses(carriedBy association: UserRoleAssociation) -> [GuestAccess] {
        guard association.role == .tenant, case .unit(let id) = association.entity, let property = unit(id)?.propertyID else {
            return []
        }
        return guestAccesses(in: property).filter {
            $0.widenedUnder.contains(association.id) || $0.grantedUnderRole == .tenant && $0.carriers.contains(association.id)
        }
    }

    /// The next instant after `instant` at which time alone changes the rights of an access: its window or hours of its schedule
    /// begin or end, or its devices become visible or invisible to the guest. `nil` if there is no such instant.
    package func nextEdge(of access: GuestAccessID, after instant: Timestamp) -> Timestamp? {
        guestAccesses[access]?.nextEdge(after: instant, in: self)
    }

    /// Calls `body` with each access for which `nextEdge` returns an instant, and with that instant.
    package func forEachNextEdge(after instant: Timestamp, _ body: (GuestAccessID, Timestamp) -> Void) {
        for node in guestAccesses.values { if let edge = node.nextEdge(after: instant, in: self) { body(node.id, edge) } }
    }

    /// The units that list a device among their `commonAreaAccessIDs`.
    package func unitsSharing(_ device: DeviceID) -> [UnitID] { unitsByListedDevice[device].map(Array.init) ?? [] }
}

// Common areas: devices that are attached to no unit, and shared by the tenants of the units that list them.
extension TenancyDirectory {
    /// The units that share a device: they list it as a common area, and the device is attached to their property and to no unit.
    func sharingUnits(of device: DeviceNode) -> CommonAreaUnits { device.sharingSlot.map { sharing[$0] } ?? CommonAreaUnits() }

    /// Calls `body` with each role that a user holds on the units that share a device, in no
    /// defined order. Iterates over the user's roles or over the units, whichever are fewer.
    @inline(__always)
    func forEachCommonAreaRole(of user: UserNode, on device: DeviceNode, _ body: (HeldRole) -> Void) {
        guard device.isShared, let slot = device.sharingSlot else { return }
        let units = sharing[slot]
        if units.ids.count < user.roles.count {
            for unit in units.ids {
                for index in user.roles.indices(on: unit.cast(), .unit) { body(user.roles[index]) }
            }
        } else {
            for index in 0..<user.roles.count {
                guard units.mayContain(user.roles.key(index)) else { continue }
                let held = user.roles[index]
                if case .unit = held.type, units.contains(held.entityID.cast()) { body(held) }
            }
        }
    }

    /// Adds a unit to the units that share a device, or removes it.
    mutating func share(_ id: DeviceID, by unit: Unit, isListed: Bool) {
        guard var device = devices[id] else { return }
        let isShared = isListed && device.canBeShared(by: unit)
        var units = sharingUnits(of: device)
        guard units.contains(unit.id) != isShared else { return }
        if isShared { units.insert(unit.id) } else { units.remove(unit.id) }
        keep(units, for: &device, in: device.sharingSlot)
        devices.put(device)
    }

    /// Stores `units`, the units that share the device, at `slot` of `sharing`; without a slot, at a free or new one.
    mutating func keep(_ units: CommonAreaUnits, for device: inout DeviceNode, in slot: Int?) {
        let known = slot ?? freeSharingSlots.popLast()
        if let known { sharing[known] = units } else { sharing.append(units) }
        device.setSharing(slot: known ?? sharing.count - 1, isShared: !units.isEmpty)
    }

    /// The units that share `device` after it has replaced `old`.
    func sharingUnits(of device: DeviceNode, before old: DeviceNode?) -> CommonAreaUnits {
        if let old, old.propertyID == device.propertyID, old.unitID == device.unitID { return sharingUnits(of: old) }
        guard let listing = unitsByListedDevice[device.id] else { return CommonAreaUnits() }
        return CommonAreaUnits(SortedIDs(listing.filter { id in units[id].map { device.canBeShared(by: $0.value) } ?? false }))
    }
}

extension TenancyDirectory {
    /// The number of objects of a portfolio that count towards a limit. The cost depends on the number of the portfolio's properties
    /// and, for guest accesses, on the number of these.
    ///
    /// - Parameter instant: determines which guest accesses have ended.
    package func usage(of limit: SubscriptionLimit, in portfolio: PortfolioID, at instant: Timestamp) -> Int {
        let properties = propertiesByPortfolio[portfolio] ?? []
        return switch limit {
        case .maxProperties: properties.count
        case .maxUnits: properties.reduce(0) { $0 + (unitsByProperty[$1]?.count ?? 0) }
        case .maxDevices: properties.reduce(0) { $0 + (devicesByProperty[$1]?.count ?? 0) }
        case .maxActiveGuestAccess:
            properties.reduce(0) { count, property in
                count
                    + (guestAccessesByProperty[property] ?? []).count { id in
                        guestAccesses[id].map { instant < $0.access.endsAt } ?? false
                    }
            }
        }
    }
}

/// The units whose tenants share one device. A filter excludes most other units with one memory access.
struct CommonAreaUnits: Sendable {
    private(set) var ids = SortedIDs<Unit>()
    /// A bit for each unit, at the position given by the last bits of its id.
    private var filter = SIMD8<UInt64>()

    init(_ ids: SortedIDs<Unit> = SortedIDs()) {
        for id in ids { insert(id) }
    }

    var isEmpty: Bool { ids.isEmpty }

    @inline(__always)
    func contains(_ id: UnitID) -> Bool {
        mayContain(id.low) && ids.contains(id)
    }

    /// Whether a unit whose id has this low half may be in the set. If `false`, no such unit is in
    /// the set; if `true`, there need not be one.
    @inline(__always)
    func mayContain(_ low: UInt64) -> Bool { filter[Self.word(of: low)] & Self.bit(of: low) != 0 }

    mutating func insert(_ id: UnitID) {
        ids.insert(id)
        filter[Self.word(of: id.low)] |= Self.bit(of: id.low)
    }

    mutating func remove(_ id: UnitID) {
        var left = ids
        left.remove(id)
        self = Self(left)
    }

    @inline(__always)
    private static func word(of low: UInt64) -> Int { Int(truncatingIfNeeded: low >> 6 & 7) }

    @inline(__always)
    private static func bit(of low: UInt64) -> UInt64 { 1 << (low & 63) }
}
