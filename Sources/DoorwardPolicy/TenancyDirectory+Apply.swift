internal import DoorwardDomain
internal import HashTreeCollections

extension TenancyDirectory {
    /// Takes one change in. What a change does not mention stays: a user keeps what they hold, a unit its tenants.
    package mutating func apply(_ change: TenancyChange) {
        switch change {
        case .putPortfolio(let portfolio): portfolios[portfolio.id] = Node(portfolio)
        case .putProperty(let property): put(property)
        case .putUnit(let unit): put(unit)
        case .putDevice(let device): put(device)
        case .putUser(let user): put(user)
        case .putAssociation(let association): put(association)
        case .removeAssociation(let id): removeAssociation(id)
        case .putGuestAccess(let access): put(access)
        }
    }

    private mutating func put(_ property: Property) {
        if let old = properties[property.id]?.value, old.portfolioID != property.portfolioID {
            propertiesByPortfolio[old.portfolioID, default: []].remove(property.id)
        }
        propertiesByPortfolio[property.portfolioID, default: []].insert(property.id)
        properties[property.id] = Node(property)
    }

    private mutating func put(_ unit: Unit) {
        let old = units[unit.id]?.value
        if let old, old.propertyID != unit.propertyID {
            unitsByProperty[old.propertyID, default: []].remove(unit.id)
        }
        unitsByProperty[unit.propertyID, default: []].insert(unit.id)
        units[unit.id] = Node(unit)
        for device in old?.commonAreaAccessIDs ?? [] where !unit.commonAreaAccessIDs.contains(device) {
            unitsByListedDevice[device]?.remove(unit.id)
            share(device, by: unit, isListed: false)
        }
        for device in unit.commonAreaAccessIDs {
            unitsByListedDevice[device, default: SortedIDs()].insert(unit.id)
            share(device, by: unit, isListed: true)
        }
    }

    /// Brings a device's own list of sharing units up to date with one unit.
    private mutating func share(_ device: DeviceID, by unit: Unit, isListed: Bool) {
        guard let node = devices[device] else { return }
        let isShared = isListed && node.canBeShared(by: unit)
        guard node.sharingUnits.contains(unit.id) != isShared else { return }
        var sharing = node.sharingUnits
        if isShared { sharing.insert(unit.id) } else { sharing.remove(unit.id) }
        devices[device] = DeviceNode(node.device, sharingUnits: sharing)
    }

    private mutating func put(_ device: LockDevice) {
        let old = devices[device.id]
        devices[device.id] = DeviceNode(device, sharingUnits: sharingUnits(of: device, before: old))
        if let property = old?.device.propertyID, property != device.propertyID {
            devicesByProperty[property, default: []].remove(device.id)
        }
        if let unit = old?.device.unitID, unit != device.unitID {
            devicesByUnit[unit, default: SortedIDs()].remove(device.id)
        }
        if let property = device.propertyID {
            devicesByProperty[property, default: []].insert(device.id)
            unassignedDevices.remove(device.id)
        } else {
            unassignedDevices.insert(device.id)
        }
        if let unit = device.unitID { devicesByUnit[unit, default: SortedIDs()].insert(device.id) }
    }

    private func sharingUnits(of device: LockDevice, before old: DeviceNode?) -> SortedIDs<Unit> {
        if let old, old.device.propertyID == device.propertyID, old.device.unitID == device.unitID { return old.sharingUnits }
        guard let listing = unitsByListedDevice[device.id] else { return SortedIDs() }
        let node = DeviceNode(device, sharingUnits: SortedIDs())
        return SortedIDs(listing.filter { id in units[id].map { node.canBeShared(by: $0.value) } ?? false })
    }

    private mutating func put(_ user: User) {
        let node = users[user.id] ?? UserNode(id: user.id)
        if let old = node.user {
            superAdminCount -= old.isSuperAdmin ? 1 : 0
            let key = Self.emailKey(old.email)
            if usersByEmail[key] == user.id { usersByEmail[key] = nil }
        } else {
            userCount += 1
        }
        superAdminCount += user.isSuperAdmin ? 1 : 0
        usersByEmail[Self.emailKey(user.email)] = user.id
        users[user.id] = node.replacing(user: user)
    }

    private mutating func put(_ association: UserRoleAssociation) {
        removeAssociation(association.id)
        let node = users[association.userID] ?? UserNode(id: association.userID)
        users[association.userID] = node.replacing(roles: node.roles.all + [HeldRole(association)])
        holders[association.id] = association.userID
        holdersByEntity[association.entity, default: SortedIDs()].insert(association.userID)
    }

    private mutating func removeAssociation(_ id: AssociationID) {
        guard let holder = holders[id], let node = users[holder], let held = node.roles.all.first(where: { $0.id == id })
        else { return }
        let left = node.replacing(roles: node.roles.all.filter { $0.id != id })
        users[holder] = left
        holders[id] = nil
        if !left.roles.holdsAny(on: held.entity) { holdersByEntity[held.entity]?.remove(holder) }
    }

    private mutating func put(_ access: GuestAccess) {
        if let old = guestAccesses[access.id]?.access { unlist(old) }
        let node = GuestAccessNode(access)
        guestAccesses[access.id] = node
        guestAccessesByProperty[access.propertyID, default: []].insert(access.id)
        for device in access.deviceIDs { guestAccessesByDevice[device, default: SortedIDs()].insert(access.id) }
        guard let guest = access.guestUserID else { return }
        let holder = users[guest] ?? UserNode(id: guest)
        var held = holder.guestAccesses
        held.insert(node)
        users[guest] = holder.replacing(guestAccesses: held)
    }

    /// Takes an access out of all that points at it.
    private mutating func unlist(_ access: GuestAccess) {
        guestAccessesByProperty[access.propertyID]?.remove(access.id)
        for device in access.deviceIDs { guestAccessesByDevice[device]?.remove(access.id) }
        guard let guest = access.guestUserID, let holder = users[guest] else { return }
        var held = holder.guestAccesses
        held.remove(access.id)
        users[guest] = holder.replacing(guestAccesses: held)
    }
}
