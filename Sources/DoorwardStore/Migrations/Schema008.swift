import GRDB

/// The eighth schema: entities can be removed.
///
/// - An index for each reference to an entity that can be removed: SQLite looks for referring rows when it removes one.
/// - The ids of removed users.
enum Schema008 {
    @Sendable static func apply(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE removed_users (id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
                CREATE INDEX properties_by_portfolio ON properties (portfolio_id);
                CREATE INDEX units_by_property ON units (property_id);
                CREATE INDEX units_by_portfolio ON units (portfolio_id);
                CREATE INDEX devices_by_portfolio ON devices (portfolio_id) WHERE portfolio_id IS NOT NULL;
                CREATE INDEX devices_by_property ON devices (property_id) WHERE property_id IS NOT NULL;
                CREATE INDEX devices_by_unit ON devices (unit_id) WHERE unit_id IS NOT NULL;
                CREATE INDEX role_associations_by_user ON role_associations (user_id);
                CREATE INDEX role_associations_by_entity ON role_associations (entity_id);
                CREATE INDEX guest_accesses_by_guest ON guest_accesses (guest_user_id) WHERE guest_user_id IS NOT NULL;
                CREATE INDEX guest_accesses_by_property ON guest_accesses (property_id);
                CREATE INDEX guest_accesses_by_unit ON guest_accesses (unit_id) WHERE unit_id IS NOT NULL;
                DROP INDEX sessions_live_by_user;
                CREATE INDEX sessions_by_user ON sessions (user_id);
                """)
    }
}
