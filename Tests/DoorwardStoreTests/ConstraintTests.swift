import DoorwardTesting
import GRDB
import Testing

@testable import DoorwardStore

/// The constraints of the tables, which reject invalid rows from any program.
@Suite struct ConstraintTests {
    @Test("SQLite rejects a row that violates a constraint of its table", arguments: Violation.all)
    func refused(_ violation: Violation) async throws {
        let sample = try await CheckedSample(seed: 31)
        let queue = try DatabaseQueue(path: sample.database.path)
        let before = try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(violation.table)") }
        let error = await #expect(throws: DatabaseError.self) {
            try await queue.write { try $0.execute(sql: violation.sql) }
        }
        #expect(error?.extendedResultCode == violation.code, "\(String(describing: error))")
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(violation.table)") } == before)
        try queue.close()
    }

    @Test(
        "Every required column rejects NULL, and every column rejects a value of another type",
        arguments: ColumnDamage.tables)
    func everyColumn(table: String) async throws {
        let sample = try await FullSample(seed: 32)
        let queue = try DatabaseQueue(path: sample.database.path)
        let columns = try queue.read { try Row.fetchAll($0, sql: "PRAGMA table_info(\(table))") }
        #expect(!columns.isEmpty)
        for column in columns {
            let (name, type): (String, String) = (column["name"], column["type"])
            // Both instants of a step of the clock are given, or neither is.
            let isRequired = column["notnull"] == 1 || column["pk"] != 0 || name.hasPrefix("step_")
            // In a TEXT column SQLite converts numbers to text, so bytes are the wrong type there.
            let wrong = type == "TEXT" ? "x'00'" : "'text'"
            for (value, isRefused) in [("NULL", isRequired), (wrong, true), (name, false)] {
                let statement = "UPDATE \(table) SET \(name) = \(value)"
                let code = await Self.refusal(of: statement, by: queue)
                #expect((code != nil) == isRefused, "\(statement): \(String(describing: code))")
                if let code { #expect([.SQLITE_CONSTRAINT, .SQLITE_MISMATCH].contains(code), "\(statement)") }
            }
        }
        try queue.close()
        #expect(try StoreCheck.run(path: sample.database.path).isWhole)
    }

    /// Returns the error with which SQLite rejects a statement, or `nil` if it accepts it. The statement is always rolled back.
    private static func refusal(of sql: String, by queue: DatabaseQueue) async -> ResultCode? {
        do {
            try await queue.writeWithoutTransaction { db in
                try db.inTransaction {
                    try db.execute(sql: sql)
                    return .rollback
                }
            }
            return nil
        } catch {
            return (error as? DatabaseError)?.resultCode ?? .SQLITE_ERROR
        }
    }
}

/// A statement that a table of a `CheckedSample` must reject.
struct Violation: Sendable, CustomStringConvertible {
    let description: String
    let table: String
    let sql: String
    let code: ResultCode

    init(_ description: String, _ table: String, _ sql: String, _ code: ResultCode) {
        (self.description, self.table, self.sql, self.code) = (description, table, sql, code)
    }

    private static let id = "x'00112233445566778899aabbccddeeff'"
    private static let existing = "(SELECT id FROM portfolios LIMIT 1)"
    private static let columns = "(id, name, created_at, updated_at, tier, modules, legal_hold)"

    static let all: [Violation] = hierarchy + people + signIn + accessLog + commands

