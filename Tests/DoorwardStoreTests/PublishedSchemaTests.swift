import DoorwardTesting
import GRDB
import Testing

@testable import DoorwardStore

/// A published schema never changes, because files with it exist.
@Suite struct PublishedSchemaTests {
    @Test("The tables and indexes of each published schema are the same as when it was published", arguments: 1...15)
    func published(number: Int) throws {
        let queue = try DatabaseQueue()
        try Schema(steps: Array(Schema.current.steps.prefix(number))).migrate(queue)
        let found = try queue.read { db in try describe(db) }
        var expected = Self.first
        if number >= 2 {
            expected["sessions_by_expiry"] = "sessions(expires_at)"
            expected["refresh_tokens_by_session"] = "refresh_tokens(session_id)"
        }
        if number >= 3 {
            expected["password_resets"] =
                "user_id BLOB! id BLOB! digest BLOB! created_at INTEGER! expires_at INTEGER! | user_id>users | strict rowidless"
            expected["entries"] = expected["entries"]?.replacing(
                " | | ",
                with: " actor_user_id BLOB is_denied INTEGER kind TEXT operation TEXT reason TEXT outcome TEXT | | ")
            expected["commands"] = expected["commands"]?.replacing(
                " | | ", with: " log INTEGER unit_id BLOB property_id BLOB actor_user_id BLOB | | ")
            expected["entries_by_actor"] = "entries(actor_user_id) partial"
            expected["entries_denied"] = "entries(is_denied) partial"
            expected["entries_by_rare_kind"] = "entries(kind) partial"
            expected["entries_by_reason"] = "entries(reason) partial"
            expected["entries_by_rare_outcome"] = "entries(outcome) partial"
            expected["commands_by_log"] = "commands(log requested_at)"
            for column in ["unit", "property"] {
                expected["commands_by_\(column)"] = "commands(\(column)_id requested_at) partial"
            }
            expected["commands_by_actor"] = "commands(actor_user_id requested_at) partial"
        }
        if number >= 5 {
            expected["guest_accesses"] = expected["guest_accesses"]?.replacing(
                " | guest_user_id", with: " device_carriers BLOB | guest_user_id")
            expected["password_resets"] = expected["password_resets"]?.replacing(" | user_id", with: " made_by BLOB | user_id")
            expected["password_resets_by_maker"] = "password_resets(made_by) partial"
            expected["commands_by_device"] = "commands(device_id log requested_at)"
            expected["sessions_live_by_user"] = "sessions(user_id) partial"
            expected["command_counts"] =
                "device_id BLOB! log INTEGER! property_id BLOB! unit_id BLOB! actor_user_id BLOB! commands INTEGER! | | strict rowidless"
            expected["command_totals"] = "log INTEGER! property_id BLOB! commands INTEGER! | | strict rowidless"
            expected["command_counts_by_unit"] = "command_counts(unit_id)"
            expected["command_counts_by_actor"] = "command_counts(actor_user_id)"
            expected["idempotency"] =
                "principal TEXT! key TEXT! fingerprint BLOB! command_id BLOB created_at INTEGER! "
                + "entity_id BLOB | | strict rowidless"
            expected["devices"] = expected["devices"]?.replacing(" | portfolio_id", with: " sealed_code BLOB | portfolio_id")
        }
        if number >= 6 { Self.addSix(to: &expected) }
        if number >= 7 { Self.addSeven(to: &expected) }
        if number >= 8 { Self.addEight(to: &expected) }
        if number >= 9 { Self.addNine(to: &expected) }
        if number >= 10 { Self.addTen(to: &expected) }
        if number >= 11 { Self.addEleven(to: &expected) }
        if number >= 12 { Self.addTwelve(to: &expected) }
        if number >= 13 { Self.addThirteen(to: &expected) }
        if number >= 14 { Self.addFourteen(to: &expected) }
        if number >= 15 { Self.addFifteen(to: &expected) }
        if number >= 16 { Self.addSixteen(to: &expected) }
        if number >= 17 { Self.addSeventeen(to: &expected) }
        for name in Set(found.keys).union(expected.keys).sorted() { #expect(found[name] == expected[name], "\(name)") }
    }

    private static func addSix(to expected: inout [String: String]) {
        let dropped = [
            "entries_by_device", "entries_by_unit", "entries_by_property", "entries_by_actor", "entries_denied",
            "entries_by_rare_kind", "entries_by_reason", "entries_by_rare_outcome", "commands_by_device", "commands_by_log",
            "commands_by_property", "commands_by_unit", "commands_by_actor",
        ]
        for name in dropped { expected[name] = nil }
        expected["commands"] = """
            intent INTEGER! id BLOB! state TEXT! is_ended INTEGER! rule_id BLOB rule_role TEXT! sent INTEGER changed INTEGER \
            outcome_detail TEXT state_before TEXT state_after TEXT requested_at INTEGER! deadline INTEGER! \
            dispatched_at INTEGER completed_at INTEGER | | strict
            """
        expected["commands_by_id"] = "commands(id) unique"
        expected["postings"] =
            "facet INTEGER! value BLOB! log INTEGER! first INTEGER! last INTEGER! count INTEGER! deltas BLOB! | | strict rowidless"
        expected["time_marks"] = "position INTEGER! at INTEGER! | | strict"
        expected["logs"] = expected["logs"]?.replacing(" | | ", with: " projected INTEGER! | | ")
        expected["logs_unprojected"] = "logs(key) partial"
    }

    private static func addEight(to expected: inout [String: String]) {
        expected["removed_users"] = "id BLOB! | | strict rowidless"
        expected["properties_by_portfolio"] = "properties(portfolio_id)"
        expected["units_by_property"] = "units(property_id)"
        expected["units_by_portfolio"] = "units(portfolio_id)"
        for parent in ["portfolio", "property", "unit"] {
            expected["devices_by_\(parent)"] = "devices(\(parent)_id) partial"
        }
        expected["role_associations_by_user"] = "role_associations(user_id)"
        expected["role_associations_by_entity"] = "role_associations(entity_id)"
        expected["guest_accesses_by_guest"] = "guest_accesses(guest_user_id) partial"
        expected["guest_accesses_by_property"] = "guest_accesses(property_id)"
        expected["guest_accesses_by_unit"] = "guest_accesses(unit_id) partial"
        expected["sessions_live_by_user"] = nil
        expected["sessions_by_user"] = "sessions(user_id)"
    }

    private static func addSeven(to expected: inout [String: String]) {
        expected["guest_uses"] =
            "guest_access_id BLOB! taken INTEGER! | guest_access_id>guest_accesses | strict rowidless"
        expected["epochs"] = "kind TEXT! owner_id BLOB! epoch INTEGER! | | strict rowidless"
        expected["log_leases"] = "log_id TEXT! holder INTEGER! epoch INTEGER! | | strict rowidless"
        expected["commands"] = expected["commands"]?.replacing(" | | ", with: " owner INTEGER! | | ")
        expected["logs"] = expected["logs"]?.replacing(" | | ", with: " first_seq INTEGER! | | ")
        expected["person_keys"] = expected["person_keys"]?.replacing(" | | ", with: " since INTEGER! | | ")
        expected["tiles"] = "log INTEGER! level INTEGER! number INTEGER! hashes BLOB! | | strict rowidless"
    }

    private static func addNine(to expected: inout [String: String]) {
        expected["api_keys"] = """
            id BLOB! name TEXT! user_id BLOB! parent_id BLOB entity_type TEXT! entity_id BLOB! role TEXT! digest BLOB! \
            created_at INTEGER! expires_at INTEGER! | user_id>users | strict rowidless
            """
        expected["api_keys_by_user"] = "api_keys(user_id)"
        expected["api_keys_by_entity"] = "api_keys(entity_id)"
        expected["invitations"] = """
            id BLOB! email TEXT! role TEXT entity_type TEXT entity_id BLOB account_id BLOB user_id BLOB! key_id BLOB \
            digest BLOB! created_at INTEGER! expires_at INTEGER! | account_id>users user_id>users | strict rowidless
            """
        expected["invitations_by_user"] = "invitations(user_id)"
        expected["invitations_by_entity"] = "invitations(entity_id) partial"
        expected["invitations_by_account"] = "invitations(account_id) partial"
        expected["recovery_codes"] = "user_id BLOB! digest BLOB! | user_id>users | strict rowidless"
    }

    private static func addTen(to expected: inout [String: String]) {
        expected["portfolios"] = expected["portfolios"]?.replacing(
            " | | ",
            with: " tier TEXT! modules TEXT! max_properties INTEGER max_units INTEGER max_devices INTEGER "
                + "max_active_guest_access INTEGER retention_days INTEGER legal_hold INTEGER! | | ")
        expected["properties"] = expected["properties"]?.replacing(
            " | portfolio_id", with: " lockdown_since INTEGER lockdown_by BLOB lockdown_reason TEXT | portfolio_id")
    }

    private static func addEleven(to expected: inout [String: String]) {
        expected["guest_accesses"] = expected["guest_accesses"]?.replacing(
            " | guest_user_id",
            with: " time_zone TEXT resolved_from TEXT resolved_until TEXT schedule BLOB max_uses INTEGER | guest_user_id")
    }

    private static func addThirteen(to expected: inout [String: String]) {
        expected["guest_links"] = "id BLOB! digest BLOB! created_at INTEGER! | id>guest_accesses | strict rowidless"
    }

    private static func addTwelve(to expected: inout [String: String]) {
        expected["clock"] = "id INTEGER! mark INTEGER! step_before INTEGER step_after INTEGER | | strict"
    }

    private static func addFourteen(to expected: inout [String: String]) {
        expected["log_checkpoints"] =
            "log_id TEXT! generation INTEGER! size INTEGER! signed_at INTEGER | | strict rowidless"
        expected["former_gateway_keys"] = "purpose TEXT! number INTEGER! public_half BLOB! | | strict rowidless"
    }

    private static func addFifteen(to expected: inout [String: String]) {
        expected["purchases"] = "digest BLOB! user_id BLOB! redeemed_at INTEGER! | | strict rowidless"
    }

    private static func addSixteen(to expected: inout [String: String]) {
        expected["person_key_file"] = "id BLOB! | | strict rowidless"
        expected["erased_persons"] = "user_id BLOB! generation INTEGER! | | strict rowidless"
        expected["users"] = """
            id BLOB! email_key TEXT! is_enabled INTEGER! is_super_admin INTEGER! default_portfolio_id BLOB \
            default_property_id BLOB default_unit_id BLOB has_compliance_pack INTEGER! created_at INTEGER! updated_at INTEGER! \
            sealed BLOB! | | strict rowidless
            """
    }

    private static func addSeventeen(to expected: inout [String: String]) {
        expected["guest_accesses"] = expected["guest_accesses"]?.replacing(
            " | guest_user_id", with: " widened_under BLOB | guest_user_id")
    }

    @Test("A file has its application id and its schema number where SQLite and file(1) read them")
    func header() throws {
        let queue = try DatabaseQueue()
        try Schema.current.migrate(queue)
        try queue.read { (db: Database) throws in
            #expect(try Int.fetchOne(db, sql: "PRAGMA application_id") == 0x446F_6F72)
            #expect(try Int.fetchOne(db, sql: "PRAGMA user_version") == 17)
            #expect(
                try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations ORDER BY 0 + identifier") == [
                    "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17",
                ])
        }
    }

    @Test("Migrating twice changes nothing")
    func twice() throws {
        let queue = try DatabaseQueue()
        try Schema.current.migrate(queue)
        let (before, writes) = try queue.read { (try describe($0), $0.totalChangesCount) }
        try Schema.current.migrate(queue)
        #expect(try queue.read { try describe($0) } == before)
        #expect(try queue.read { $0.totalChangesCount } == writes)
    }

    /// Describes each table by its columns (`!` for NOT NULL), foreign keys and kind, and each index by its columns.
    private func describe(_ db: Database) throws -> [String: String] {
        var items: [String: String] = [:]
        let sql =
            "SELECT name, wr, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'"
        for row in try Row.fetchAll(db, sql: sql) where row["name"] != "grdb_migrations" {
            let table: String = row["name"]
            let columns = try Row.fetchAll(db, sql: "PRAGMA table_info(\(table))").map {
                "\($0["name"] as String) \($0["type"] as String)\($0["notnull"] == 1 || $0["pk"] != 0 ? "!" : "")"
            }
            let references = try Row.fetchAll(db, sql: "PRAGMA foreign_key_list(\(table))").map {
                "\($0["from"] as String)>\($0["table"] as String)"
            }
            let kind = (row["strict"] == 1 ? " strict" : "") + (row["wr"] == 1 ? " rowidless" : "")
            items[table] =
                columns.joined(separator: " ") + " | \(references.sorted().joined(separator: " ")) |".replacing("  ", with: " ")
                + kind
            for index in try Row.fetchAll(db, sql: "PRAGMA index_list(\(table))") where index["origin"] == "c" {
                let name: String = index["name"]
                let columns = try String.fetchAll(db, sql: "SELECT name FROM pragma_index_info(?)", arguments: [name])
                items[name] =
                    "\(table)(\(columns.joined(separator: " ")))" + (index["unique"] == 1 ? " unique" : "")
                    + (index["partial"] == 1 ? " partial" : "")
            }
        }
        return items
    }

    private static let first = [
        "portfolios": "id BLOB! name TEXT! created_at INTEGER! updated_at INTEGER! | | strict rowidless",
        "properties": """
        id BLOB! name TEXT! portfolio_id BLOB! has_address INTEGER! street TEXT city TEXT state TEXT postal_code TEXT \
        country TEXT default_time_zone TEXT created_at INTEGER! updated_at INTEGER! | portfolio_id>portfolios | \
        strict rowidless
        """,
        "units": """
        id BLOB! name TEXT! property_id BLOB! portfolio_id BLOB! common_area_ids BLOB! created_at INTEGER! \
        updated_at INTEGER! | portfolio_id>portfolios property_id>properties | strict rowidless
        """,
        "devices": """
        id BLOB! name TEXT! adapter TEXT! address BLOB metadata BLOB manufacturer TEXT model TEXT firmware_version TEXT \
        portfolio_id BLOB property_id BLOB unit_id BLOB is_remote_operation_enabled INTEGER! capabilities INTEGER! \
        auto_relock_seconds INTEGER created_at INTEGER! updated_at INTEGER! | \
        portfolio_id>portfolios property_id>properties unit_id>units | strict rowidless
        """,
        "users": """
        id BLOB! email TEXT! email_key TEXT! first_name TEXT! last_name TEXT! is_enabled INTEGER! is_super_admin INTEGER! \
        default_portfolio_id BLOB default_property_id BLOB default_unit_id BLOB has_compliance_pack INTEGER! \
        created_at INTEGER! updated_at INTEGER! | | strict rowidless
        """,
        "role_associations": """
        id BLOB! user_id BLOB! entity_type TEXT! entity_id BLOB! role TEXT! created_at INTEGER! updated_at INTEGER! | \
        user_id>users | strict rowidless
        """,
        "guest_accesses": """
        id BLOB! guest_user_id BLOB label TEXT property_id BLOB! unit_id BLOB device_ids BLOB! operations TEXT! \
        valid_from INTEGER! valid_until INTEGER! granted_by_user_id BLOB! granted_under_association_id BLOB! \
        granted_under_role TEXT! revoked_at INTEGER created_at INTEGER! | \
        guest_user_id>users property_id>properties unit_id>units | strict rowidless
        """,
        "credentials": "user_id BLOB! password_hash TEXT! | user_id>users | strict rowidless",
        "sessions": """
        id BLOB! user_id BLOB! created_at INTEGER! expires_at INTEGER! is_ended INTEGER! | user_id>users | strict rowidless
        """,
        "sessions_live": "sessions(expires_at) partial",
        "refresh_tokens": "digest BLOB! session_id BLOB! is_used INTEGER! | session_id>sessions | strict rowidless",
        "gateway_keys": "purpose TEXT! public_half BLOB! | | strict rowidless",
        "idempotency": """
        principal TEXT! key TEXT! fingerprint BLOB! command_id BLOB status INTEGER location TEXT body BLOB \
        created_at INTEGER! | | strict rowidless
        """,
        "idempotency_by_age": "idempotency(created_at)",
        "logs": "key INTEGER! log_id TEXT! size INTEGER! frontier BLOB! last_at INTEGER! | | strict",
        "entries": """
        position INTEGER! at INTEGER! record_id BLOB! device_id BLOB unit_id BLOB property_id BLOB bytes BLOB! \
        leaf_hash BLOB! sealed BLOB | | strict
        """,
        "entries_by_record": "entries(record_id) unique",
        "entries_by_device": "entries(device_id) partial",
        "entries_by_unit": "entries(unit_id) partial",
        "entries_by_property": "entries(property_id) partial",
        "person_keys": "log INTEGER! owner BLOB! key BLOB! | | strict rowidless",
        "commands": """
        id BLOB! device_id BLOB! intent INTEGER! state TEXT! is_ended INTEGER! rule_id BLOB rule_role TEXT! sent INTEGER \
        changed INTEGER outcome_detail TEXT state_before TEXT state_after TEXT requested_at INTEGER! deadline INTEGER! \
        dispatched_at INTEGER completed_at INTEGER | | strict rowidless
        """,
        "commands_by_device": "commands(device_id requested_at)",
        "commands_open": "commands(id) partial",
    ]
}
