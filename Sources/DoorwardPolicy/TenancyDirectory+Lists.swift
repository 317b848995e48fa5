package import DoorwardDomain
internal import HashTreeCollections

// Lists are in ascending order of ids. Their cost depends on their own length (times its logarithm), not on the size of the directory.
extension TenancyDirectory {
    /// All portfolios of the gateway. Those that one subject may read are in `SecurityService.visiblePortfolioIDs`.
    package var portfolioIDs: [PortfolioID] { portfolios.keys.sorted() }
    /// The properties of all portfolios, including those whose portfolio does not exist yet.
    package var propertyIDs: [PropertyID] { properties.keys.sorted() }
    /// The units of all properties, including those whose property does not exist yet.
    package var unitIDs: [UnitID] { units.keys.sorted() }
    /// The devices of all properties, and the unassigned ones.
    package var deviceIDs: [DeviceID] { devices.ids.sorted() }
    /// The ids that have a `User`, including disabled ones.
    package var userIDs: [UserID] { users.lazy.map(\.node).filter(\.isKnown).map(\.id).sorted() }
    /// All guest accesses, including ended ones.
    package var guestAccessIDs: [GuestAccessID] { guestAccesses.keys.sorted() }
    /// The devices that are attached to no property.
    package var unassignedDeviceIDs: [DeviceID] { unassignedDevices.sorted() }

    /// Empty for a portfolio without properties, and for an unknown one.
    package func propertyIDs(of portfolio: PortfolioID) -> [PropertyID] { propertiesByPortfolio[portfolio]?.sorted() ?? [] }
    /// Empty for a property without units, and for an unknown one.
    package func unitIDs(of property: PropertyID) -> [UnitID] { unitsByProperty[property]?.sorted() ?? [] }

    /// All devices of a property, including those of its units.
    package func deviceIDs(of property: PropertyID) -> [DeviceID] { devicesByProperty[property]?.sorted() ?? [] }

    /// The devices attached to a unit; the devices that it shares are in its `commonAreaAccessIDs`.
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

    /// The accesses whose guest is a user, including ended ones.
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

    /// The accesses that depend on a tenant's association for at least one device, including ended ones.
    package func guestAccesses(carriedBy association: UserRoleAssociation) -> [GuestAccess] {
        guard association.role == .tenant, case .unit(let id) = association.entity, let property = unit(id)?.propertyID else {
            return []
        }
        return guestAccesses(in: property).filter {
            $0.grantedUnderRole == .tenant && $0.carriers.contains(association.id)
        }
    }

    /// The next instant after `instant` at which time alone changes the rights of an access: its window begins or ends, or its
    /// devices become or cease to be visible to its guest. `nil` if there is none.
    package func nextEdge(of access: GuestAccessID, after instant: Timestamp) -> Timestamp? {
        guestAccesses[access]?.nextEdge(after: instant)
    }

    /// Calls `body` with each access that has such an instant after `instant`, and with the next one.
    package func forEachNextEdge(after instant: Timestamp, _ body: (GuestAccessID, Timestamp) -> Void) {
        for node in guestAccesses.values { if let edge = node.nextEdge(after: instant) { body(node.id, edge) } }
    }

    /// The units that list a device among their `commonAreaAccessIDs`.
    package func unitsSharing(_ device: DeviceID) -> [UnitID] { unitsByListedDevice[device].map(Array.init) ?? [] }
}
