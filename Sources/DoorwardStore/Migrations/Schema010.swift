import GRDB

/// The tenth schema: a property has a lockdown, and a portfolio a subscription and a retention.
///
/// Portfolios of earlier schemas get the tier `standard`, as new ones do, and keep their log without a limit. The modules are
/// spelled out because a published schema does not change with the tiers.
enum Schema010 {
    /// The modules that the migration gives to existing portfolios.
    static let earlierModules = "guestAccess recurringSchedules guestLinks bulkOperations accessLogExport webhooks"

    @Sendable static func apply(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE portfolios ADD COLUMN tier TEXT NOT NULL DEFAULT 'standard';
                ALTER TABLE portfolios ADD COLUMN modules TEXT NOT NULL DEFAULT '\(earlierModules)'; -- those that are on
                ALTER TABLE portfolios ADD COLUMN max_properties INTEGER; -- NULL: no limit
                ALTER TABLE portfolios ADD COLUMN max_units INTEGER;
                ALTER TABLE portfolios ADD COLUMN max_devices INTEGER;
                ALTER TABLE portfolios ADD COLUMN max_active_guest_access INTEGER;
                ALTER TABLE portfolios ADD COLUMN retention_days INTEGER; -- NULL: records are kept without a limit
                ALTER TABLE portfolios ADD COLUMN legal_hold INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE properties ADD COLUMN lockdown_since INTEGER; -- NULL: no lockdown is active
                ALTER TABLE properties ADD COLUMN lockdown_by BLOB;
                ALTER TABLE properties ADD COLUMN lockdown_reason TEXT;
                """)
    }
}
