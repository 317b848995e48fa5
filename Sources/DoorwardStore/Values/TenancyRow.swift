internal import DoorwardAudit
internal import DoorwardDomain
internal import DoorwardKernel
internal import DoorwardPolicy
import FoundationEssentials
import GRDB

/// A table of the tenancy. The cases are ordered so that a table comes after the tables that it references.
enum TenancyTable: String, CaseIterable {
    case portfolios, properties, units, devices, users
    case associations = "role_associations"
    case guestAccesses = "guest_accesses"
    /// The ids of removed users.
    case removedUsers = "removed_users"
    case apiKeys = "api_keys"
    case invitations
    /// The id is the id of the guest access.
    case guestLinks = "guest_links"
}

/// The row of an entity, in both directions: an entity that is read takes the values of the named columns from the row, and an entity
/// that is written gives its own values to the columns.
struct TenancyRow<Entity> {
    /// Names each column of the entity's table once, always in the same order, with the entity's value for it. What it returns for an
    /// entity that is written is not used.
    typealias Description = (inout TenancyRow) throws -> Entity

    private var reader: ColumnReader?
    /// The entity that is written; `nil` for a row that is read.
    private let entity: Entity?
    private var columns: [(name: String, value: (any Bindable)?)] = []

    var isReading: Bool { entity == nil }

    static func entity(of reader: inout ColumnReader, _ description: Description) throws -> Entity {
        var row = TenancyRow(reader: reader, entity: nil)
        defer { reader = row.reader ?? reader }
        return try description(&row)
    }

    /// - Returns: a value for each column of the table, in the order of the description.
    static func columns(of entity: Entity, _ description: Description) throws -> [(name: String, value: (any Bindable)?)] {
        var row = TenancyRow(reader: nil, entity: entity)
        _ = try description(&row)
        return row.columns
    }

    /// The value of a column that is never NULL.
    mutating func callAsFunction<Value: ColumnValue>(_ name: String, _ value: (Entity) throws -> Value) throws -> Value {
        guard let value = try optional(name, { try value($0) }) else { throw UnreadableColumn(column: name) }
        return value
    }

    /// The value of a column; `nil` for NULL.
    mutating func optional<Value: ColumnValue>(_ name: String, _ value: (Entity) throws -> Value?) throws -> Value? {
        guard let entity else { return try reader?.optional(named: name) }
        let value = try value(entity)
        columns.append((name, value))
        return value
    }

    /// Enum values, which are stored by their raw values with a space between.
    mutating func words<Word: RawRepresentable<String>>(_ name: String, _ value: (Entity) -> [Word]) throws -> [Word] {
        let words: String = try self(name) { value($0).map(\.rawValue).joined(separator: " ") }
        return try words.split(separator: " ").map { word in
            guard let value = Word(rawValue: String(word)) else { throw UnreadableColumn(column: name) }
            return value
        }
    }

    /// Ids, which are stored one after the other.
    mutating func ids<Other>(_ name: String, _ value: (Entity) -> [EntityID<Other>]) throws -> [EntityID<Other>] {
        guard let ids = try optionalIDs(name, { value($0) }) else { throw UnreadableColumn(column: name) }
        return ids
    }

    /// Ids, which are stored one after the other; `nil` for NULL.
    mutating func optionalIDs<Other>(_ name: String, _ value: (Entity) -> [EntityID<Other>]?) throws -> [EntityID<Other>]? {
        guard let blob = try optional(name, { value($0).map { EntityID.blob(of: $0) } }) else { return nil }
        guard let ids = EntityID<Other>.list(blob: blob) else { throw UnreadableColumn(column: name) }
        return ids
    }

    /// An object, which is stored as JSON; NULL for an empty one.
    mutating func object(_ name: String, _ value: (Entity) -> [String: JSONValue]) throws -> [String: JSONValue] {
        guard let text = try optional(name, { try StoredJSON.column(of: value($0)) }), isReading else { return [:] }
        guard let object = StoredJSON.object(from: Array(text.utf8)) else { throw UnreadableColumn(column: name) }
        return object
    }
}

/// Reads and describes the rows of the tenancy.
struct TenancyRows {
    let db: Database
    /// `nil` if there is no person-key file: users are then read as erased ones.
    let keys: PersonKeyFile?

    private static let pageSize = 4096

