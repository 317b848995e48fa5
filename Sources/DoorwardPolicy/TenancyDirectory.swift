package import DoorwardDomain
internal import HashTreeCollections

/// The whole tenancy in memory. It is a value, so decisions can read one version while the next one is being made.
///
/// Copying costs nothing, and a change costs the logarithm of the size, whatever the number of devices, users and records: versions
/// share all pages and branches that did not change. Children may be put before their parents; until the parents are there, requests
/// for the children are denied.
package struct TenancyDirectory: Sendable {
    var portfolios: TreeDictionary<PortfolioID, Box<Portfolio>> = [:]
    var properties: TreeDictionary<PropertyID, Box<Property>> = [:]
    var units: TreeDictionary<UnitID, Box<Unit>> = [:]
    /// The fields of devices that decisions need; the other fields have the same slot in `deviceDetails`.
    var devices = EntityTable<DeviceNode>()
    var deviceDetails = PersistentArray<DeviceDetails>()
    var recentMakes = RecentValues<Box<DeviceModel>>()
    var recentCommonAreas = RecentValues<[DeviceID]>()
    var recentOperations = RecentValues<[LockOperation]>()
    /// The units that share a device, at its `sharingSlot`.
    var sharing = PersistentArray<CommonAreaUnits>()
    /// Slots in `sharing` of removed devices.
    var freeSharingSlots: [Int] = []
    var users = EntityTable<UserEntry>()
    var guestAccesses: TreeDictionary<GuestAccessID, GuestAccessNode> = [:]

    /// The user of each association.
    var holders: TreeDictionary<AssociationID, UserID> = [:]
    var holdersByEntity: TreeDictionary<AssociatedEntity, SortedIDs<User>> = [:]
    var usersByEmail: TreeDictionary<String, UserID> = [:]

    var propertiesByPortfolio: TreeDictionary<PortfolioID, TreeSet<PropertyID>> = [:]
    var unitsByProperty: TreeDictionary<PropertyID, TreeSet<UnitID>> = [:]
    var devicesByProperty: TreeDictionary<PropertyID, TreeSet<DeviceID>> = [:]
    var devicesByUnit: TreeDictionary<UnitID, SortedIDs<LockDevice>> = [:]
    var unassignedDevices: TreeSet<DeviceID> = []
    /// The units that list a device as a common area, whether or not they may share it.
    var unitsByListedDevice: TreeDictionary<DeviceID, SortedIDs<Unit>> = [:]
    var guestAccessesByDevice: TreeDictionary<DeviceID, SortedIDs<GuestAccess>> = [:]
    var guestAccessesByProperty: TreeDictionary<PropertyID, TreeSet<GuestAccessID>> = [:]

    /// The number of changes that led to this version. A `Subject` of another version is not valid here.
    var version: UInt64 = 0

    /// The number of super admins, including disabled ones.
    package internal(set) var superAdminCount = 0
    /// The number of users, including disabled ones.
    package internal(set) var userCount = 0

    /// An empty directory: every request is denied.
    package init() {}

    /// The number of devices, including unassigned ones.
    package var deviceCount: Int { devices.count }

    /// `nil` if there is none. Visibility is not checked here.
    package func portfolio(_ id: PortfolioID) -> Portfolio? { portfolios[id]?.value }
    /// Also returns a property whose portfolio does not exist yet; `nil` if there is none.
    package func property(_ id: PropertyID) -> Property? { properties[id]?.value }
    /// Also returns a unit whose property does not exist yet; `nil` if there is none.
    package func unit(_ id: UnitID) -> Unit? { units[id]?.value }
    /// Assembles a new value for each call; decisions use `resolve`.
    package func device(_ id: DeviceID) -> LockDevice? {
        devices.slot(of: id).map { deviceDetails[$0].device(devices[slot: $0]) }
    }
    /// `nil` also for an id that is known only from roles or guest accesses.
    package func user(_ id: UserID) -> User? { users[id]?.node.user }
    /// Also returns a revoked or ended one.
    package func guestAccess(_ id: GuestAccessID) -> GuestAccess? { guestAccesses[id]?.access }

    /// `nil` if it was removed.
    package func association(_ id: AssociationID) -> UserRoleAssociation? {
        guard let holder = holders[id] else { return nil }
        return users[holder]?.node.roles.all.first { $0.id == id }?.association(of: holder)
    }

    /// The user with an email address, compared without case.
    package func user(email: String) -> User? { usersByEmail[Self.emailKey(email)].flatMap(user) }

    /// The fields of a device that a decision needs. The node belongs to this version of the directory.
    package func resolve(_ id: DeviceID) -> DeviceNode? { devices[id] }

    static func emailKey(_ email: String) -> String { email.lowercased() }
}
