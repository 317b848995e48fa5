package import DoorwardDomain
internal import HashTreeCollections

extension TenancyDirectory {
    /// Applies one change. Data that the change does not contain is kept, such as a user's roles
    /// and guest accesses, or a unit's tenants.
    package mutating func apply(_ change: TenancyChange) {
        version += 1
        switch change {
        case .putPortfolio(let portfolio): put(portfolio)
        case .removePortfolio(let id): removePortfolio(id)
        case .putProperty(let property): put(property)
        case .removeProperty(let id): removeProperty(id)
        case .putUnit(let unit): put(unit)
        case .removeUnit(let id): removeUnit(id)
        case .putDevice(let device): put(device)
        case .removeDevice(let id): removeDevice(id)
        case .putUser(let user): put(user)
        case .removeUser(let id): removeUser(id)
        case .putAssociation(let association): put(association)
        case .removeAssociation(let id): removeAssociation(id)
        case .putGuestAccess(let access): put(access)
        case .removeGuestAccess(let id): removeGuestAccess(id)
        case .putAPIKey(let key): put(key)
        case .removeAPIKey(let id): removeAPIKey(id)
        case .putInvitation(let invitation): put(invitation)
        case .removeInvitation(let id): removeInvitation(id)
        case .putGuestLink(let link): put(link)
        case .removeGuestLink(let id): removeGuestLink(of: id)
        }
    }

    private mutating func put(_ portfolio: Portfolio) {
        portfolios[portfolio.id] = Box(portfolio)
        if portfolio.subscription.modules.contains(.guestAccess) {
            portfoliosWithoutGuestAccess.remove(portfolio.id)
        } else {
            portfoliosWithoutGuestAccess.insert(portfolio.id)
        }
    }

    private mutating func removePortfolio(_ id: PortfolioID) {
        portfolios[id] = nil
        portfoliosWithoutGuestAccess.remove(id)
    }

    private mutating func put(_ property: Property) {
        if let old = properties[property.id]?.value, old.portfolioID != property.portfolioID {
            propertiesByPortfolio[old.portfolioID, default: []].remove(property.id)
        }
        propertiesByPortfolio[property.portfolioID, default: []].insert(property.id)
        properties[property.id] = Box(property)
        zonesByProperty[property.id] = property.defaultTimeZone.flatMap(zones.rules)
        if property.lockdown == nil { lockedDownProperties.remove(property.id) } else { lockedDownProperties.insert(property.id) }
    }

    private mutating func removeProperty(_ id: PropertyID) {
        guard let property = properties.removeValue(forKey: id)?.value else { return }
        lockedDownProperties.remove(id)
        zonesByProperty[id] = nil
        propertiesByPortfolio[property.portfolioID]?.remove(id)
        if propertiesByPortfolio[property.portfolioID]?.isEmpty == true { propertiesByPortfolio[property.portfolioID] = nil }
    }

    private mutating func put(_ unit: Unit) {
        let old = units[unit.id]?.value
        if let old, old.propertyID != unit.propertyID {
            unitsByProperty[old.propertyID, default: []].remove(unit.id)
        }
        unitsByProperty[unit.propertyID, default: []].insert(unit.id)
        var kept = unit
        kept.commonAreaAccessIDs = recentCommonAreas.shared(unit.commonAreaAccessIDs)
        units[unit.id] = Box(kept)
        for device in old?.commonAreaAccessIDs ?? [] where !unit.commonAreaAccessIDs.contains(device) {
            unitsByListedDevice[device]?.remove(unit.id)
            share(device, by: unit, isListed: false)
        }
        for device in unit.commonAreaAccessIDs {
            unitsByListedDevice[device, default: SortedIDs()].insert(unit.id)
            share(device, by: unit, isListed: true)
        }
    }

    private mutating func removeUnit(_ id: UnitID) {
        guard let unit = units[id]?.value else { return }
        for device in unit.commonAreaAccessIDs {
            unitsByListedDevice[device]?.remove(id)
            if unitsByListedDevice[device]?.isEmpty == true { unitsByListedDevice[device] = nil }
            share(device, by: unit, isListed: false)
        }
        units[id] = nil
        unitsByProperty[unit.propertyID]?.remove(id)
        if unitsByProperty[unit.propertyID]?.isEmpty == true { unitsByProperty[unit.propertyID] = nil }
    }

