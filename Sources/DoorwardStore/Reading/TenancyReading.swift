internal import DoorwardDomain
internal import DoorwardPolicy
import FoundationEssentials
import GRDB

/// Reads the tenancy back, one table after the other, in pages.
enum TenancyReading {
    struct Page {
        var changes: [TenancyChange] = []
        /// The id that the next page begins after; `nil` when there is none.
        var next: Data?
    }

    static let pageSize = 4096

    static func page(of table: TenancyTable, after id: Data?, in db: Database) throws -> Page {
        var page = Page()
        let sql =
            "SELECT \(table.columns.joined(separator: ", ")) FROM \(table.rawValue) WHERE id > ? ORDER BY id LIMIT \(pageSize)"
        page.changes = try db.rows(sql, [id ?? Data()]) { columns in try change(of: table, &columns) }
        if page.changes.count == pageSize { page.next = page.changes.last?.entityID }
        return page
    }

    private static func change(of table: TenancyTable, _ columns: inout ColumnReader) throws -> TenancyChange {
        switch table {
        case .portfolios: .putPortfolio(try portfolio(&columns))
        case .properties: .putProperty(try property(&columns))
        case .units: .putUnit(try unit(&columns))
        case .devices: .putDevice(try device(&columns))
        case .users: .putUser(try user(&columns))
        case .associations: .putAssociation(try association(&columns))
        case .guestAccesses: .putGuestAccess(try guestAccess(&columns))
        }
    }

    private static func portfolio(_ columns: inout ColumnReader) throws -> Portfolio {
        Portfolio(
            id: try columns.id(), name: try columns.value(), createdAt: try columns.instant(), updatedAt: try columns.instant())
    }

    private static func property(_ columns: inout ColumnReader) throws -> Property {
        Property(
            id: try columns.id(), name: try columns.value(), portfolioID: try columns.id(), address: try address(&columns),
            defaultTimeZone: try columns.optional(), createdAt: try columns.instant(), updatedAt: try columns.instant())
    }

    private static func address(_ columns: inout ColumnReader) throws -> PostalAddress? {
        let isPresent = try columns.value(Bool.self)
        let address = PostalAddress(
            street: try columns.optional(), city: try columns.optional(), state: try columns.optional(),
            postalCode: try columns.optional(), country: try columns.optional())
        return isPresent ? address : nil
    }

    private static func unit(_ columns: inout ColumnReader) throws -> Unit {
        Unit(
            id: try columns.id(), name: try columns.value(), propertyID: try columns.id(), portfolioID: try columns.id(),
            commonAreaAccessIDs: try columns.ids(), createdAt: try columns.instant(), updatedAt: try columns.instant())
    }

    private static func device(_ columns: inout ColumnReader) throws -> LockDevice {
        let (id, name, adapter) = (try columns.id() as DeviceID, try columns.value(String.self), try columns.value(String.self))
        let (address, metadata) = (try columns.json(), try columns.json())
        return LockDevice(
            id: id, name: name, adapter: adapter, address: address, manufacturer: try columns.optional(),
            model: try columns.optional(), firmwareVersion: try columns.optional(), portfolioID: try columns.optionalID(),
            propertyID: try columns.optionalID(), unitID: try columns.optionalID(),
            isRemoteOperationEnabled: try columns.value(), capabilities: LockCapabilities(rawValue: try columns.value()),
            settings: LockSettings(autoRelockSeconds: try columns.optional()), metadata: metadata,
            createdAt: try columns.instant(), updatedAt: try columns.instant())
    }

    private static func user(_ columns: inout ColumnReader) throws -> User {
        let (id, email) = (try columns.id() as UserID, try columns.value(String.self))
        // The address in lower case, which is made of the address.
        _ = columns.stored()
        return User(
            id: id, email: email, firstName: try columns.value(), lastName: try columns.value(),
            isEnabled: try columns.value(), isSuperAdmin: try columns.value(), defaultPortfolioID: try columns.optionalID(),
            defaultPropertyID: try columns.optionalID(), defaultUnitID: try columns.optionalID(),
            hasCompliancePack: try columns.value(), createdAt: try columns.instant(), updatedAt: try columns.instant())
    }

    private static func association(_ columns: inout ColumnReader) throws -> UserRoleAssociation {
        UserRoleAssociation(
            id: try columns.id(), userID: try columns.id(),
            entity: AssociatedEntity(type: try columns.word(), id: try columns.id()), role: try columns.word(),
            createdAt: try columns.instant(), updatedAt: try columns.instant())
    }

    private static func guestAccess(_ columns: inout ColumnReader) throws -> GuestAccess {
        GuestAccess(
            id: try columns.id(), guestUserID: try columns.optionalID(), label: try columns.optional(),
            propertyID: try columns.id(), unitID: try columns.optionalID(), deviceIDs: try columns.ids(),
            operations: try operations(&columns),
            window: GuestWindow(validFrom: try columns.instant(), validUntil: try columns.instant()),
            grantedByUserID: try columns.id(), grantedUnderAssociationID: try columns.id(), grantedUnderRole: try columns.word(),
            revokedAt: try columns.optionalInstant(), createdAt: try columns.instant())
    }

    private static func operations(_ columns: inout ColumnReader) throws -> [LockOperation] {
        try columns.value(String.self).split(separator: " ").map { name in
            guard let operation = LockOperation(rawValue: String(name)) else { throw UnreadableColumn(column: "operations") }
            return operation
        }
    }
}

extension TenancyChange {
    /// The id of what is put.
    fileprivate var entityID: Data {
        switch self {
        case .putPortfolio(let portfolio): portfolio.id.blob
        case .putProperty(let property): property.id.blob
        case .putUnit(let unit): unit.id.blob
        case .putDevice(let device): device.id.blob
        case .putUser(let user): user.id.blob
        case .putAssociation(let association): association.id.blob
        case .removeAssociation(let id): id.blob
        case .removeDevice(let id): id.blob
        case .putGuestAccess(let access): access.id.blob
        }
    }
}
