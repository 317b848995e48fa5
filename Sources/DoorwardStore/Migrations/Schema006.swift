internal import DoorwardControl
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// The sixth schema (decision 0035). The secondary indexes of records become posting lists, which are updated after the log. A
/// command's key becomes the position of its intent, so that only the intent stores the columns that filter command lists.
enum Schema006 {
    @Sendable static func apply(_ db: Database) throws {
        // The pages of the dropped indexes contain ids and no personal values, so they need not be overwritten with zeros.
        try db.execute(sql: "PRAGMA secure_delete = FAST")
        defer { try? db.execute(sql: "PRAGMA secure_delete = ON") }
        try db.execute(sql: tables)
        try fillPostings(db)
        try db.execute(sql: finish)
    }

    private static let tables = """
        CREATE TABLE postings (
            facet INTEGER NOT NULL, -- which of an entry's columns the list is for
            value BLOB NOT NULL, -- an id, or a word in UTF-8
            log INTEGER NOT NULL, first INTEGER NOT NULL, -- the first `seq` of the block
            last INTEGER NOT NULL, count INTEGER NOT NULL,
            deltas BLOB NOT NULL, -- from each `seq` to the next, as LEB128
            PRIMARY KEY (facet, value, log, first)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE time_marks (position INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT; -- every sixteenth entry of a log
        ALTER TABLE logs ADD COLUMN projected INTEGER NOT NULL DEFAULT 0; -- records that the posting lists and counts include
        CREATE TABLE new_commands (
            intent INTEGER PRIMARY KEY, -- the intent's position in the log
            id BLOB NOT NULL, state TEXT NOT NULL, is_ended INTEGER NOT NULL, rule_id BLOB, rule_role TEXT NOT NULL,
            sent INTEGER, changed INTEGER, outcome_detail TEXT, state_before TEXT, state_after TEXT,
            requested_at INTEGER NOT NULL, deadline INTEGER NOT NULL, dispatched_at INTEGER, completed_at INTEGER
        ) STRICT;
        """

    /// Sorting by log and time inserts the commands in the order of their intents, except within one millisecond.
    private static let finish = """
        INSERT INTO new_commands SELECT intent, id, state, is_ended, rule_id, rule_role, sent, changed, outcome_detail,
            state_before, state_after, requested_at, deadline, dispatched_at, completed_at FROM commands ORDER BY log, requested_at;
        DROP TABLE commands;
        ALTER TABLE new_commands RENAME TO commands;
        CREATE UNIQUE INDEX commands_by_id ON commands (id);
        CREATE INDEX commands_open ON commands (id) WHERE is_ended = 0;
        INSERT INTO time_marks SELECT position, at FROM entries WHERE position & 15 = 0;
        UPDATE logs SET projected = size;
        CREATE INDEX logs_unprojected ON logs (key) WHERE projected < size;
        DROP INDEX entries_by_device;
        DROP INDEX entries_by_unit;
        DROP INDEX entries_by_property;
        DROP INDEX entries_by_actor;
        DROP INDEX entries_denied;
        DROP INDEX entries_by_rare_kind;
        DROP INDEX entries_by_reason;
        DROP INDEX entries_by_rare_outcome;
        """

    /// The query that fills the lists of each facet. Its results are read in the order of value and position, which is the
    /// order of the dropped indexes.
    private static let facets: [(Int64, String)] =
        [
            (1, "SELECT device_id, position FROM entries WHERE device_id IS NOT NULL"),
            (2, "SELECT unit_id, position FROM entries WHERE unit_id IS NOT NULL"),
            (3, "SELECT property_id, position FROM entries WHERE property_id IS NOT NULL"),
            (4, "SELECT actor_user_id, position FROM entries WHERE actor_user_id IS NOT NULL"),
            (5, "SELECT x'', position FROM entries WHERE is_denied = 1"),
            (
                6,
                """
                SELECT CAST(kind AS BLOB), position FROM entries
                WHERE kind <> 'COMMAND_INTENT' AND kind <> 'COMMAND_OUTCOME' AND kind <> 'DEVICE_EVENT'
                """
            ),
            (7, "SELECT CAST(reason AS BLOB), position FROM entries WHERE reason IS NOT NULL"),
            (8, "SELECT CAST(outcome AS BLOB), position FROM entries WHERE outcome <> 'CONFIRMED'"),
            (17, "SELECT device_id, intent FROM commands"),
            (18, "SELECT unit_id, intent FROM commands WHERE unit_id IS NOT NULL"),
            (19, "SELECT property_id, intent FROM commands WHERE property_id IS NOT NULL"),
            (20, "SELECT actor_user_id, intent FROM commands WHERE actor_user_id IS NOT NULL"),
        ]

    private static func fillPostings(_ db: Database) throws {
        for (facet, sql) in facets {
            var list = (value: Data(), log: Int64(0), seqs: [UInt64]())
            let rows = try Row.fetchCursor(db, sql: sql + " ORDER BY 1, 2")
            while let row = try rows.next() {
                var columns = ColumnReader(row)
                let value: Data = try columns.value()
                let position = EntryKey(rawValue: try columns.value())
                if value != list.value || position.logKey != list.log || list.seqs.count == PostingBlock.capacity {
                    try insert(list.seqs, facet, list.value, list.log, db)
                    list = (value, position.logKey, [])
                }
                list.seqs.append(position.seq)
            }
            try insert(list.seqs, facet, list.value, list.log, db)
        }
    }

    private static func insert(_ seqs: [UInt64], _ facet: Int64, _ value: Data, _ log: Int64, _ db: Database) throws {
        guard let first = seqs.first, let last = seqs.last else { return }
        try db.run(
            "INSERT INTO postings (facet, value, log, first, last, count, deltas) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [facet, value, log, Int64(first), Int64(last), seqs.count, PostingBlock.deltas(of: seqs)])
    }
}
