internal import DoorwardAudit
internal import DoorwardDomain
internal import DoorwardKernel
internal import DoorwardPolicy
import FoundationEssentials
import GRDB

/// Writes changes of the tenancy into the tables of the entities.
enum TenancyWriting {
    static func apply(_ change: TenancyChange, in db: Database, _ keys: PersonKeyFile) throws {
        if let entity = change.referencedEntity, try !entity.exists(in: db) { throw ConstraintViolation(.parentUnknown) }
        if case .putUser(let user) = change { try db.run("DELETE FROM removed_users WHERE id = ?", [user.id.blob]) }
        let (table, id) = change.entity.row
        guard let row = try TenancyRows(db: db, keys: keys).columns(of: change) else {
            return try remove(id, from: table, change.entity, in: db)
        }
        do {
            try put(row, id, into: table, in: db)
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
        if case .putUser(let user) = change { return try TenancyRows(db: db, keys: keys).user(user.id) == user }
        let (table, id) = change.entity.row
        guard let row = try TenancyRows(db: db, keys: keys).columns(of: change) else {
            return try !db.hasRow("SELECT 1 FROM \(table.rawValue) WHERE id = ?", [id])
        }
        let conditions = row.map { "\($0.name) IS ?" }.joined(separator: " AND ")
        return try db.hasRow("SELECT 1 FROM \(table.rawValue) WHERE \(conditions)", row.map(\.value))
    }

    /// Updates the row with the id, or inserts it if there is none.
    ///
    /// `REPLACE` is not used because it would delete the row before writing it, which affects the rows that reference it. An upsert
    /// (`ON CONFLICT DO UPDATE`) is not used because a row whose parent is missing would fail only after a search of every table
    /// that references this one.
    private static func put(
        _ row: [(name: String, value: (any Bindable)?)], _ id: Data, into table: TenancyTable, in db: Database
    ) throws {
        // Without the id: SQLite would search for references to it, as if it changed.
        let changed = row.filter { $0.name != "id" }
        let updates = changed.map { "\($0.name) = ?" }.joined(separator: ", ")
        try db.run("UPDATE \(table.rawValue) SET \(updates) WHERE id = ?", changed.map(\.value) + [id])
        guard db.changesCount == 0 else { return }
        let (names, marks) = (row.map(\.name).joined(separator: ", "), row.map { _ in "?" }.joined(separator: ", "))
        try db.run("INSERT INTO \(table.rawValue) (\(names)) VALUES (\(marks))", row.map(\.value))
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
