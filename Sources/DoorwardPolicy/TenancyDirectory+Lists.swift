package import DoorwardDomain
internal import HashTreeCollections

// Lists are in ascending order of ids, and cost what they hold (times its logarithm), not what there is.
extension TenancyDirectory {
    /// Of the whole gateway: what one user may read is `SecurityService.visiblePortfolioIDs`.
    package var portfolioIDs: [PortfolioID] { portfolios.keys.sorted() }
    /// Of every portfolio; also a property whose portfolio is not there yet.
    package var propertyIDs: [PropertyID] { properties.keys.sorted() }
    /// Of every property; also a unit whose property is not there yet.
    package var unitIDs: [UnitID] { units.keys.sorted() }
    /// Of every property, and those that hang on none.
    package var deviceIDs: [DeviceID] { devices.ids.sorted() }
    /// Those of whom there is a `User`, disabled ones too.
    package var userIDs: [UserID] { users.lazy.map(\.node).filter(\.isKnown).map(\.id).sorted() }
    /// Ended ones too.
    package var guestAccessIDs: [GuestAccessID] { guestAccesses.keys.sorted() }
    /// The devices that hang on no property.
    package var unassignedDeviceIDs: [DeviceID] { unassignedDevices.sorted() }

    /// Empty for a portfolio without properties and for an unknown one alike.
    package func propertyIDs(of portfolio: PortfolioID) -> [PropertyID] { propertiesByPortfolio[portfolio]?.sorted() ?? [] }
    /// Empty for a property without units and for an unknown one alike.
    package func unitIDs(of property: PropertyID) -> [UnitID] { unitsByProperty[property]?.sorted() ?? [] }

    /// All devices of a property, those on its units too.
    package func deviceIDs(of property: PropertyID) -> [DeviceID] { devicesByProperty[property]?.sorted() ?? [] }

    /// The devices that hang on a unit; what it shares is in its `commonAreaAccessIDs`.
    package func deviceIDs(of unit: UnitID) -> [DeviceID] { devicesByUnit[unit].map(Array.init) ?? [] }

    /// What a user holds, by id.
    package func associations(of user: UserID) -> [UserRoleAssociation] {
        (users[user]?.node.roles.all.map { $0.association(of: user) } ?? []).sorted { $0.id < $1.id }
    }

    /// What is held on an entity itself, not above or below it; by id.
    package func associations(on entity: AssociatedEntity) -> [UserRoleAssociation] {
        let holders = holdersByEntity[entity] ?? SortedIDs()
        return holders.flatMap { user in
            users[user]?.node.roles.held(on: entity).map { $0.association(of: user) } ?? []
        }.sorted { $0.id < $1.id }
    }

    /// The accesses of which a user is the guest, ended ones too.
    package func guestAccesses(of user: UserID) -> [GuestAccess] {
        users[user]?.node.guestAccesses.ids.compactMap(guestAccess) ?? []
    }

    /// The accesses that list a device, ended ones too.
    package func guestAccesses(on device: DeviceID) -> [GuestAccess] {
        guestAccessesByDevice[device]?.compactMap(guestAccess) ?? []
    }

    /// The accesses of a property, ended ones too.
    package func guestAccesses(in property: PropertyID) -> [GuestAccess] {
        guestAccessesByProperty[property]?.sorted().compactMap(guestAccess) ?? []
    }

    /// The accesses whose devices were carried by a tenant's association, and are denied without it; ended ones too.
    package func guestAccesses(carriedBy association: UserRoleAssociation) -> [GuestAccess] {
        guard association.role == .tenant, case .unit(let id) = association.entity, let property = unit(id)?.propertyID else {
            return []
        }
        return guestAccesses(in: property).filter {
            $0.grantedUnderRole == .tenant && $0.carriers.contains(association.id)
        }
    }

    /// The next instant after `instant` at which time alone changes what an access gives: its window begins or ends, or its guest may
    /// no longer know of the devices. `nil` where there is none.
    package func nextEdge(of access: GuestAccessID, after instant: Timestamp) -> Timestamp? {
        guestAccesses[access]?.nextEdge(after: instant)
    }

    /// Calls `body` with each access that has an edge after `instant`, and the next one.
    package func forEachNextEdge(after instant: Timestamp, _ body: (GuestAccessID, Timestamp) -> Void) {
        for node in guestAccesses.values { if let edge = node.nextEdge(after: instant) { body(node.id, edge) } }
    }

    /// The units that list a device among their `commonAreaAccessIDs`.
    package func unitsSharing(_ device: DeviceID) -> [UnitID] { unitsByListedDevice[device].map(Array.init) ?? [] }
}
