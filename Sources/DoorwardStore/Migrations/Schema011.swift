import GRDB

/// The eleventh schema: a guest access has a schedule, a maximum number of uses, and the resolution of its local times.
///
/// Guest accesses of earlier schemas were granted with instants, for the whole window and any number of uses.
enum Schema011 {
    @Sendable static func apply(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE guest_accesses ADD COLUMN time_zone TEXT; -- NULL: the request named none
                ALTER TABLE guest_accesses ADD COLUMN resolved_from TEXT; -- NULL: one instant; else gap or overlap
                ALTER TABLE guest_accesses ADD COLUMN resolved_until TEXT;
                ALTER TABLE guest_accesses ADD COLUMN schedule BLOB; -- CBOR; NULL: the whole window
                ALTER TABLE guest_accesses ADD COLUMN max_uses INTEGER; -- NULL: no limit
                """)
    }
}
