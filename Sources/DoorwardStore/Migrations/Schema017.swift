import GRDB

/// The seventeenth schema: a guest access stores the tenancies under which it was widened (decision 0121).
enum Schema017 {
    @Sendable static func apply(_ db: Database) throws {
        // The ids of the associations, 16 bytes each; NULL if no tenant has widened the access.
        try db.execute(sql: "ALTER TABLE guest_accesses ADD COLUMN widened_under BLOB;")
    }
}
