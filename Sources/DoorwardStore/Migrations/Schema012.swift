import GRDB

/// The twelfth schema: the state of the gateway's clock (decision 0068).
///
/// The mark of an earlier file is the latest time in its logs, so that a clock that was set back before the update is noticed.
enum Schema012 {
    @Sendable static func apply(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE clock (
                    id INTEGER PRIMARY KEY CHECK (id = 1), mark INTEGER NOT NULL,
                    step_before INTEGER, step_after INTEGER, -- of a step forward that is not confirmed
                    CHECK ((step_before IS NULL) = (step_after IS NULL))
                ) STRICT;
                INSERT INTO clock (id, mark) SELECT 1, latest FROM (SELECT max(last_at) AS latest FROM logs) WHERE latest > 0;
                """)
    }
}
