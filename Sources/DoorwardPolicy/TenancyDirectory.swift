package import DoorwardDomain
internal import HashTreeCollections

/// The whole tenancy in memory: a value that decisions read while the next version is being made.
///
/// Copying costs nothing, and a change the logarithm of what there is, whatever the number of devices, users and
/// records: versions share all pages and branches that did not change. Children may be put before their parents; whatever is asked then
/// is denied until the parents are there.
package struct TenancyDirectory: Sendable {
    var portfolios: TreeDictionary<PortfolioID, Node<Portfolio>> = [:]
    var properties: TreeDictionary<PropertyID, Node<Property>> = [:]
    var units: TreeDictionary<UnitID, Node<Unit>> = [:]
    /// What decisions need of a device; the rest of it has the same slot in `deviceDetails`.
    var devices = EntityTable<DeviceNode>()
    var deviceDetails = Pages<DeviceDetails>()
    var recentMakes = RecentValues<Node<DeviceMake>>()
    var recentCommonAreas = RecentValues<[DeviceID]>()
    var recentOperations = RecentValues<[LockOperation]>()
    /// The units that share a device, at its `sharingSlot`.
    var sharing = Pages<SharingUnits>()
    /// Slots in `sharing` of devices that are no longer there.
    var freeSharingSlots: [Int] = []
    var users = EntityTable<UserEntry>()
    var guestAccesses: TreeDictionary<GuestAccessID, GuestAccessNode> = [:]

    /// Who holds an association.
    var holders: TreeDictionary<AssociationID, UserID> = [:]
    var holdersByEntity: TreeDictionary<AssociatedEntity, SortedIDs<User>> = [:]
    var usersByEmail: TreeDictionary<String, UserID> = [:]

    var propertiesByPortfolio: TreeDictionary<PortfolioID, TreeSet<PropertyID>> = [:]
    var unitsByProperty: TreeDictionary<PropertyID, TreeSet<UnitID>> = [:]
    var devicesByProperty: TreeDictionary<PropertyID, TreeSet<DeviceID>> = [:]
    var devicesByUnit: TreeDictionary<UnitID, SortedIDs<LockDevice>> = [:]
    var unassignedDevices: TreeSet<DeviceID> = []
    /// The units that list a device as a common area, whether or not it is one.
    var unitsByListedDevice: TreeDictionary<DeviceID, SortedIDs<Unit>> = [:]
    var guestAccessesByDevice: TreeDictionary<DeviceID, SortedIDs<GuestAccess>> = [:]
    var guestAccessesByProperty: TreeDictionary<PropertyID, TreeSet<GuestAccessID>> = [:]

    /// How many changes led to this version. A `Subject` of another version is not valid here.
    var version: UInt64 = 0

    /// How many users are super admins, disabled ones too.
    package internal(set) var superAdminCount = 0
    /// How many users there are, disabled ones too.
    package internal(set) var userCount = 0

    /// Nothing and nobody: every question is denied.
    package init() {}

    /// How many devices there are, unassigned ones too.
    package var deviceCount: Int { devices.count }

    /// `nil` when there is none. Whether anybody may know of it is not asked here.
    package func portfolio(_ id: PortfolioID) -> Portfolio? { portfolios[id]?.value }
    /// Also while its portfolio is not there yet; `nil` when there is none.
    package func property(_ id: PropertyID) -> Property? { properties[id]?.value }
    /// Also while its property is not there yet; `nil` when there is none.
    package func unit(_ id: UnitID) -> Unit? { units[id]?.value }
    /// Put together anew for each call; decisions go by `resolve`.
    package func device(_ id: DeviceID) -> LockDevice? {
        devices.slot(of: id).map { deviceDetails[$0].device(devices[slot: $0]) }
    }
    /// `nil` also for somebody of whom only roles or guest accesses are known.
    package func user(_ id: UserID) -> User? { users[id]?.node.user }
    /// Also a revoked or ended one.
    package func guestAccess(_ id: GuestAccessID) -> GuestAccess? { guestAccesses[id]?.access }

    /// `nil` once it was removed.
    package func association(_ id: AssociationID) -> UserRoleAssociation? {
        guard let holder = holders[id] else { return nil }
        return users[holder]?.node.roles.all.first { $0.id == id }?.association(of: holder)
    }

    /// The user of an address; upper and lower case are one.
    package func user(email: String) -> User? { usersByEmail[Self.emailKey(email)].flatMap(user) }

    /// What a decision needs of a device. The node belongs to this version of the directory.
    package func resolve(_ id: DeviceID) -> DeviceNode? { devices[id] }

    static func emailKey(_ email: String) -> String { email.lowercased() }
}
