internal import DoorwardAudit
internal import DoorwardDomain
internal import DoorwardKernel
internal import DoorwardPolicy
import FoundationEssentials
import GRDB

/// Writes changes of the tenancy into the tables of the entities.
enum TenancyWriting {
    private static let upserts = Dictionary(uniqueKeysWithValues: TenancyTable.allCases.map { ($0, Upsert($0)) })

    /// Throws rather than writing nothing, so that no change is acknowledged that was not written.
    private static func upsert(_ table: TenancyTable) throws -> Upsert {
        guard let upsert = upserts[table] else { throw DatabaseError(message: "no statement writes \(table.rawValue)") }
        return upsert
    }

    static func apply(_ change: TenancyChange, in db: Database, _ keys: PersonKeyFile) throws {
        if let entity = change.referencedEntity, try !entity.exists(in: db) { throw ConstraintViolation(.parentUnknown) }
        if case .putUser(let user) = change { try db.run("DELETE FROM removed_users WHERE id = ?", [user.id.blob]) }
        let (table, id) = change.entity.row
        guard let values = try values(of: change, in: db, keys) else { return try remove(id, from: table, change.entity, in: db) }
        do {
            try upsert(table).put(values, in: db)
        } catch let error as DatabaseError where error.message?.contains("users.email_key") == true {
            guard case .user(let id) = change.entity else { throw error }
            throw ConstraintViolation(.emailTaken(id))
        }
    }