    private static let hierarchy = [
        Violation(
            "a duplicate portfolio", "portfolios", "INSERT INTO portfolios SELECT * FROM portfolios",
            .SQLITE_CONSTRAINT_PRIMARYKEY),
        Violation(
            "a portfolio without a name", "portfolios",
            "INSERT INTO portfolios \(columns) VALUES (\(id), NULL, 0, 0, 'standard', '', 0)",
            .SQLITE_CONSTRAINT_NOTNULL),
        Violation(
            "a portfolio without an id", "portfolios",
            "INSERT INTO portfolios \(columns) VALUES (NULL, 'a', 0, 0, 'standard', '', 0)",
            .SQLITE_CONSTRAINT_NOTNULL),
        Violation(
            "an id that is text", "portfolios", "INSERT INTO portfolios \(columns) VALUES ('id', 'a', 0, 0, 'standard', '', 0)",
            .SQLITE_CONSTRAINT_DATATYPE),
        Violation(
            "an instant that is text", "portfolios",
            "INSERT INTO portfolios \(columns) VALUES (\(id), 'a', 'today', 0, 'standard', '', 0)",
            .SQLITE_CONSTRAINT_DATATYPE),
        Violation(
            "an instant with a fraction", "portfolios",
            "INSERT INTO portfolios \(columns) VALUES (\(id), 'a', 0.5, 0, 'standard', '', 0)",
            .SQLITE_CONSTRAINT_DATATYPE),
        Violation(
            "deleting a portfolio that has properties", "portfolios", "DELETE FROM portfolios", .SQLITE_CONSTRAINT_FOREIGNKEY),
        Violation(
            "a property of a missing portfolio", "properties",
            """
            INSERT INTO properties (id, name, portfolio_id, has_address, created_at, updated_at) VALUES (\(id), 'a', \(id), 0, 0, 0)
            """, .SQLITE_CONSTRAINT_FOREIGNKEY),
        Violation(
            "deleting a property that has units", "properties", "DELETE FROM properties", .SQLITE_CONSTRAINT_FOREIGNKEY),
        Violation(
            "a unit of a missing property", "units",
            "INSERT INTO units VALUES (\(id), 'a', \(id), \(existing), x'', 0, 0)", .SQLITE_CONSTRAINT_FOREIGNKEY),
        Violation(
            "a unit without its list of common-area devices", "units",
            "INSERT INTO units SELECT \(id), name, property_id, portfolio_id, NULL, 0, 0 FROM units", .SQLITE_CONSTRAINT_NOTNULL),
        Violation(
            "a device moved to a missing unit", "devices", "UPDATE devices SET unit_id = \(id)", .SQLITE_CONSTRAINT_FOREIGNKEY),
        Violation(
            "a device moved to a missing portfolio", "devices", "UPDATE devices SET portfolio_id = \(id)",
            .SQLITE_CONSTRAINT_FOREIGNKEY),
        Violation(
            "an address that is a blob", "devices", "UPDATE devices SET address = x'7b7d'", .SQLITE_CONSTRAINT_DATATYPE),
    ]

    private static let people = [
        Violation(
            "a duplicate email address", "users",
            """
            INSERT INTO users SELECT \(id), email_key, 1, 0, NULL, NULL, NULL, 0, 0, 0, sealed FROM users
            """, .SQLITE_CONSTRAINT_UNIQUE),
        Violation("a user without an email address", "users", "UPDATE users SET email_key = NULL", .SQLITE_CONSTRAINT_NOTNULL),
        Violation("a flag that is text", "users", "UPDATE users SET is_super_admin = 'yes'", .SQLITE_CONSTRAINT_DATATYPE),
        Violation(
            "a role of a missing user", "role_associations",
            "INSERT INTO role_associations VALUES (\(id), \(id), 'PORTFOLIO', \(existing), 'OWNER', 0, 0)",
            .SQLITE_CONSTRAINT_FOREIGNKEY),
        Violation(
            "a role association without a role", "role_associations",
            "INSERT INTO role_associations SELECT \(id), id, 'PORTFOLIO', id, NULL, 0, 0 FROM users", .SQLITE_CONSTRAINT_NOTNULL),
        Violation(
            "a guest access to a missing property", "guest_accesses",
            """
            INSERT INTO guest_accesses (id, property_id, device_ids, operations, valid_from, valid_until, granted_by_user_id,
                granted_under_association_id, granted_under_role, created_at)
            VALUES (\(id), \(id), x'', 'UNLOCK', 0, 1, \(id), \(id), 'TENANT', 0)
            """, .SQLITE_CONSTRAINT_FOREIGNKEY),
    ]