    /// Reads one page of a table.
    ///
    /// - Returns: the rows, and the id after which the next page begins; `nil` for the last page.
    func page(of table: TenancyTable, after id: Data?) throws -> (changes: [TenancyChange], next: Data?) {
        let sql = "SELECT * FROM \(table.rawValue) WHERE id > ? ORDER BY id LIMIT \(Self.pageSize)"
        let changes = try db.rows(sql, [id ?? Data()]) { columns in
            do {
                return try change(of: table, &columns)
            } catch var error as UnreadableColumn {
                error.row = columns.rowName
                throw error
            }
        }
        return (changes, changes.count == Self.pageSize ? changes.last?.entity.row.id : nil)
    }

    func user(_ id: UserID) throws -> User? {
        try db.firstRow("SELECT * FROM users WHERE id = ?", [id.blob]) { try TenancyRow.entity(of: &$0, user) }
    }

    private func change(of table: TenancyTable, _ row: inout ColumnReader) throws -> TenancyChange {
        switch table {
        case .portfolios: .putPortfolio(try TenancyRow.entity(of: &row, portfolio))
        case .properties: .putProperty(try TenancyRow.entity(of: &row, property))
        case .units: .putUnit(try TenancyRow.entity(of: &row, unit))
        case .devices: .putDevice(try TenancyRow.entity(of: &row, device))
        case .users: .putUser(try TenancyRow.entity(of: &row, user))
        case .associations: .putAssociation(try TenancyRow.entity(of: &row, association))
        case .guestAccesses: .putGuestAccess(try TenancyRow.entity(of: &row, guestAccess))
        case .removedUsers: .removeUser(try TenancyRow.entity(of: &row) { try $0("id", \.self) })
        case .apiKeys: .putAPIKey(try TenancyRow.entity(of: &row, apiKey))
        case .invitations: .putInvitation(try TenancyRow.entity(of: &row, invitation))
        case .guestLinks: .putGuestLink(try TenancyRow.entity(of: &row, guestLink))
        }
    }

    /// Returns the row that the change writes; `nil` if it removes the row.
    func columns(of change: TenancyChange) throws -> [(name: String, value: (any Bindable)?)]? {
        switch change {
        case .putPortfolio(let entity): try TenancyRow.columns(of: entity, portfolio)
        case .putProperty(let entity): try TenancyRow.columns(of: entity, property)
        case .putUnit(let entity): try TenancyRow.columns(of: entity, unit)
        case .putDevice(let entity): try TenancyRow.columns(of: entity, device)
        case .putUser(let entity): try TenancyRow.columns(of: entity, user)
        case .putAssociation(let entity): try TenancyRow.columns(of: entity, association)
        case .putGuestAccess(let entity): try TenancyRow.columns(of: entity, guestAccess)
        case .putAPIKey(let entity): try TenancyRow.columns(of: entity, apiKey)
        case .putInvitation(let entity): try TenancyRow.columns(of: entity, invitation)
        case .putGuestLink(let entity): try TenancyRow.columns(of: entity, guestLink)
        case .removePortfolio, .removeProperty, .removeUnit, .removeDevice, .removeUser, .removeAssociation, .removeGuestAccess,
            .removeAPIKey, .removeInvitation, .removeGuestLink:
            nil
        }
    }

    // MARK: - The entities

    private func portfolio(_ row: inout TenancyRow<Portfolio>) throws -> Portfolio {
        var subscription = Subscription(
            tier: try row("tier", \.subscription.tier), modules: Set(try row.words("modules", \.subscription.modulesInOrder)))
        for (name, limit) in Self.limits {
            subscription.limits[limit] = try row.optional(name) { $0.subscription.limits[limit] }
        }
        return Portfolio(
            id: try row("id", \.id), name: try row("name", \.name), subscription: subscription,
            retention: Retention(
                days: try row.optional("retention_days", \.retention.days),
                legalHold: try row("legal_hold", \.retention.legalHold)),
            createdAt: try row("created_at", \.createdAt), updatedAt: try row("updated_at", \.updatedAt))
    }

    private static let limits: [(name: String, limit: SubscriptionLimit)] = [
        ("max_properties", .maxProperties), ("max_units", .maxUnits), ("max_devices", .maxDevices),
        ("max_active_guest_access", .maxActiveGuestAccess),
    ]

    private func property(_ row: inout TenancyRow<Property>) throws -> Property {
        let hasAddress = try row("has_address") { $0.address != nil }
        let address = PostalAddress(
            street: try row.optional("street", \.address?.street), city: try row.optional("city", \.address?.city),
            state: try row.optional("state", \.address?.state),
            postalCode: try row.optional("postal_code", \.address?.postalCode),
            country: try row.optional("country", \.address?.country))
        let since = try row.optional("lockdown_since", \.lockdown?.since)
        let (user, reason) = (
            try row.optional("lockdown_by", \.lockdown?.byUserID), try row.optional("lockdown_reason", \.lockdown?.reason)
        )
        return Property(
            id: try row("id", \.id), name: try row("name", \.name), portfolioID: try row("portfolio_id", \.portfolioID),
            address: hasAddress ? address : nil, defaultTimeZone: try row.optional("default_time_zone", \.defaultTimeZone),
            lockdown: since.map { Lockdown(since: $0, byUserID: user, reason: reason) },
            createdAt: try row("created_at", \.createdAt), updatedAt: try row("updated_at", \.updatedAt))
    }

