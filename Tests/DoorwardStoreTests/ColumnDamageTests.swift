import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import GRDB
import Testing

@testable import DoorwardStore

/// Alters every column of every table, one at a time. The check must report the fault that the list below expects, or none
/// where the list expects none.
@Suite struct ColumnDamageTests {
    @Test("The list contains exactly the columns of the schema")
    func complete() throws {
        let queue = try DatabaseQueue()
        try Schema.current.migrate(queue)
        let columns = try queue.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT s.name || '.' || c.name FROM sqlite_schema AS s, pragma_table_info(s.name) AS c
                    WHERE s.type = 'table' AND s.name <> 'grdb_migrations' AND s.name NOT LIKE 'sqlite%'
                    """)
        }
        #expect(Set(columns) == Set(ColumnDamage.all.map(\.column)))
        #expect(columns.count == ColumnDamage.all.count)
    }

    @Test("For each altered column of a table, a check reports the expected fault", arguments: ColumnDamage.tables)
    func altered(table: String) async throws {
        let sample = try await FullSample(seed: 61)
        let path = sample.database.path
        let whole = try Data(contentsOf: URL(filePath: path))
        #expect(try StoreCheck.run(path: path).fault == nil)
        for damage in ColumnDamage.all where damage.table == table {
            for (kind, expected) in [(ColumnDamage.Kind.value, damage.value), (.form, damage.form)] {
                try whole.write(to: URL(filePath: path))
                guard try sample.alter(damage, kind) else { continue }
                guard table != "person_key_file" else {
                    #expect(throws: StoreOpenError.self) { try StoreCheck.run(path: path) }
                    continue
                }
                let fault = try StoreCheck.run(path: path).fault
                #expect(fault?.problem.code == expected, "\(damage.column), \(kind): \(String(describing: fault))")
            }
        }
    }
}

extension ColumnDamageTests {
    @Test(
        "An instant of no calendar is a fault that names its column and row, and no trap, in a check and at the start",
        arguments: ColumnDamage.instants)
    func instants(column: String) async throws {
        let sample = try await FullSample(seed: 62)
        let path = sample.database.path
        let whole = try Data(contentsOf: URL(filePath: path))
        let damage = ColumnDamage(column)
        let range = Timestamp.storedMilliseconds
        for instant in [Int64.min, range.lowerBound - 1, range.upperBound + 1, .max] {
            try whole.write(to: URL(filePath: path))
            try sample.set(damage) { _ in instant.databaseValue }
            let fault = try #require(try StoreCheck.run(path: path).fault, "\(column): \(instant)")
            let isNamed = ColumnDamage.faultsOfInstants[column].map { fault.problem.code == $0 }
            #expect(isNamed ?? (fault.problem.code == "unreadable"), "\(column): \(fault)")
            let text = String(describing: fault)
            #expect(isNamed != nil || text.contains(damage.table) && text.contains(" in the row "), "\(fault)")
            // A gateway either rejects the file, or opens it and reports an error when it reads the row; it does not trap.
            if let store = try? sample.database.open() {
                try? await store.loadTenancy { _ in }
                _ = try? await store.storedClock()
                try await store.close()
            }
        }
    }
}

/// The faults that a check reports when one column is altered in one row.
struct ColumnDamage: Sendable {
    enum Kind: Sendable {
        /// The value becomes another value of the same form: a number changes, and text or bytes get another end.
        case value
        /// Bytes become one byte longer; text becomes a word that is not a valid value.
        case form
    }

    let column: String
    /// The fault's code; `nil` if a check need not find the damage.
    let value: String?
    let form: String?

    init(_ column: String, _ value: String? = nil, _ form: String? = nil) {
        (self.column, self.value, self.form) = (column, value, form)
    }

    var table: String { String(column.prefix { $0 != "." }) }
    var name: String { String(column.drop { $0 != "." }.dropFirst()) }

    /// The columns that contain instants.
    static let instants = all.map(\.column).filter { column in
        column.hasSuffix("_at") || column.hasSuffix(".at")
            || [
                "guest_accesses.valid_from", "guest_accesses.valid_until", "properties.lockdown_since", "commands.deadline",
                "clock.mark", "clock.step_before", "clock.step_after",
            ].contains(column)
    }

    /// The faults of those instants that a check compares with another value.
    static let faultsOfInstants = ["entries.at": "column", "logs.last_at": "unreadable", "time_marks.at": "projection"]

    static let tables = Array(Set(all.map(\.table))).sorted()

    static let all = named + unnamed.map { ColumnDamage($0) }

    /// The damage that a check must find.
    private static let named: [ColumnDamage] = [
        ColumnDamage("portfolios.id", "reference", "unreadable"),
        ColumnDamage("portfolios.modules", "unreadable", "unreadable"),
        ColumnDamage("properties.id", "reference", "unreadable"),
        ColumnDamage("properties.lockdown_by", nil, "unreadable"),
        ColumnDamage("properties.portfolio_id", "reference", "unreadable"),
        ColumnDamage("units.id", "reference", "unreadable"),
        ColumnDamage("units.property_id", "reference", "unreadable"),
        ColumnDamage("units.portfolio_id", "reference", "unreadable"),
        ColumnDamage("units.common_area_ids", nil, "unreadable"),
        ColumnDamage("devices.id", nil, "unreadable"),
        ColumnDamage("devices.address", "unreadable", "unreadable"),
        ColumnDamage("devices.metadata", "unreadable", "unreadable"),
        ColumnDamage("devices.portfolio_id", "reference", "unreadable"),
        ColumnDamage("devices.property_id", "reference", "unreadable"),
        ColumnDamage("devices.unit_id", "reference", "unreadable"),
        ColumnDamage("users.id", "unreadable", "unreadable"),
        ColumnDamage("users.default_portfolio_id", nil, "unreadable"),
        ColumnDamage("users.default_property_id", nil, "unreadable"),
        ColumnDamage("users.default_unit_id", nil, "unreadable"),
        ColumnDamage("role_associations.id", nil, "unreadable"),
        ColumnDamage("role_associations.user_id", "reference", "unreadable"),
        ColumnDamage("role_associations.entity_type", "unreadable", "unreadable"),
        ColumnDamage("role_associations.entity_id", "reference", "unreadable"),
        ColumnDamage("role_associations.role", "unreadable", "unreadable"),
        ColumnDamage("guest_accesses.id", "reference", "unreadable"),
        ColumnDamage("guest_accesses.guest_user_id", "reference", "unreadable"),
        ColumnDamage("guest_accesses.property_id", "reference", "unreadable"),
        ColumnDamage("guest_accesses.unit_id", "reference", "unreadable"),
        ColumnDamage("guest_accesses.device_ids", nil, "unreadable"),
        ColumnDamage("guest_accesses.operations", "unreadable", "unreadable"),
        ColumnDamage("guest_accesses.granted_by_user_id", nil, "unreadable"),
        ColumnDamage("guest_accesses.granted_under_association_id", nil, "unreadable"),
        ColumnDamage("guest_accesses.device_carriers", nil, "unreadable"),
        ColumnDamage("guest_accesses.granted_under_role", "unreadable", "unreadable"),
        ColumnDamage("guest_accesses.resolved_from", "unreadable", "unreadable"),
        ColumnDamage("guest_accesses.resolved_until", "unreadable", "unreadable"),
        ColumnDamage("guest_accesses.schedule", "unreadable", "unreadable"),
        ColumnDamage("guest_accesses.widened_under", nil, "unreadable"),
        ColumnDamage("api_keys.id", nil, "unreadable"),
        ColumnDamage("api_keys.user_id", "reference", "unreadable"),
        ColumnDamage("api_keys.parent_id", nil, "unreadable"),
        ColumnDamage("api_keys.entity_type", "unreadable", "unreadable"),
        ColumnDamage("api_keys.entity_id", "reference", "unreadable"),
        ColumnDamage("api_keys.role", "unreadable", "unreadable"),
        ColumnDamage("invitations.id", nil, "unreadable"),
        ColumnDamage("invitations.role", "unreadable", "unreadable"),
        ColumnDamage("invitations.entity_type", "unreadable", "unreadable"),
        ColumnDamage("invitations.entity_id", "reference", "unreadable"),
        ColumnDamage("invitations.account_id", "reference", "unreadable"),
        ColumnDamage("invitations.user_id", "reference", "unreadable"),
        ColumnDamage("invitations.key_id", nil, "unreadable"),
        ColumnDamage("guest_links.id", "reference", "unreadable"),
        ColumnDamage("guest_links.user_id", nil, "unreadable"),
        ColumnDamage("guest_links.key_id", nil, "unreadable"),
        ColumnDamage("recovery_codes.user_id", "reference", "reference"),
        ColumnDamage("guest_uses.guest_access_id", "reference", "reference"),
        ColumnDamage("removed_users.id", nil, "unreadable"),
        ColumnDamage("credentials.user_id", "reference", "reference"),
        ColumnDamage("sessions.id", "reference", "reference"),
        ColumnDamage("sessions.user_id", "reference", "reference"),
        ColumnDamage("refresh_tokens.session_id", "reference", "reference"),
        ColumnDamage("tiles.log", "tiles"),
        ColumnDamage("tiles.level", "tiles"),
        ColumnDamage("tiles.number", "tiles"),
        ColumnDamage("tiles.hashes", "tiles", "tiles"),
        ColumnDamage("logs.first_seq", "records_outside_logs"),
        ColumnDamage("logs.key", "wrong_size"),
        ColumnDamage("logs.log_id", "unreadable", "unreadable"),
        ColumnDamage("logs.size", "wrong_size"),
        ColumnDamage("logs.frontier", "wrong_frontier", "malformed_frontier"),
        ColumnDamage("logs.last_at", "last_instant"),
        ColumnDamage("entries.position", "wrong_seq"),
        ColumnDamage("entries.at", "column"),
        ColumnDamage("entries.record_id", "column", "column"),
        ColumnDamage("entries.device_id", "column", "column"),
        ColumnDamage("entries.unit_id", "column", "column"),
        ColumnDamage("entries.property_id", "column", "column"),
        ColumnDamage("entries.bytes", "not_a_record", "not_a_record"),
        ColumnDamage("entries.leaf_hash", "wrong_leaf_hash", "wrong_leaf_hash"),
        ColumnDamage("entries.sealed", "personal_value", "unreadable"),
        ColumnDamage("person_keys.key", "unreadable", "unreadable"),
        ColumnDamage("users.sealed", "unreadable", "unreadable"),
        ColumnDamage("person_key_file.id"),
        ColumnDamage("commands.id", "command", "command"),
        ColumnDamage("commands.intent", "command"),
        ColumnDamage("commands.state", "unreadable", "unreadable"),
        ColumnDamage("commands.is_ended", "command"),
        ColumnDamage("commands.rule_id", nil, "unreadable"),
        ColumnDamage("commands.rule_role", "unreadable", "unreadable"),
        ColumnDamage("commands.state_before", "unreadable", "unreadable"),
        ColumnDamage("commands.state_after", "unreadable", "unreadable"),
        ColumnDamage("password_resets.user_id", "reference", "reference"),
        ColumnDamage("command_counts.device_id", "kept_count", "kept_count"),
        ColumnDamage("command_counts.log", "kept_count", "kept_count"),
        ColumnDamage("command_counts.property_id", "kept_count", "kept_count"),
        ColumnDamage("command_counts.unit_id", "kept_count", "kept_count"),
        ColumnDamage("command_counts.actor_user_id", "kept_count", "kept_count"),
        ColumnDamage("command_counts.commands", "kept_count", "kept_count"),
        ColumnDamage("command_totals.log", "kept_count", "kept_count"),
        ColumnDamage("command_totals.property_id", "kept_count", "kept_count"),
        ColumnDamage("command_totals.commands", "kept_count", "kept_count"),
        ColumnDamage("entries.actor_user_id", "column", "column"),
        ColumnDamage("entries.is_denied", "column"),
        ColumnDamage("entries.kind", "column", "column"),
        ColumnDamage("entries.operation", "column", "column"),
        ColumnDamage("entries.reason", "column", "column"),
        ColumnDamage("entries.outcome", "column", "column"),
        ColumnDamage("logs.projected", "projection"),
        ColumnDamage("postings.facet", "projection"),
        ColumnDamage("postings.value", "projection", "projection"),
        ColumnDamage("postings.log", "projection"),
        ColumnDamage("postings.first", "projection"),
        ColumnDamage("postings.last", "projection"),
        ColumnDamage("postings.count", "projection"),
        ColumnDamage("postings.deltas", "projection", "projection"),
        ColumnDamage("time_marks.position", "projection"),
        ColumnDamage("time_marks.at", "projection"),
    ]

    /// Columns whose value is stored only once and may be any value of its form. A check can only verify that they can be read.
    private static let unnamed: [String] =
        [
            ("portfolios", "name created_at updated_at tier max_properties max_units max_devices max_active_guest_access"),
            ("portfolios", "retention_days legal_hold"),
            ("properties", "name has_address street city state postal_code country default_time_zone created_at updated_at"),
            ("properties", "lockdown_since lockdown_reason"),
            ("units", "name created_at updated_at"),
            ("devices", "name adapter manufacturer model firmware_version is_remote_operation_enabled capabilities"),
            ("devices", "auto_relock_seconds sealed_code created_at updated_at notes"),
            ("users", "email_key is_enabled is_super_admin has_compliance_pack created_at updated_at"),
            ("role_associations", "created_at updated_at"),
            ("guest_accesses", "label valid_from valid_until revoked_at created_at time_zone max_uses"),
            ("api_keys", "name digest created_at expires_at"), ("invitations", "email digest created_at expires_at"),
            ("recovery_codes", "digest"), ("guest_links", "digest created_at"), ("clock", "id mark step_before step_after"),
            ("guest_uses", "taken"),
            ("credentials", "password_hash"),
            ("sessions", "created_at expires_at is_ended"),
            ("refresh_tokens", "digest is_used"),
            ("gateway_keys", "purpose public_half"), ("former_gateway_keys", "purpose number public_half"),
            ("log_checkpoints", "log_id generation size signed_at"), ("purchases", "digest user_id redeemed_at"),
            ("idempotency", "principal key fingerprint command_id created_at entity_id"),
            ("person_keys", "log owner since"), ("erased_persons", "user_id generation"),
            ("commands", "sent changed outcome_detail requested_at deadline dispatched_at completed_at"),
            ("password_resets", "id digest created_at expires_at made_by"),
        ].flatMap { table, columns in columns.split(separator: " ").map { "\(table).\($0)" } }
}

extension DatabaseValue {
    /// Returns another value; `nil` if there is none of that kind.
    fileprivate func altered(_ kind: ColumnDamage.Kind) -> DatabaseValue? {
        switch (storage, kind) {
        case (.int64(let number), .value): (number > 1 ? number + 2 : number ^ 1).databaseValue
        case (.string(let text), .value): (String(text.dropLast()) + (text.hasSuffix("z") ? "y" : "z")).databaseValue
        case (.string, .form): "no such word".databaseValue
        case (.blob(let data), .value): (data.dropLast() + [(data.last ?? 0) ^ 1]).databaseValue
        case (.blob(let data), .form): (data + [0]).databaseValue
        default: nil
        }
    }
}

extension FullSample {
    /// Alters the column in the last row in which it is not empty.
    ///
    /// - Returns: false if the value has no alteration of that kind.
    fileprivate func alter(_ damage: ColumnDamage, _ kind: ColumnDamage.Kind) throws -> Bool {
        try set(damage) { $0.altered(kind) }
    }

    /// Sets the column in the last row in which it is not empty.
    ///
    /// - Parameter change: returns the new value; `nil` to change nothing.
    /// - Returns: whether the value was changed.
    @discardableResult
    fileprivate func set(_ damage: ColumnDamage, _ change: (DatabaseValue) -> DatabaseValue?) throws -> Bool {
        let queue = try DatabaseQueue(path: database.path)
        defer { try? queue.close() }
        return try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
            let keys = try db.primaryKey(damage.table).columns.joined(separator: ", ")
            let rows = "SELECT \(keys) FROM \(damage.table) WHERE length(\(damage.name)) > 0 ORDER BY \(keys) DESC LIMIT 1"
            let last = "(\(keys)) = (\(rows))"
            let found = try DatabaseValue.fetchOne(db, sql: "SELECT \(damage.name) FROM \(damage.table) WHERE \(last)")
            guard let value = change(try #require(found, "\(damage.column) is empty")) else { return false }
            try db.execute(sql: "UPDATE OR REPLACE \(damage.table) SET \(damage.name) = ? WHERE \(last)", arguments: [value])
            #expect(db.changesCount == 1)
            return true
        }
    }
}
