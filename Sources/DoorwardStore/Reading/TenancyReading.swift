internal import DoorwardDomain
internal import DoorwardKernel
internal import DoorwardPolicy
import FoundationEssentials
import GRDB

/// Reads the tenancy in pages, one table after the other.
enum TenancyReading {
    static let pageSize = 4096

    /// - Parameter keys: `nil` if there is no person-key file: users are then read as erased ones.
    /// - Returns: the rows, and the id after which the next page begins; `nil` for the last page.
    static func page(
        of table: TenancyTable, after id: Data?, in db: Database, _ keys: PersonKeyFile?
    ) throws -> (changes: [TenancyChange], next: Data?) {
        let columns = table.columns.joined(separator: ", ")
        let sql = "SELECT \(columns) FROM \(table.rawValue) WHERE id > ? ORDER BY id LIMIT \(pageSize)"
        let changes = try db.rows(sql, [id ?? Data()]) { columns in
            do {
                return try change(of: table, &columns, keys)
            } catch var error as UnreadableColumn {
                error.row = columns.rowName
                throw error
            }
        }
        return (changes, changes.count == pageSize ? changes.last?.entity.row.id : nil)
    }

    static func user(_ id: UserID, in db: Database, _ keys: PersonKeyFile) throws -> User? {
        let columns = TenancyTable.users.columns.joined(separator: ", ")
        return try db.firstRow("SELECT \(columns) FROM users WHERE id = ?", [id.blob]) { columns in try user(&columns, keys) }
    }

    private static func change(
        of table: TenancyTable, _ columns: inout ColumnReader, _ keys: PersonKeyFile?
    ) throws -> TenancyChange {
        switch table {
        case .portfolios: .putPortfolio(try portfolio(&columns))
        case .properties: .putProperty(try property(&columns))
        case .units: .putUnit(try unit(&columns))
        case .devices: .putDevice(try device(&columns))
        case .users: .putUser(try user(&columns, keys))
        case .associations: .putAssociation(try association(&columns))
        case .guestAccesses: .putGuestAccess(try guestAccess(&columns))
        case .removedUsers: .removeUser(try columns.id())
        case .apiKeys: .putAPIKey(try apiKey(&columns))
        case .invitations: .putInvitation(try invitation(&columns))
        case .guestLinks:
            .putGuestLink(
                GuestLink(
                    accessID: try columns.id(), userID: try columns.id(), keyID: try columns.optionalID(),
                    digest: try columns.bytes(), createdAt: try columns.instant()))
        }
    }

    private static func portfolio(_ columns: inout ColumnReader) throws -> Portfolio {
        let (id, name): (PortfolioID, String) = (try columns.id(), try columns.value())
        let (createdAt, updatedAt) = (try columns.instant(), try columns.instant())
        return Portfolio(
            id: id, name: name, subscription: try subscription(&columns),
            retention: Retention(days: try columns.optional(), legalHold: try columns.value()), createdAt: createdAt,
            updatedAt: updatedAt)
    }

    private static func subscription(_ columns: inout ColumnReader) throws -> Subscription {
        let tier = try columns.value(String.self)
        let modules: [SubscriptionModule] = try columns.words()
        var subscription = Subscription(tier: tier, modules: Set(modules))
        for limit in [SubscriptionLimit.maxProperties, .maxUnits, .maxDevices, .maxActiveGuestAccess] {
            subscription.limits[limit] = try columns.optional(Int.self)
        }
        return subscription
    }

    private static func property(_ columns: inout ColumnReader) throws -> Property {
        var property = Property(
            id: try columns.id(), name: try columns.value(), portfolioID: try columns.id(), address: try address(&columns),
            defaultTimeZone: try columns.optional(), createdAt: try columns.instant(), updatedAt: try columns.instant())
        let since = try columns.optionalInstant()
        let (user, reason): (UserID?, String?) = (try columns.optionalID(), try columns.optional())
        property.lockdown = since.map { Lockdown(since: $0, byUserID: user, reason: reason) }
        return property
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
        var device = LockDevice(
            id: id, name: name, adapter: adapter, address: address, firmwareVersion: try columns.optional(),
            portfolioID: try columns.optionalID(), propertyID: try columns.optionalID(), unitID: try columns.optionalID(),
            isRemoteOperationEnabled: try columns.value(), capabilities: LockCapabilities(rawValue: try columns.value()),
            settings: LockSettings(autoRelockSeconds: try columns.optional()), sealedCode: try columns.optionalBytes(),
            metadata: metadata, createdAt: try columns.instant(), updatedAt: try columns.instant())
        for text in DeviceText.allCases { device.texts[text] = try columns.optional() }
        return device
    }