    private func unit(_ row: inout TenancyRow<Unit>) throws -> Unit {
        Unit(
            id: try row("id", \.id), name: try row("name", \.name), propertyID: try row("property_id", \.propertyID),
            portfolioID: try row("portfolio_id", \.portfolioID),
            commonAreaAccessIDs: try row.ids("common_area_ids", \.commonAreaAccessIDs),
            createdAt: try row("created_at", \.createdAt), updatedAt: try row("updated_at", \.updatedAt))
    }

    private func device(_ row: inout TenancyRow<LockDevice>) throws -> LockDevice {
        var device = LockDevice(
            id: try row("id", \.id), name: try row("name", \.name), adapter: try row("adapter", \.adapter),
            address: try row.object("address", \.address),
            firmwareVersion: try row.optional("firmware_version", \.firmwareVersion),
            portfolioID: try row.optional("portfolio_id", \.portfolioID),
            propertyID: try row.optional("property_id", \.propertyID), unitID: try row.optional("unit_id", \.unitID),
            isRemoteOperationEnabled: try row("is_remote_operation_enabled", \.isRemoteOperationEnabled),
            capabilities: LockCapabilities(rawValue: try row("capabilities", \.capabilities.rawValue)),
            settings: LockSettings(autoRelockSeconds: try row.optional("auto_relock_seconds", \.settings.autoRelockSeconds)),
            sealedCode: try row.optional("sealed_code", \.sealedCode), metadata: try row.object("metadata", \.metadata),
            createdAt: try row("created_at", \.createdAt), updatedAt: try row("updated_at", \.updatedAt))
        for text in DeviceText.allCases { device.texts[text] = try row.optional(text.rawValue) { $0.texts[text] } }
        return device
    }

    /// The names and the email address are encrypted; the text for the index of addresses is derived from the address.
    ///
    /// A user whose wrapping key was erased, in a database from before the erasure, is read as a disabled one.
    private func user(_ row: inout TenancyRow<User>) throws -> User {
        let id = try row("id", \.id)
        _ = try row.optional("email_key") { keys?.emailIndex(of: $0.email) }
        let sealed = try row.optional("sealed") { user in
            try keys?.seal(SealedAccount(user), of: user.id, from: PersonKeys.generation(of: .user(user.id), in: db))
        }
        guard let sealed else { throw UnreadableColumn(column: "sealed") }
        let opened = row.isReading ? try keys?.open(sealed, of: id) : nil
        let account = opened ?? .erased(id)
        var user = User(
            id: id, email: account.email, firstName: account.firstName, lastName: account.lastName,
            isEnabled: try row("is_enabled", \.isEnabled), isSuperAdmin: try row("is_super_admin", \.isSuperAdmin),
            defaultPortfolioID: try row.optional("default_portfolio_id", \.defaultPortfolioID),
            defaultPropertyID: try row.optional("default_property_id", \.defaultPropertyID),
            defaultUnitID: try row.optional("default_unit_id", \.defaultUnitID),
            hasCompliancePack: try row("has_compliance_pack", \.hasCompliancePack),
            createdAt: try row("created_at", \.createdAt), updatedAt: try row("updated_at", \.updatedAt))
        if opened == nil { user.isEnabled = false }
        return user
    }

    private func association(_ row: inout TenancyRow<UserRoleAssociation>) throws -> UserRoleAssociation {
        UserRoleAssociation(
            id: try row("id", \.id), userID: try row("user_id", \.userID),
            entity: AssociatedEntity(type: try row("entity_type", \.entity.type), id: try row("entity_id", \.entity.id)),
            role: try row("role", \.role), createdAt: try row("created_at", \.createdAt),
            updatedAt: try row("updated_at", \.updatedAt))
    }