    /// Removes a row. A user's row is replaced by a tombstone.
    ///
    /// - Throws: `ConstraintViolation` if another row refers to it. The foreign keys detect this, except those of a role, an API
    ///   key and an invitation: their `entity_id` refers to one of three tables.
    private static func remove(_ id: Data, from table: TenancyTable, _ entity: TenancyEntity, in db: Database) throws {
        switch entity {
        case .portfolio, .property, .unit:
            for table in ["role_associations", "api_keys", "invitations"]
            where try db.hasRow("SELECT 1 FROM \(table) WHERE entity_id = ?", [id]) {
                throw ConstraintViolation(.stillReferenced(entity))
            }
        case .user: for sql in rowsOfUser { try db.run(sql, [id]) }
        case .guestAccess:
            try db.run("DELETE FROM guest_uses WHERE guest_access_id = ?", [id])
            try db.run("DELETE FROM guest_links WHERE id = ?", [id])
        case .device, .association, .apiKey, .invitation, .guestLink: break
        }
        do {
            try db.run("DELETE FROM \(table.rawValue) WHERE id = ?", [id])
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY {
            throw ConstraintViolation(.stillReferenced(entity))
        }
    }

    /// The statements that delete the rows which belong to a user alone, and add the tombstone.
    private static let rowsOfUser = [
        "DELETE FROM refresh_tokens WHERE session_id IN (SELECT id FROM sessions WHERE user_id = ?)",
        "DELETE FROM sessions WHERE user_id = ?", "DELETE FROM credentials WHERE user_id = ?",
        "DELETE FROM password_resets WHERE user_id = ?", "DELETE FROM password_resets WHERE made_by = ?",
        "DELETE FROM recovery_codes WHERE user_id = ?",
        "INSERT OR IGNORE INTO removed_users (id) VALUES (?)",
    ]

    /// Returns whether the tables already contain the result of the change.
    static func isWritten(_ change: TenancyChange, in db: Database, _ keys: PersonKeyFile) throws -> Bool {
        // If the user's wrapping key was erased since, the row can no longer be decrypted, so it differs from what was written.
        if case .putUser(let user) = change { return try TenancyReading.user(user.id, in: db, keys) == user }
        let (table, id) = change.entity.row
        guard let values = try values(of: change, in: db, keys) else {
            return try !db.hasRow("SELECT 1 FROM \(table.rawValue) WHERE id = ?", [id])
        }
        return try upsert(table).holds(values, in: db)
    }

    /// Returns the row that the change writes, in the order of the table's columns; `nil` if it removes the row.
    private static func values(
        of change: TenancyChange, in db: Database, _ keys: PersonKeyFile
    ) throws -> [(any Bindable)?]? {
        switch change {
        case .putPortfolio(let portfolio): values(of: portfolio)
        case .putProperty(let property): values(of: property)
        case .putUnit(let unit): values(of: unit)
        case .putDevice(let device): try values(of: device)
        case .putUser(let user): try values(of: user, in: db, keys)
        case .putAssociation(let association): values(of: association)
        case .putGuestAccess(let access): try values(of: access)
        case .putAPIKey(let key): values(of: key)
        case .putInvitation(let invitation): values(of: invitation)
        case .putGuestLink(let link):
            [link.accessID.blob, link.userID.blob, link.keyID?.blob, Data(link.digest), link.createdAt.milliseconds]
        case .removePortfolio, .removeProperty, .removeUnit, .removeDevice, .removeUser, .removeAssociation, .removeGuestAccess,
            .removeAPIKey, .removeInvitation, .removeGuestLink:
            nil
        }
    }

    private static func values(of portfolio: Portfolio) -> [(any Bindable)?] {
        let (subscription, retention) = (portfolio.subscription, portfolio.retention)
        return [
            portfolio.id.blob, portfolio.name, portfolio.createdAt.milliseconds, portfolio.updatedAt.milliseconds,
            subscription.tier, subscription.modulesInOrder.map(\.rawValue).joined(separator: " "),
            subscription.limits[.maxProperties], subscription.limits[.maxUnits], subscription.limits[.maxDevices],
            subscription.limits[.maxActiveGuestAccess], retention.days, retention.legalHold,
        ]
    }

    private static func values(of property: Property) -> [(any Bindable)?] {
        let address = property.address
        return [
            property.id.blob, property.name, property.portfolioID.blob, address != nil, address?.street, address?.city,
            address?.state, address?.postalCode, address?.country, property.defaultTimeZone,
            property.createdAt.milliseconds, property.updatedAt.milliseconds, property.lockdown?.since.milliseconds,
            property.lockdown?.byUserID?.blob, property.lockdown?.reason,
        ]
    }

    private static func values(of unit: Unit) -> [(any Bindable)?] {
        [
            unit.id.blob, unit.name, unit.propertyID.blob, unit.portfolioID.blob, DeviceID.blob(of: unit.commonAreaAccessIDs),
            unit.createdAt.milliseconds, unit.updatedAt.milliseconds,
        ]
    }

    private static func values(of device: LockDevice) throws -> [(any Bindable)?] {
        [
            device.id.blob, device.name, device.adapter, try column(device.address), try column(device.metadata),
            device.firmwareVersion, device.portfolioID?.blob, device.propertyID?.blob, device.unitID?.blob,
            device.isRemoteOperationEnabled, Int(device.capabilities.rawValue), device.settings.autoRelockSeconds,
            device.sealedCode.map { Data($0) }, device.createdAt.milliseconds, device.updatedAt.milliseconds,
        ] + DeviceText.allCases.map { device.texts[$0] }
    }

    private static func column(_ object: [String: JSONValue]) throws -> String? {
        if object.isEmpty { return nil }
        guard let text = StoredJSON.text(of: object) else {
            throw ConstraintViolation(.inconsistent("an object is nested too deep"))
        }
        return text
    }

    /// The names and the email address are encrypted; the text for the index of addresses is derived from the address.
    private static func values(of user: User, in db: Database, _ keys: PersonKeyFile) throws -> [(any Bindable)?] {
        let generation = try PersonKeys.generation(of: .user(user.id), in: db)
        let sealed = try keys.seal(SealedAccount(user), of: user.id, from: generation)
        return [
            user.id.blob, keys.emailIndex(of: user.email), sealed, user.isEnabled, user.isSuperAdmin,
            user.defaultPortfolioID?.blob, user.defaultPropertyID?.blob, user.defaultUnitID?.blob, user.hasCompliancePack,
            user.createdAt.milliseconds, user.updatedAt.milliseconds,
        ]
    }

    private static func values(of association: UserRoleAssociation) -> [(any Bindable)?] {
        [
            association.id.blob, association.userID.blob, association.entity.type.rawValue, association.entity.id.blob,
            association.role.rawValue, association.createdAt.milliseconds, association.updatedAt.milliseconds,
        ]
    }

    private static func values(of access: GuestAccess) throws -> [(any Bindable)?] {
        [
            access.id.blob, access.guestUserID?.blob, access.label, access.propertyID.blob, access.unitID?.blob,
            DeviceID.blob(of: access.deviceIDs), access.operations.map(\.rawValue).joined(separator: " "),
            access.window.validFrom.milliseconds, access.window.validUntil.milliseconds, access.grantedByUserID.blob,
            access.grantedUnderAssociationID.blob, access.grantedUnderRole.rawValue, access.revokedAt?.milliseconds,
            access.createdAt.milliseconds, access.carriersByDevice.map(column),
            access.resolution.timeZone, column(access.resolution.validFrom), column(access.resolution.validUntil),
            try access.schedule.flatMap { try column($0.stored) }, access.maxUses,
            access.widenedUnder.isEmpty ? nil : AssociationID.blob(of: access.widenedUnder),
        ]
    }

    private static func values(of key: APIKey) -> [(any Bindable)?] {
        [
            key.id.blob, key.name, key.userID.blob, key.parentID?.blob, key.entity.type.rawValue, key.entity.id.blob,
            key.role.rawValue, Data(key.digest), key.createdAt.milliseconds, key.expiresAt.milliseconds,
        ]
    }

    private static func values(of invitation: Invitation) -> [(any Bindable)?] {
        [
            invitation.id.blob, invitation.email, invitation.role?.rawValue, invitation.entity?.type.rawValue,
            invitation.entity?.id.blob, invitation.accountID?.blob, invitation.userID.blob, invitation.keyID?.blob,
            Data(invitation.digest), invitation.createdAt.milliseconds, invitation.expiresAt.milliseconds,
        ]
    }

    /// `NULL` for the usual case of a time that is one instant.
    private static func column(_ resolution: ClockChange) -> String? {
        resolution == ClockChange.none ? nil : resolution.rawValue
    }

    /// Returns pairs of a device and an association that the access to it depends on, sorted by device. A device without such
    /// an association has no pair.
    private static func column(_ carriers: [DeviceID: [AssociationID]]) -> Data {
        DeviceID.blob(
            of: carriers.sorted { $0.key < $1.key }.flatMap { device, carriers in carriers.flatMap { [device, $0.cast()] } })
    }
}

extension TenancyEntity {
    /// The table of the entity, and the id of its row.
    var row: (table: TenancyTable, id: Data) {
        switch self {
        case .portfolio(let id): (.portfolios, id.blob)
        case .property(let id): (.properties, id.blob)
        case .unit(let id): (.units, id.blob)
        case .device(let id): (.devices, id.blob)
        case .user(let id): (.users, id.blob)
        case .association(let id): (.associations, id.blob)
        case .guestAccess(let id): (.guestAccesses, id.blob)
        case .apiKey(let id): (.apiKeys, id.blob)
        case .invitation(let id): (.invitations, id.blob)
        case .guestLink(let id): (.guestLinks, id.blob)
        }
    }
}

/// Updates the row with an id, or inserts it if there is none. The SQL texts are built once for each table.
///
/// `REPLACE` is not used because it would delete the row before writing it, which affects the rows that reference it. An upsert
/// (`ON CONFLICT DO UPDATE`) is not used because a row whose parent is missing would fail only after a search of every table
/// that references this one.
struct Upsert {
    private let update: String
    private let insert: String
    private let find: String

    init(_ table: TenancyTable) {
        let columns = table.columns
        let updates = columns.dropFirst().map { "\($0) = ?" }.joined(separator: ", ")
        update = "UPDATE \(table.rawValue) SET \(updates) WHERE id = ?"
        let conditions = columns.map { "\($0) IS ?" }.joined(separator: " AND ")
        find = "SELECT 1 FROM \(table.rawValue) WHERE \(conditions)"
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        insert = "INSERT INTO \(table.rawValue) (\(columns.joined(separator: ", "))) VALUES (\(marks))"
    }

    /// - Parameter values: one value for each column of the table, in the order of the columns.
    func put(_ values: [(any Bindable)?], in db: Database) throws {
        try db.run(update, Array(values.dropFirst() + values.prefix(1)))
        if db.changesCount == 0 { try db.run(insert, values) }
    }

    /// Returns whether the table contains exactly this row.
    func holds(_ values: [(any Bindable)?], in db: Database) throws -> Bool {
        try db.hasRow(find, values)
    }
}