    private static let signIn = [
        Violation(
            "a password of a missing user", "credentials", "INSERT INTO credentials VALUES (\(id), 'hash')",
            .SQLITE_CONSTRAINT_FOREIGNKEY
        ),
        Violation(
            "a session of a missing user", "sessions", "INSERT INTO sessions VALUES (\(id), \(id), 0, 0, 0)",
            .SQLITE_CONSTRAINT_FOREIGNKEY),
        Violation(
            "a refresh token of a missing session", "refresh_tokens", "INSERT INTO refresh_tokens VALUES (x'01', \(id), 0)",
            .SQLITE_CONSTRAINT_FOREIGNKEY),
        Violation(
            "a gateway key without a purpose", "gateway_keys", "INSERT INTO gateway_keys VALUES (NULL, x'00')",
            .SQLITE_CONSTRAINT_NOTNULL),
        Violation(
            "two former gateway keys with one number", "former_gateway_keys",
            "INSERT INTO former_gateway_keys VALUES ('checkpoints', 1, x'00'), ('checkpoints', 1, x'01')",
            .SQLITE_CONSTRAINT_PRIMARYKEY),
        Violation(
            "a purchase without its user", "purchases", "INSERT INTO purchases VALUES (x'00', NULL, 0)",
            .SQLITE_CONSTRAINT_NOTNULL),
        Violation(
            "a purchase of two users", "purchases", "INSERT INTO purchases VALUES (x'00', \(id), 0), (x'00', x'01', 0)",
            .SQLITE_CONSTRAINT_PRIMARYKEY),
        Violation(
            "a checkpoint without its log", "log_checkpoints", "INSERT INTO log_checkpoints VALUES (NULL, 1, 1, 1)",
            .SQLITE_CONSTRAINT_NOTNULL),
        Violation(
            "an idempotency key without a fingerprint", "idempotency",
            "INSERT INTO idempotency (principal, key, created_at) VALUES ('USER', 'k', 0)", .SQLITE_CONSTRAINT_NOTNULL),
    ]

    private static let accessLog = [
        Violation(
            "a duplicate log", "logs",
            "INSERT INTO logs SELECT key + 100, log_id, size, frontier, last_at, projected, first_seq FROM logs",
            .SQLITE_CONSTRAINT_UNIQUE),
        Violation("a log without its frontier", "logs", "UPDATE logs SET frontier = NULL", .SQLITE_CONSTRAINT_NOTNULL),
        Violation(
            "two records at one position", "entries", "UPDATE entries SET position = (SELECT min(position) FROM entries)",
            .SQLITE_CONSTRAINT_PRIMARYKEY),
        Violation(
            "a duplicate record id", "entries", "UPDATE entries SET record_id = (SELECT record_id FROM entries LIMIT 1)",
            .SQLITE_CONSTRAINT_UNIQUE),
        Violation("a record without bytes", "entries", "UPDATE entries SET bytes = NULL", .SQLITE_CONSTRAINT_NOTNULL),
        Violation("a leaf hash that is text", "entries", "UPDATE entries SET leaf_hash = 'abc'", .SQLITE_CONSTRAINT_DATATYPE),
        Violation(
            "a second key of one person in one log", "person_keys", "INSERT INTO person_keys SELECT * FROM person_keys",
            .SQLITE_CONSTRAINT_PRIMARYKEY),
    ]

    private static let commands = [
        Violation(
            "a duplicate command", "commands", "INSERT INTO commands SELECT * FROM commands", .SQLITE_CONSTRAINT_PRIMARYKEY),
        Violation("a command without an intent", "commands", "UPDATE commands SET intent = NULL", .SQLITE_MISMATCH),
        Violation(
            "two commands with the same id", "commands",
            "INSERT INTO commands (intent, id, state, is_ended, rule_role, requested_at, "
                + "deadline) SELECT intent + 1000, id, state, is_ended, rule_role, requested_at, deadline FROM commands",
            .SQLITE_CONSTRAINT_UNIQUE),
        Violation(
            "a duplicate block of postings", "postings", "INSERT INTO postings SELECT * FROM postings",
            .SQLITE_CONSTRAINT_PRIMARYKEY),
        Violation(
            "a block of postings without its bytes", "postings", "UPDATE postings SET deltas = NULL", .SQLITE_CONSTRAINT_NOTNULL),
        Violation("a command without a state", "commands", "UPDATE commands SET state = NULL", .SQLITE_CONSTRAINT_NOTNULL),
        Violation("a command without a rule", "commands", "UPDATE commands SET rule_role = NULL", .SQLITE_CONSTRAINT_NOTNULL),
    ]
}
