import DoorwardControl
import DoorwardDomain
import DoorwardStore
import DoorwardTesting

/// A database with three logs, in which commands began and ended, for what reads it afterwards.
///
/// The logs have the keys 1 (the first portfolio's), 2 (the other's) and 3 (the gateway's). Records 0 and 1 of the first are
/// a command's intent and outcome, and its last is an intent that was never ended.
struct CheckedSample {
    let database: TemporaryDatabase
    let script: StoreScript
    /// How many records each log has, by the log's id.
    let sizes: [UInt64]

    /// - Parameter isClosed: whether the store was closed, which leaves no write-ahead log; else it is open still.
    init(seed: UInt64, isClosed: Bool = true) async throws {
        let database = try TemporaryDatabase()
        var script = StoreScript(seed: seed)
        var store = try database.open()
        var counts: [LogID: UInt64] = [:]
        var transactions = [script.tenancy]
        for device in [script.door, script.otherDoor, script.gate, script.door] {
            let command = script.command(on: device, reason: "parcel \(transactions.count)")
            transactions += [script.begin(command), script.end(script.confirmed(command))]
            transactions.append(StoreTransaction(records: [PendingRecord(script.event(on: device))]))
        }
        for device in [script.otherDoor, script.door] {
            transactions.append(StoreTransaction(records: [PendingRecord(script.gatewayEvent())]))
            transactions.append(script.begin(script.command(on: device, reason: "left open")))
        }
        for (index, transaction) in transactions.enumerated() {
            script.now = script.now.advanced(by: .milliseconds(5))
            for place in try await store.commit(transaction) { counts[place.log, default: 0] += 1 }
            if index == 6 {
                try await store.close()
                store = try database.open()
            }
        }
        if isClosed { try await store.close() }
        (self.database, self.script) = (database, script)
        sizes = counts.sorted { $0.key.description < $1.key.description }.map(\.value)
        holder = isClosed ? nil : store
    }

    /// The store, if it was not closed.
    let holder: SQLiteStore?
}

/// Something that is altered in the file of a `CheckedSample`, and what a check says of it.
struct Alteration: Sendable, CustomStringConvertible {
    enum Log: Sendable { case first, second, gateway, other, none }

    let description: String
    let sql: String
    let code: String
    let log: Log
    let seq: UInt64?

    init(_ description: String, _ sql: String, _ code: String, _ log: Log = .first, _ seq: UInt64? = nil) {
        (self.description, self.sql, self.code, self.log, self.seq) = (description, sql, code, log, seq)
    }

    private static let (first, second) = (1 << 40, 2 << 40)
    private static let someID = "x'00112233445566778899aabbccddeeff'"

    static let all: [Alteration] = records + logs + columns + values + commands + tables

    private static let records = [
        Alteration("a record is gone", "DELETE FROM entries WHERE position = \(first + 2)", "wrong_seq", .first, 2),
        Alteration("the first record is gone", "DELETE FROM entries WHERE position = \(first)", "wrong_seq", .first, 0),
        Alteration(
            "the last record is gone",
            "DELETE FROM entries WHERE position = (SELECT max(position) FROM entries WHERE position < \(second))", "wrong_size",
            .first, 9),
        Alteration(
            "two records have changed places",
            """
            UPDATE entries SET position = -1 WHERE position = \(first + 1);
            UPDATE entries SET position = \(first + 1) WHERE position = \(first + 2);
            UPDATE entries SET position = \(first + 2) WHERE position = -1
            """, "wrong_seq", .first, 1),
        Alteration(
            "a record has other bytes", "UPDATE entries SET bytes = x'00' WHERE position = \(second)", "not_a_record", .second, 0),
        Alteration(
            "a record is that of another log",
            """
            UPDATE entries SET bytes = (SELECT bytes FROM entries WHERE position = \(second + 1)) WHERE position = \(first + 1)
            """, "other_log", .first, 1),
        Alteration(
            "a leaf is another record's",
            """
            UPDATE entries SET leaf_hash = (SELECT leaf_hash FROM entries WHERE position = \(first)) WHERE position = \(first + 4)
            """, "wrong_leaf_hash", .first, 4),
        Alteration(
            "a record lies behind the end",
            """
            INSERT INTO entries SELECT position + 1000, at, zeroblob(16), device_id, unit_id, property_id, bytes, leaf_hash, sealed, actor_user_id, is_denied,
                kind, operation, reason, outcome
            FROM entries WHERE position = \(first)
            """, "beyond_end", .first, 10),
        Alteration(
            "a record lies in no log",
            """
            INSERT INTO entries SELECT \(9 << 40), at, zeroblob(16), device_id, unit_id, property_id, bytes, leaf_hash, sealed, actor_user_id, is_denied,
                kind, operation, reason, outcome
            FROM entries WHERE position = \(first)
            """, "records_outside_logs", .none),
        Alteration(
            "a record has gone to no log", "UPDATE entries SET position = \(9 << 40) WHERE position = \(3 << 40)", "wrong_seq",
            .gateway, 0),
    ]

