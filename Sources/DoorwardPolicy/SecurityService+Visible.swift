package import DoorwardDomain
internal import HashTreeCollections

// What a user may read, for lists: each id is one that `allows` reading (of devices, `decide` allows VIEW_STATUS), and
// each such id is there. Ascending; costs what the user holds and sees, not what exists.
extension SecurityService {
    /// The portfolios that a user may read; all of them for a super admin, none for somebody disabled or unknown.
    package static func visiblePortfolioIDs(for user: UserID, in directory: TenancyDirectory) -> [PortfolioID] {
        guard let node = enabled(user, in: directory) else { return [] }
        if node.isSuperAdmin { return directory.portfolioIDs }
        return Set(entities(of: node, that: .portfolioRead).compactMap(\.portfolio)).filter { directory.portfolio($0) != nil }
            .sorted()
    }

    /// The properties that a user may read, as a tenant that of their unit.
    package static func visiblePropertyIDs(for user: UserID, in directory: TenancyDirectory) -> [PropertyID] {
        guard let node = enabled(user, in: directory) else { return [] }
        if node.isSuperAdmin { return directory.propertyIDs }
        return entities(of: node, that: .propertyRead).reduce(into: Set<PropertyID>()) { seen, entity in
            switch entity {
            case .portfolio(let id): seen.formUnion(directory.propertiesByPortfolio[id] ?? [])
            case .property(let id): if directory.property(id) != nil { seen.insert(id) }
            case .unit(let id): if let id = directory.unit(id)?.propertyID, directory.property(id) != nil { seen.insert(id) }
            }
        }.sorted()
    }

    /// The units that a user may read, as a tenant only their own.
    package static func visibleUnitIDs(for user: UserID, in directory: TenancyDirectory) -> [UnitID] {
        guard let node = enabled(user, in: directory) else { return [] }
        if node.isSuperAdmin { return directory.unitIDs }
        return entities(of: node, that: .unitRead).reduce(into: Set<UnitID>()) { seen, entity in
            switch entity {
            case .portfolio(let id):
                for property in directory.propertiesByPortfolio[id] ?? [] {
                    seen.formUnion(directory.unitsByProperty[property] ?? [])
                }
            case .property(let id): seen.formUnion(directory.unitsByProperty[id] ?? [])
            case .unit(let id): if directory.unit(id) != nil { seen.insert(id) }
            }
        }.sorted()
    }

    /// The devices whose status a user may see at an instant.
    package static func visibleDeviceIDs(for user: UserID, at instant: Timestamp, in directory: TenancyDirectory) -> [DeviceID] {
        guard let node = enabled(user, in: directory) else { return [] }
        if node.isSuperAdmin { return directory.deviceIDs }
        let columns = PermissionMatrix.columns(holding: .viewStatus)
        var seen = Set<DeviceID>()
        for held in node.roles.all {
            guard let column = MatrixColumn(of: held.role, on: held.type), columns.contains(column) else { continue }
            collectDevices(under: held.entity, in: directory, into: &seen)
        }
        for entry in node.guestAccesses.entries {
            guard let device = directory.resolve(entry.deviceID), device.isAssigned,
                entry.node.givesReach(to: device, at: instant, in: directory)
            else { continue }
            let question = Question(operation: .viewStatus, device: device, instant: instant)
            if question.failure(of: entry.node, in: directory) == nil { seen.insert(device.id) }
        }
        return seen.sorted()
    }

    private static func collectDevices(
        under entity: AssociatedEntity, in directory: TenancyDirectory, into seen: inout Set<DeviceID>
    ) {
        switch entity {
        case .portfolio(let id):
            for property in directory.propertiesByPortfolio[id] ?? [] {
                seen.formUnion(directory.devicesByProperty[property] ?? [])
            }
        case .property(let id): seen.formUnion(directory.devicesByProperty[id] ?? [])
        case .unit(let id):
            seen.formUnion(directory.devicesByUnit[id] ?? SortedIDs())
            for device in directory.unit(id)?.commonAreaAccessIDs ?? [] {
                if let node = directory.resolve(device), directory.sharingUnits(of: node).contains(id) { seen.insert(device) }
            }
        }
    }

    private static func enabled(_ user: UserID, in directory: TenancyDirectory) -> UserNode? {
        directory.resolve(user).flatMap { $0.isEnabled ? $0 : nil }
    }

    private static func entities(of user: UserNode, that permission: ManagementPermission) -> [AssociatedEntity] {
        let holders = PermissionMatrix.holders(of: permission)
        return user.roles.all.filter { $0.isAssignable && holders.roles.contains($0.role) }.map(\.entity)
    }
}

extension AssociatedEntity {
    fileprivate var portfolio: PortfolioID? {
        if case .portfolio(let id) = self { id } else { nil }
    }
}