    private mutating func put(_ device: LockDevice) {
        let old = devices[device.id]
        var node = DeviceNode(device)
        let units = sharingUnits(of: node, before: old)
        if old?.sharingSlot != nil || !units.isEmpty { keep(units, for: &node, in: old?.sharingSlot) }
        let details = DeviceDetails(device, model: recentModels.shared(Box(DeviceModel(device))))
        let slot = devices.put(node)
        if slot < deviceDetails.count { deviceDetails[slot] = details } else { deviceDetails.append(details) }
        list(node, before: old)
    }

    private mutating func removeDevice(_ id: DeviceID) {
        guard let device = devices[id], let slot = devices.remove(id) else { return }
        let last = deviceDetails.removeLast()
        if slot < deviceDetails.count { deviceDetails[slot] = last }
        if let slot = device.sharingSlot { freeSharingSlots.append(slot) }
        if let property = device.propertyID { devicesByProperty[property]?.remove(id) }
        if let unit = device.unitID { devicesByUnit[unit]?.remove(id) }
    }

    /// Moves a device from the lists of its old property and unit to the lists of the new ones.
    private mutating func list(_ device: DeviceNode, before old: DeviceNode?) {
        if let property = old?.propertyID, property != device.propertyID {
            devicesByProperty[property, default: []].remove(device.id)
        }
        if let unit = old?.unitID, unit != device.unitID {
            devicesByUnit[unit, default: SortedIDs()].remove(device.id)
        }
        if let property = device.propertyID { devicesByProperty[property, default: []].insert(device.id) }
        if let unit = device.unitID { devicesByUnit[unit, default: SortedIDs()].insert(device.id) }
    }

    private mutating func put(_ user: User) {
        let node = users[user.id]?.node ?? UserNode(id: user.id)
        if let old = node.user {
            let key = Self.emailKey(old.email)
            if usersByEmail[key] == user.id { usersByEmail[key] = nil }
        } else {
            userCount += 1
        }
        removedUsers.remove(user.id)
        if user.isSuperAdmin { superAdmins.insert(user.id) } else { superAdmins.remove(user.id) }
        usersByEmail[Self.emailKey(user.email)] = user.id
        users.put(UserEntry(node: node.replacing(user: user)))
    }

    private mutating func removeUser(_ id: UserID) {
        removedUsers.insert(id)
        guard let node = users[id]?.node, let user = node.user else { return }
        userCount -= 1
        superAdmins.remove(id)
        let key = Self.emailKey(user.email)
        if usersByEmail[key] == id { usersByEmail[key] = nil }
        // Roles and guest accesses that were not removed before are kept, as for an id without a user.
        if node.roles.count == 0, node.guestAccesses.ids.isEmpty {
            users.remove(id)
        } else {
            users.put(UserEntry(node: node.replacing(user: nil)))
        }
    }

    private mutating func put(_ association: UserRoleAssociation) {
        removeAssociation(association.id)
        let node = users[association.userID]?.node ?? UserNode(id: association.userID)
        users.put(UserEntry(node: node.replacing(roles: node.roles.all + [HeldRole(association)])))
        holders.put(AssociationHolder(id: association.id, userID: association.userID))
        holdersByEntity[association.entity, default: SortedIDs()].insert(association.userID)
    }

    private mutating func removeAssociation(_ id: AssociationID) {
        guard let holder = holders[id]?.userID, let node = users[holder]?.node,
            let held = node.roles.all.first(where: { $0.id == id })
        else { return }
        let left = node.replacing(roles: node.roles.all.filter { $0.id != id })
        users.put(UserEntry(node: left))
        holders.remove(id)
        if !left.roles.holdsAny(on: held.entity) { holdersByEntity[held.entity]?.remove(holder) }
    }

