import DoorwardControl
import DoorwardDomain
import DoorwardStore
import DoorwardTesting

/// A database with three logs of started and finished commands, for tests that read a database.
///
/// The logs have the keys 1 (the first portfolio's), 2 (the other's) and 3 (the gateway's). Records 0 and 1 of the first log
/// are a command's intent and outcome; its last record is the intent of a command that never ended.
struct CheckedSample {
    let database: TemporaryDatabase
    let script: StoreScript
    /// The number of records of each log, in the order of the logs' ids.
    let sizes: [UInt64]

    /// - Parameter isClosed: whether to close the store, which removes the write-ahead log. Otherwise the store stays open.
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

    /// The store, if it is still open.
    let holder: SQLiteStore?
}

/// A change in the file of a `CheckedSample`, and the fault that a check must report for it.
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
        Alteration("a missing record", "DELETE FROM entries WHERE position = \(first + 2)", "wrong_seq", .first, 2),
        Alteration("a missing first record", "DELETE FROM entries WHERE position = \(first)", "wrong_seq", .first, 0),
        Alteration(
            "a missing last record",
            "DELETE FROM entries WHERE position = (SELECT max(position) FROM entries WHERE position < \(second))", "wrong_size",
            .first, 9),
        Alteration(
            "two records in each other's places",
            """
            UPDATE entries SET position = -1 WHERE position = \(first + 1);
            UPDATE entries SET position = \(first + 1) WHERE position = \(first + 2);
            UPDATE entries SET position = \(first + 2) WHERE position = -1
            """, "wrong_seq", .first, 1),
        Alteration(
            "a record with other bytes", "UPDATE entries SET bytes = x'00' WHERE position = \(second)", "not_a_record", .second,
            0),
        Alteration(
            "a record of another log",
            """
            UPDATE entries SET bytes = (SELECT bytes FROM entries WHERE position = \(second + 1)) WHERE position = \(first + 1)
            """, "other_log", .first, 1),
        Alteration(
            "the leaf hash of another record",
            """
            UPDATE entries SET leaf_hash = (SELECT leaf_hash FROM entries WHERE position = \(first)) WHERE position = \(first + 4)
            """, "wrong_leaf_hash", .first, 4),
        Alteration(
            "a record after the end of its log",
            """
            INSERT INTO entries SELECT position + 1000, at, zeroblob(16), device_id, unit_id, property_id, bytes, leaf_hash, sealed, actor_user_id, is_denied,
                kind, operation, reason, outcome
            FROM entries WHERE position = \(first)
            """, "beyond_end", .first, 10),
        Alteration(
            "a record that belongs to no log",
            """
            INSERT INTO entries SELECT \(9 << 40), at, zeroblob(16), device_id, unit_id, property_id, bytes, leaf_hash, sealed, actor_user_id, is_denied,
                kind, operation, reason, outcome
            FROM entries WHERE position = \(first)
            """, "records_outside_logs", .none),
        Alteration(
            "a record moved out of its log", "UPDATE entries SET position = \(9 << 40) WHERE position = \(3 << 40)", "wrong_seq",
            .gateway, 0),
    ]

    private static let logs = [
        Alteration(
            "a log size that is too small by one", "UPDATE logs SET size = size - 1 WHERE key = 1", "beyond_end", .first, 9),
        Alteration(
            "a log size that is too large by one", "UPDATE logs SET size = size + 1 WHERE key = 1", "wrong_size", .first, 10),
        Alteration(
            "a malformed frontier", "UPDATE logs SET frontier = x'0102' WHERE key = 2", "malformed_frontier", .second),
        Alteration(
            "the frontier of another log", "UPDATE logs SET frontier = (SELECT frontier FROM logs WHERE key = 1) WHERE key = 2",
            "wrong_size", .second, 4),
        Alteration(
            "a last instant of a log that is too late", "UPDATE logs SET last_at = last_at + 1 WHERE key = 1", "last_instant",
            .first),
        Alteration("an invalid log id", "UPDATE logs SET log_id = 'house' WHERE key = 1", "unreadable", .none),
        Alteration(
            "another log id", "UPDATE logs SET log_id = '00112233-4455-6677-8899-aabbccddeeff' WHERE key = 2",
            "other_log", .other, 0),
    ]

    private static let columns = [
        Alteration("another instant", "UPDATE entries SET at = at + 1 WHERE position = \(first + 3)", "column", .first, 3),
        Alteration(
            "another record id", "UPDATE entries SET record_id = \(someID) WHERE position = \(first + 3)", "column", .first, 3),
        Alteration(
            "another device", "UPDATE entries SET device_id = \(someID) WHERE position = \(second + 2)", "column", .second, 2),
        Alteration(
            "a missing device", "UPDATE entries SET device_id = NULL WHERE position = \(second + 2)", "column", .second,
            2),
        Alteration("another unit", "UPDATE entries SET unit_id = \(someID) WHERE position = \(first)", "column", .first, 0),
        Alteration(
            "a missing property", "UPDATE entries SET property_id = NULL WHERE position = \(first + 5)", "column", .first, 5),
    ]

    private static let values = [
        Alteration(
            "malformed encrypted values", "UPDATE entries SET sealed = x'00' WHERE position = \(first)", "unreadable", .first, 0),
        Alteration(
            "a missing encrypted value", "UPDATE entries SET sealed = NULL WHERE position = \(first + 1)", "personal_value",
            .first, 1),
        Alteration(
            "the encrypted value of another record",
            "UPDATE entries SET sealed = (SELECT sealed FROM entries WHERE position = \(first + 4)) WHERE position = \(first + 1)",
            "personal_value", .first, 1),
        Alteration(
            "an encrypted value without a commitment",
            "UPDATE entries SET sealed = (SELECT sealed FROM entries WHERE position = \(first)) WHERE position = \(first + 2)",
            "personal_value", .first, 2),
        Alteration("another key", "UPDATE person_keys SET key = zeroblob(42) WHERE log = 2", "unreadable", .second, 0),
        Alteration("a truncated key", "UPDATE person_keys SET key = zeroblob(16) WHERE log = 2", "unreadable", .second, 0),
    ]

    private static let commands = [
        Alteration("a missing command", "DELETE FROM commands WHERE intent = \(first)", "command", .first, 0),
        Alteration(
            "a command with another intent", "UPDATE commands SET intent = intent + 1 WHERE intent = \(first)", "command",
            .first, 0
        ),
        Alteration(
            "a command with another final state", "UPDATE commands SET state = 'FAILED' WHERE intent = \(first)", "command",
            .first, 1
        ),
        Alteration(
            "an open command that has an outcome", "UPDATE commands SET is_ended = 0 WHERE intent = \(first)", "command", .first,
            1),
        Alteration("an unknown state", "UPDATE commands SET state = 'GONE' WHERE intent = \(second)", "unreadable", .second, 0),
        Alteration(
            "a finished command without an outcome", "UPDATE commands SET is_ended = 1 WHERE intent = \(first + 9)", "command",
            .none),
        Alteration(
            "a count of commands that is too high", "UPDATE command_counts SET commands = commands + 1", "kept_count", .none),
        Alteration("a missing count of commands", "DELETE FROM command_counts WHERE log = 2", "kept_count", .none),
        Alteration(
            "a total of commands that is too low", "UPDATE command_totals SET commands = commands - 1", "kept_count", .none),
        Alteration(
            "a command without a record",
            """
            INSERT INTO commands SELECT 7, \(someID), state, 1, rule_id, rule_role, sent, changed, outcome_detail,
                state_before, state_after, requested_at, deadline, dispatched_at, completed_at
            FROM commands WHERE intent = \(first)
            """, "command_count", .none),
        Alteration(
            "a missing block of postings", "DELETE FROM postings WHERE facet = 1 AND log = 2", "projection", .none),
        Alteration(
            "a block of postings in another list", "UPDATE postings SET value = \(someID) WHERE facet = 2", "projection", .none),
        Alteration(
            "a position of the projection that is too low", "UPDATE logs SET projected = projected - 1 WHERE key = 2",
            "kept_count", .none),
        Alteration("a wrong time mark", "UPDATE time_marks SET at = at + 1", "projection", .none),
        Alteration("a missing time mark", "DELETE FROM time_marks WHERE position = \(second)", "projection", .none),
    ]

    private static let tables = [
        Alteration("a missing index", "DROP INDEX commands_by_id", "schema", .none),
        Alteration(
            "an index of another kind", "DROP INDEX entries_by_record; CREATE INDEX entries_by_record ON entries (record_id)",
            "schema", .none),
        Alteration("an unknown table", "CREATE TABLE theirs (a)", "schema", .none),
        Alteration("a trigger", "CREATE TRIGGER t AFTER INSERT ON entries BEGIN SELECT 1; END", "schema", .none),
        Alteration("references to missing rows", "PRAGMA foreign_keys = OFF; DELETE FROM properties", "reference", .none),
    ]
}