    private func guestAccess(_ row: inout TenancyRow<GuestAccess>) throws -> GuestAccess {
        // NULL for the usual case of a time that is one instant.
        func change(_ name: String, _ value: (GuestAccess) -> ClockChange) throws -> ClockChange {
            try row.optional(name) { value($0) == ClockChange.none ? nil : value($0) } ?? ClockChange.none
        }
        let resolution = WindowResolution(
            timeZone: try row.optional("time_zone", \.resolution.timeZone),
            validFrom: try change("resolved_from", \.resolution.validFrom),
            validUntil: try change("resolved_until", \.resolution.validUntil))
        let schedule = try row.object("schedule") { $0.schedule?.stored ?? [:] }
        let widened = try row.optionalIDs("widened_under") { $0.widenedUnder.isEmpty ? nil : $0.widenedUnder }
        let carriers = try row.optionalIDs("device_carriers") { $0.carriersByDevice.map(Self.pairs) }
        return GuestAccess(
            id: try row("id", \.id), guestUserID: try row.optional("guest_user_id", \.guestUserID),
            label: try row.optional("label", \.label), propertyID: try row("property_id", \.propertyID),
            unitID: try row.optional("unit_id", \.unitID), deviceIDs: try row.ids("device_ids", \.deviceIDs),
            operations: try row.words("operations", \.operations),
            window: GuestWindow(
                validFrom: try row("valid_from", \.window.validFrom), validUntil: try row("valid_until", \.window.validUntil)),
            resolution: resolution, schedule: try Self.schedule(schedule), maxUses: try row.optional("max_uses", \.maxUses),
            grantedByUserID: try row("granted_by_user_id", \.grantedByUserID),
            grantedUnderAssociationID: try row("granted_under_association_id", \.grantedUnderAssociationID),
            grantedUnderRole: try row("granted_under_role", \.grantedUnderRole),
            carriersByDevice: try carriers.map(Self.carriers), widenedUnder: widened ?? [],
            revokedAt: try row.optional("revoked_at", \.revokedAt), createdAt: try row("created_at", \.createdAt))
    }

    private static func schedule(_ stored: [String: JSONValue]) throws -> Schedule? {
        guard !stored.isEmpty else { return nil }
        guard let schedule = Schedule(stored: stored) else { throw UnreadableColumn(column: "schedule") }
        return schedule
    }

    /// Returns pairs of a device and an association that the access to it depends on, sorted by device. A device without such
    /// an association has no pair.
    private static func pairs(_ carriers: [DeviceID: [AssociationID]]) -> [DeviceID] {
        carriers.sorted { $0.key < $1.key }.flatMap { device, carriers in carriers.flatMap { [device, $0.cast()] } }
    }

    private static func carriers(_ pairs: [DeviceID]) throws -> [DeviceID: [AssociationID]] {
        guard pairs.count.isMultiple(of: 2) else { throw UnreadableColumn(column: "device_carriers") }
        return stride(from: 0, to: pairs.count, by: 2).reduce(into: [:]) {
            $0[pairs[$1], default: []].append(pairs[$1 + 1].cast())
        }
    }

    private func apiKey(_ row: inout TenancyRow<APIKey>) throws -> APIKey {
        APIKey(
            id: try row("id", \.id), name: try row("name", \.name), userID: try row("user_id", \.userID),
            parentID: try row.optional("parent_id", \.parentID),
            entity: AssociatedEntity(type: try row("entity_type", \.entity.type), id: try row("entity_id", \.entity.id)),
            role: try row("role", \.role), digest: try row("digest", \.digest), createdAt: try row("created_at", \.createdAt),
            expiresAt: try row("expires_at", \.expiresAt))
    }

    private func invitation(_ row: inout TenancyRow<Invitation>) throws -> Invitation {
        let (role, type) = (try row.optional("role", \.role), try row.optional("entity_type", \.entity?.type))
        let (entity, account) = (try row.optional("entity_id", \.entity?.id), try row.optional("account_id", \.accountID))
        let offer: Invitation.Offer
        switch (role, type, entity, account) {
        case (let role?, let type?, let entity?, nil): offer = .role(role, on: AssociatedEntity(type: type, id: entity))
        case (nil, nil, nil, let account?): offer = .account(account)
        default: throw UnreadableColumn(column: "account_id")
        }
        return Invitation(
            id: try row("id", \.id), email: try row("email", \.email), offer: offer, userID: try row("user_id", \.userID),
            keyID: try row.optional("key_id", \.keyID), digest: try row("digest", \.digest),
            createdAt: try row("created_at", \.createdAt), expiresAt: try row("expires_at", \.expiresAt))
    }

    private func guestLink(_ row: inout TenancyRow<GuestLink>) throws -> GuestLink {
        GuestLink(
            accessID: try row("id", \.accessID), userID: try row("user_id", \.userID), keyID: try row.optional("key_id", \.keyID),
            digest: try row("digest", \.digest), createdAt: try row("created_at", \.createdAt))
    }
}