    private static let logs = [
        Alteration("a log tells one record less", "UPDATE logs SET size = size - 1 WHERE key = 1", "beyond_end", .first, 9),
        Alteration("a log tells one record more", "UPDATE logs SET size = size + 1 WHERE key = 1", "wrong_size", .first, 10),
        Alteration(
            "a log's end is no frontier", "UPDATE logs SET frontier = x'0102' WHERE key = 2", "malformed_frontier", .second),
        Alteration(
            "a log's end is another one's", "UPDATE logs SET frontier = (SELECT frontier FROM logs WHERE key = 1) WHERE key = 2",
            "wrong_size", .second, 4),
        Alteration(
            "a log's last instant is later", "UPDATE logs SET last_at = last_at + 1 WHERE key = 1", "last_instant", .first),
        Alteration("a log has no name", "UPDATE logs SET log_id = 'house' WHERE key = 1", "unreadable", .none),
        Alteration(
            "a log has another name", "UPDATE logs SET log_id = '00112233-4455-6677-8899-aabbccddeeff' WHERE key = 2",
            "other_log", .other, 0),
    ]

    private static let columns = [
        Alteration("an instant", "UPDATE entries SET at = at + 1 WHERE position = \(first + 3)", "column", .first, 3),
        Alteration(
            "a record's id", "UPDATE entries SET record_id = \(someID) WHERE position = \(first + 3)", "column", .first, 3),
        Alteration("a device", "UPDATE entries SET device_id = \(someID) WHERE position = \(second + 2)", "column", .second, 2),
        Alteration(
            "a device that is left out", "UPDATE entries SET device_id = NULL WHERE position = \(second + 2)", "column", .second,
            2),
        Alteration("a unit", "UPDATE entries SET unit_id = \(someID) WHERE position = \(first)", "column", .first, 0),
        Alteration("a property", "UPDATE entries SET property_id = NULL WHERE position = \(first + 5)", "column", .first, 5),
    ]

    private static let values = [
        Alteration(
            "sealed values of no form", "UPDATE entries SET sealed = x'00' WHERE position = \(first)", "unreadable", .first, 0),
        Alteration(
            "a sealed value that is gone", "UPDATE entries SET sealed = NULL WHERE position = \(first + 1)", "personal_value",
            .first, 1),
        Alteration(
            "a sealed value of another record",
            "UPDATE entries SET sealed = (SELECT sealed FROM entries WHERE position = \(first + 4)) WHERE position = \(first + 1)",
            "personal_value", .first, 1),
        Alteration(
            "a sealed value that nothing commits to",
            "UPDATE entries SET sealed = (SELECT sealed FROM entries WHERE position = \(first)) WHERE position = \(first + 2)",
            "personal_value", .first, 2),
        Alteration("another key", "UPDATE person_keys SET key = zeroblob(32) WHERE log = 2", "personal_value", .second, 0),
        Alteration("half a key", "UPDATE person_keys SET key = zeroblob(16) WHERE log = 2", "unreadable", .second, 0),
    ]

    private static let commands = [
        Alteration("a command that is gone", "DELETE FROM commands WHERE intent = \(first)", "command", .first, 0),
        Alteration(
            "a command of another intent", "UPDATE commands SET intent = intent + 1 WHERE intent = \(first)", "command", .first, 0
        ),
        Alteration(
            "a command that ended otherwise", "UPDATE commands SET state = 'FAILED' WHERE intent = \(first)", "command", .first, 1
        ),
        Alteration(
            "an outcome whose command is open", "UPDATE commands SET is_ended = 0 WHERE intent = \(first)", "command", .first, 1),
        Alteration("a state of no name", "UPDATE commands SET state = 'GONE' WHERE intent = \(second)", "unreadable", .second, 0),
        Alteration("an end without an outcome", "UPDATE commands SET is_ended = 1 WHERE intent = \(first + 9)", "command", .none),
        Alteration(
            "a count of commands that is too high", "UPDATE command_counts SET commands = commands + 1", "kept_count", .none),
        Alteration("a count of commands that is gone", "DELETE FROM command_counts WHERE log = 2", "kept_count", .none),
        Alteration("a sum of counts that is too low", "UPDATE command_totals SET commands = commands - 1", "kept_count", .none),
        Alteration(
            "a command that no record speaks of",
            """
            INSERT INTO commands SELECT 7, \(someID), state, 1, rule_id, rule_role, sent, changed, outcome_detail,
                state_before, state_after, requested_at, deadline, dispatched_at, completed_at, owner
            FROM commands WHERE intent = \(first)
            """, "command_count", .none),
        Alteration(
            "a block of postings that is gone", "DELETE FROM postings WHERE facet = 1 AND log = 2", "projection", .none),
        Alteration(
            "a block of postings in another list", "UPDATE postings SET value = \(someID) WHERE facet = 2", "projection", .none),
        Alteration(
            "postings behind what is projected", "UPDATE logs SET projected = projected - 1 WHERE key = 2", "kept_count", .none),
        Alteration("a time mark that is wrong", "UPDATE time_marks SET at = at + 1", "projection", .none),
        Alteration("a time mark that is gone", "DELETE FROM time_marks WHERE position = \(second)", "projection", .none),
    ]

    private static let tables = [
        Alteration("an index that is gone", "DROP INDEX commands_by_id", "schema", .none),
        Alteration(
            "an index of another kind", "DROP INDEX entries_by_record; CREATE INDEX entries_by_record ON entries (record_id)",
            "schema", .none),
        Alteration("a table too many", "CREATE TABLE theirs (a)", "schema", .none),
        Alteration("a trigger", "CREATE TRIGGER t AFTER INSERT ON entries BEGIN SELECT 1; END", "schema", .none),
        Alteration("a reference to nothing", "PRAGMA foreign_keys = OFF; DELETE FROM properties", "reference", .none),
    ]
}