    private mutating func put(_ access: GuestAccess) {
        if let old = guestAccesses[access.id]?.access { unlist(old) }
        var kept = access
        kept.operations = recentOperations.shared(access.operations)
        let hours = access.schedule.map { schedule in
            recentSchedules.shared(
                where: { $0.schedule == schedule },
                orElse: ScheduleHours(schedule, ownZone: schedule.timeZone.flatMap(zones.rules)))
        }
        kept.schedule = hours?.schedule
        let node = GuestAccessNode(kept, hours: hours)
        guestAccesses[access.id] = node
        guestAccessesByProperty[access.propertyID, default: []].insert(access.id)
        for device in access.deviceIDs { guestAccessesByDevice[device, default: SortedIDs()].insert(access.id) }
        guard let guest = access.guestUserID else { return }
        let holder = users[guest]?.node ?? UserNode(id: guest)
        var held = holder.guestAccesses
        held.insert(node)
        users.put(UserEntry(node: holder.replacing(guestAccesses: held)))
    }

    private mutating func removeGuestAccess(_ id: GuestAccessID) {
        removeGuestLink(of: id)
        guard let access = guestAccesses.removeValue(forKey: id)?.access else { return }
        unlist(access)
    }

    /// Removes a guest access from all lists that contain it.
    private mutating func unlist(_ access: GuestAccess) {
        guestAccessesByProperty[access.propertyID]?.remove(access.id)
        for device in access.deviceIDs { guestAccessesByDevice[device]?.remove(access.id) }
        guard let guest = access.guestUserID, let holder = users[guest]?.node else { return }
        var held = holder.guestAccesses
        held.remove(access.id)
        users.put(UserEntry(node: holder.replacing(guestAccesses: held)))
    }
}

/// A change of the tenancy. The directory in memory and the store on disk apply the same changes,
/// so that they always have the same content.
package enum TenancyChange: Hashable, Sendable {
    /// Adds a portfolio, or replaces the one with the same id. Each other `put` does the same with its entity.
    case putPortfolio(Portfolio)
    /// Removes a portfolio if it exists, but not its children and roles: the caller removes those first. The store refuses to
    /// remove an entity that another one refers to. The same holds for properties, units and devices.
    case removePortfolio(PortfolioID)
    /// Adds or replaces a property. Its units and devices are unchanged.
    case putProperty(Property)
    /// Removes a property if it exists.
    case removeProperty(PropertyID)
    /// Adds or replaces a unit, including its whole list of common areas.
    case putUnit(Unit)
    /// Removes a unit if it exists, with its list of common areas.
    case removeUnit(UnitID)
    /// Adds or replaces a device, for example to attach or move it. A device without a property is unassigned.
    case putDevice(LockDevice)
    /// Removes a device if it exists. Guest accesses and units keep its id in their lists; the id then has no effect.
    case removeDevice(DeviceID)
    /// Adds or replaces a user. The user's roles and guest accesses are unchanged.
    case putUser(User)
    /// Removes a user, with the password and the sessions. Only a tombstone stays: the id, which records name. The email
    /// address becomes free.
    case removeUser(UserID)
    /// Adds an association, or replaces the one with the same id, even if that one belongs to another user.
    case putAssociation(UserRoleAssociation)
    /// Removes an association if it exists. Guest accesses that a tenant granted under it are kept,
    /// but no longer valid unless another association carries them.
    case removeAssociation(AssociationID)
    /// Adds or replaces a guest access. Revoked accesses are kept: until 30 days after their end, their devices are visible to the
    /// guest.
    case putGuestAccess(GuestAccess)
    /// Removes a guest access if it exists, with its count of uses and its link. Only for an access whose property or guest is
    /// removed: any other access that ends is revoked and kept.
    case removeGuestAccess(GuestAccessID)
    /// Adds or replaces an API key.
    case putAPIKey(APIKey)
    /// Removes an API key if it exists. Keys that it created stay, and are rejected.
    case removeAPIKey(APIKeyID)
    /// Adds or replaces an invitation.
    case putInvitation(Invitation)
    /// Removes an invitation if it exists: it was accepted or withdrawn, or has ended.
    case removeInvitation(InvitationID)
    /// Adds the link of a guest access, or replaces it: the token of the replaced link is unknown from then on.
    case putGuestLink(GuestLink)
    /// Removes the link of a guest access if there is one.
    case removeGuestLink(of: GuestAccessID)
}
