internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
import FoundationEssentials
import GRDB

/// Puts changes to the tenancy into their tables.
enum TenancyWriting {
    private static let portfolios = Upsert(.portfolios)
    private static let properties = Upsert(.properties)
    private static let units = Upsert(.units)
    private static let devices = Upsert(.devices)
    private static let users = Upsert(.users)
    private static let associations = Upsert(.associations)
    private static let guestAccesses = Upsert(.guestAccesses)

    static func apply(_ change: TenancyChange, in db: Database) throws {
        switch change {
        case .putPortfolio(let portfolio): try put(portfolio, in: db)
        case .putProperty(let property): try put(property, in: db)
        case .putUnit(let unit): try put(unit, in: db)
        case .putDevice(let device): try put(device, in: db)
        case .removeDevice(let id): try db.run("DELETE FROM devices WHERE id = ?", [id.blob])
        case .putUser(let user): try put(user, in: db)
        case .putAssociation(let association): try put(association, in: db)
        case .removeAssociation(let id): try db.run("DELETE FROM role_associations WHERE id = ?", [id.blob])
        case .putGuestAccess(let access): try put(access, in: db)
        }
    }

    private static func put(_ portfolio: Portfolio, in db: Database) throws {
        try portfolios.put(
            [portfolio.id.blob, portfolio.name, portfolio.createdAt.milliseconds, portfolio.updatedAt.milliseconds], in: db)
    }

    private static func put(_ property: Property, in db: Database) throws {
        let address = property.address
        try properties.put(
            [
                property.id.blob, property.name, property.portfolioID.blob, address != nil, address?.street, address?.city,
                address?.state, address?.postalCode, address?.country, property.defaultTimeZone,
                property.createdAt.milliseconds, property.updatedAt.milliseconds,
            ], in: db)
    }

    private static func put(_ unit: Unit, in db: Database) throws {
        try units.put(
            [
                unit.id.blob, unit.name, unit.propertyID.blob, unit.portfolioID.blob, DeviceID.blob(of: unit.commonAreaAccessIDs),
                unit.createdAt.milliseconds, unit.updatedAt.milliseconds,
            ], in: db)
    }

    private static func put(_ device: LockDevice, in db: Database) throws {
        try devices.put(
            [
                device.id.blob, device.name, device.adapter, try column(device.address), try column(device.metadata),
                device.manufacturer,
                device.model, device.firmwareVersion, device.portfolioID?.blob, device.propertyID?.blob, device.unitID?.blob,
                device.isRemoteOperationEnabled, Int(device.capabilities.rawValue), device.settings.autoRelockSeconds,
                device.sealedCode.map { Data($0) },
                device.createdAt.milliseconds, device.updatedAt.milliseconds,
            ], in: db)
    }

    private static func column(_ object: [String: JSONValue]) throws -> Data? {
        if object.isEmpty { return nil }
        guard let bytes = CBOR.bytes(of: object) else { throw Refusal(.refused("too_deep")) }
        return Data(bytes)
    }

    private static func put(_ user: User, in db: Database) throws {
        try users.put(
            [
                user.id.blob, user.email, user.email.lowercased(), user.firstName, user.lastName, user.isEnabled,
                user.isSuperAdmin,
                user.defaultPortfolioID?.blob, user.defaultPropertyID?.blob, user.defaultUnitID?.blob, user.hasCompliancePack,
                user.createdAt.milliseconds, user.updatedAt.milliseconds,
            ], in: db)
    }

    private static func put(_ association: UserRoleAssociation, in db: Database) throws {
        guard try association.entity.exists(in: db) else { throw Refusal(.parentUnknown) }
        try associations.put(
            [
                association.id.blob, association.userID.blob, association.entity.type.rawValue, association.entity.id.blob,
                association.role.rawValue, association.createdAt.milliseconds, association.updatedAt.milliseconds,
            ], in: db)
    }

    private static func put(_ access: GuestAccess, in db: Database) throws {
        try guestAccesses.put(
            [
                access.id.blob, access.guestUserID?.blob, access.label, access.propertyID.blob, access.unitID?.blob,
                DeviceID.blob(of: access.deviceIDs), access.operations.map(\.rawValue).joined(separator: " "),
                access.window.validFrom.milliseconds, access.window.validUntil.milliseconds, access.grantedByUserID.blob,
                access.grantedUnderAssociationID.blob, access.grantedUnderRole.rawValue, access.revokedAt?.milliseconds,
                access.createdAt.milliseconds, access.carriersByDevice.map(column),
            ], in: db)
    }

    /// Pairs of a device and an association that carried it, by device; a device that nothing carried has none.
    private static func column(_ carriers: [DeviceID: [AssociationID]]) -> Data {
        DeviceID.blob(
            of: carriers.sorted { $0.key < $1.key }.flatMap { device, carriers in carriers.flatMap { [device, $0.cast()] } })
    }
}