    /// Reads a user. A user whose wrapping key was erased, in a database from before the erasure, is disabled.
    private static func user(_ columns: inout ColumnReader, _ keys: PersonKeyFile?) throws -> User {
        let id: UserID = try columns.id()
        // Skip `email_key`, which is derived from the email address.
        _ = columns.stored()
        let sealed = try columns.bytes()
        var user = User(
            id: id, email: "", firstName: "", lastName: "",
            isEnabled: try columns.value(), isSuperAdmin: try columns.value(), defaultPortfolioID: try columns.optionalID(),
            defaultPropertyID: try columns.optionalID(), defaultUnitID: try columns.optionalID(),
            hasCompliancePack: try columns.value(), createdAt: try columns.instant(), updatedAt: try columns.instant())
        let opened = try keys?.open(sealed, of: id)
        if opened == nil { user.isEnabled = false }
        let account = opened ?? .erased(id)
        (user.email, user.firstName, user.lastName) = (account.email, account.firstName, account.lastName)
        return user
    }

    private static func association(_ columns: inout ColumnReader) throws -> UserRoleAssociation {
        UserRoleAssociation(
            id: try columns.id(), userID: try columns.id(),
            entity: AssociatedEntity(type: try columns.word(), id: try columns.id()), role: try columns.word(),
            createdAt: try columns.instant(), updatedAt: try columns.instant())
    }

    private static func guestAccess(_ columns: inout ColumnReader) throws -> GuestAccess {
        let (id, guest): (GuestAccessID, UserID?) = (try columns.id(), try columns.optionalID())
        let (label, property): (String?, PropertyID) = (try columns.optional(), try columns.id())
        let (unit, devices): (UnitID?, [DeviceID]) = (try columns.optionalID(), try columns.ids())
        let operations: [LockOperation] = try columns.words()
        let window = GuestWindow(validFrom: try columns.instant(), validUntil: try columns.instant())
        let (grantor, association): (UserID, AssociationID) = (try columns.id(), try columns.id())
        let (role, revokedAt, createdAt) = (
            try columns.word(Role.self), try columns.optionalInstant(), try columns.instant()
        )
        let carriers = try carriers(&columns)
        let resolution = WindowResolution(
            timeZone: try columns.optional(), validFrom: try columns.optionalWord() ?? ClockChange.none,
            validUntil: try columns.optionalWord() ?? ClockChange.none)
        let (schedule, maxUses): (Schedule?, Int?) = (try schedule(&columns), try columns.optional())
        return GuestAccess(
            id: id, guestUserID: guest, label: label, propertyID: property, unitID: unit, deviceIDs: devices,
            operations: operations, window: window, resolution: resolution, schedule: schedule, maxUses: maxUses,
            grantedByUserID: grantor, grantedUnderAssociationID: association, grantedUnderRole: role, carriersByDevice: carriers,
            widenedUnder: try columns.optionalIDs() ?? [], revokedAt: revokedAt, createdAt: createdAt)
    }

    private static func schedule(_ columns: inout ColumnReader) throws -> Schedule? {
        let stored = try columns.json()
        guard !stored.isEmpty else { return nil }
        guard let schedule = Schedule(stored: stored) else { throw columns.unreadable() }
        return schedule
    }

    private static func apiKey(_ columns: inout ColumnReader) throws -> APIKey {
        APIKey(
            id: try columns.id(), name: try columns.value(), userID: try columns.id(), parentID: try columns.optionalID(),
            entity: AssociatedEntity(type: try columns.word(), id: try columns.id()), role: try columns.word(),
            digest: try columns.bytes(), createdAt: try columns.instant(), expiresAt: try columns.instant())
    }

    private static func invitation(_ columns: inout ColumnReader) throws -> Invitation {
        Invitation(
            id: try columns.id(), email: try columns.value(), offer: try offer(&columns), userID: try columns.id(),
            keyID: try columns.optionalID(), digest: try columns.bytes(), createdAt: try columns.instant(),
            expiresAt: try columns.instant())
    }

    /// Reads the role and its entity, or the user to whom an invitation gives a first password.
    private static func offer(_ columns: inout ColumnReader) throws -> Invitation.Offer {
        let (role, type): (Role?, AssociatedEntityType?) = (try columns.optionalWord(), try columns.optionalWord())
        let (entity, account): (EntityID<AssociatedEntity>?, UserID?) = (try columns.optionalID(), try columns.optionalID())
        switch (role, type, entity, account) {
        case (let role?, let type?, let entity?, nil): return .role(role, on: AssociatedEntity(type: type, id: entity))
        case (nil, nil, nil, let account?): return .account(account)
        default: throw UnreadableColumn(column: "account_id")
        }
    }

    private static func carriers(_ columns: inout ColumnReader) throws -> [DeviceID: [AssociationID]]? {
        guard let ids: [DeviceID] = try columns.optionalIDs() else { return nil }
        guard ids.count.isMultiple(of: 2) else { throw UnreadableColumn(column: "device_carriers") }
        return stride(from: 0, to: ids.count, by: 2).reduce(into: [:]) { $0[ids[$1], default: []].append(ids[$1 + 1].cast()) }
    }
}
