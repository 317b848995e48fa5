import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardPolicy

/// The tenancy in a store, in plain dictionaries, to find references to entities that do not exist.
struct StoredTenancy {
    private var portfolios: [PortfolioID: Portfolio] = [:]
    private var properties: [PropertyID: Property] = [:]
    private var units: [UnitID: Unit] = [:]
    private var devices: [DeviceID: LockDevice] = [:]
    private var users: [UserID: User] = [:]
    private var associations: [UserRoleAssociation] = []
    private var guestAccesses: [GuestAccess] = []

    init(_ changes: some Sequence<TenancyChange>) {
        for change in changes {
            switch change {
            case .putPortfolio(let entity): portfolios[entity.id] = entity
            case .putProperty(let entity): properties[entity.id] = entity
            case .putUnit(let entity): units[entity.id] = entity
            case .putDevice(let entity): devices[entity.id] = entity
            case .putUser(let entity): users[entity.id] = entity
            case .putAssociation(let entity): associations.append(entity)
            case .putGuestAccess(let entity): guestAccesses.append(entity)
            default: break
            }
        }
    }

    /// The references to entities that do not exist, or that contradict the position of an entity.
    func orphans(at now: Timestamp) -> [String] {
        hierarchyOrphans + roleOrphans + guestAccesses.flatMap { orphans(of: $0, at: now) }
    }

    private var hierarchyOrphans: [String] {
        var found: [String] = []
        for property in properties.values where portfolios[property.portfolioID] == nil {
            found.append("property \(property.id)")
        }
        for unit in units.values {
            if properties[unit.propertyID]?.portfolioID != unit.portfolioID { found.append("unit \(unit.id)") }
            for id in unit.commonAreaAccessIDs {
                let device = devices[id]
                if device?.propertyID != unit.propertyID || device?.unitID != nil {
                    found.append("common area \(id) of \(unit.id)")
                }
            }
        }
        for device in devices.values {
            if device.propertyID.map({ properties[$0]?.portfolioID }) != device.portfolioID.map({ $0 }) {
                found.append("device \(device.id)")
            }
            if let unit = device.unitID, units[unit]?.propertyID != device.propertyID || device.propertyID == nil {
                found.append("device \(device.id) of unit \(unit)")
            }
        }
        return found
    }

    private var roleOrphans: [String] {
        associations.filter { association in
            let isHeld =
                switch association.entity {
                case .portfolio(let id): portfolios[id] != nil
                case .property(let id): properties[id] != nil
                case .unit(let id): units[id] != nil
                }
            return !isHeld || users[association.userID] == nil
        }.map { "role \($0.id)" }
    }

    private func orphans(of access: GuestAccess, at now: Timestamp) -> [String] {
        var found: [String] = []
        if properties[access.propertyID] == nil { found.append("guest access \(access.id)") }
        if let unit = access.unitID, units[unit]?.propertyID != access.propertyID { found.append("unit of \(access.id)") }
        if let guest = access.guestUserID, users[guest] == nil { found.append("guest of \(access.id)") }
        // An access that has ended keeps the ids of devices that were moved away or removed.
        guard access.endsAt > now else { return found }
        for id in access.deviceIDs where devices[id]?.propertyID != access.propertyID {
            found.append("device \(id) of \(access.id)")
        }
        return found
    }

    /// Requires that the store has no orphan, and that the directory is the one that a restart would load.
    static func requireIntegrity(of control: GatewayControl, _ store: InMemoryStore) async throws {
        var loaded = TenancyDirectory()
        var changes: [TenancyChange] = []
        try await store.loadTenancy { changes.append($0) }
        for change in changes { loaded.apply(change) }
        #expect(StoredTenancy(changes).orphans(at: control.clock.now()) == [])
        #expect(difference(of: control.directory.current, loaded) == nil)
    }

    /// The first difference between two directories; `nil` if there is none.
    static func difference(of one: TenancyDirectory, _ other: TenancyDirectory) -> String? {
        if one.portfolioIDs != other.portfolioIDs || one.propertyIDs != other.propertyIDs { return "portfolios or properties" }
        if one.unitIDs != other.unitIDs || one.deviceIDs != other.deviceIDs { return "units or devices" }
        if one.userIDs != other.userIDs || one.removedUsers != other.removedUsers { return "users" }
        if one.guestAccessIDs != other.guestAccessIDs { return "guest accesses" }
        for id in one.portfolioIDs where one.propertyIDs(of: id) != other.propertyIDs(of: id) { return "properties of \(id)" }
        for id in one.propertyIDs {
            if one.property(id) != other.property(id) || one.unitIDs(of: id) != other.unitIDs(of: id) { return "property \(id)" }
            if one.deviceIDs(of: id) != other.deviceIDs(of: id) { return "devices of \(id)" }
            if one.guestAccesses(in: id) != other.guestAccesses(in: id) { return "guest accesses of \(id)" }
        }
        for id in one.unitIDs where one.unit(id) != other.unit(id) || one.deviceIDs(of: id) != other.deviceIDs(of: id) {
            return "unit \(id)"
        }
        for id in one.deviceIDs {
            if one.device(id) != other.device(id) || one.unitsSharing(id) != other.unitsSharing(id) { return "device \(id)" }
        }
        for id in one.userIDs {
            if one.user(id) != other.user(id) || one.associations(of: id) != other.associations(of: id) { return "user \(id)" }
            if one.guestAccesses(of: id) != other.guestAccesses(of: id) { return "guest accesses of user \(id)" }
        }
        return nil
    }
}
