import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import GRDB
import Testing

@testable import DoorwardStore

/// The rows after an upgrade, compared one by one.
@Suite struct UpgradedRowsTests {
    @Test("An upgrade keeps every column of every row of an earlier schema", arguments: 1..<Schema.current.number)
    func everyRow(number: Int) async throws {
        let sample = try await FullSample(seed: 91)
        // Lock codes and the carriers of devices were added by schema 5, so an earlier file has none. Before schema 7 a key
        // applies to all records.
        let written = try DatabaseQueue(path: sample.database.path)
        try await written.write {
            try $0.execute(
                sql: """
                    UPDATE devices SET sealed_code = NULL;
                    UPDATE guest_accesses SET device_carriers = NULL, time_zone = NULL, resolved_from = NULL,
                        resolved_until = NULL, schedule = NULL, max_uses = NULL, widened_under = NULL;
                    UPDATE person_keys SET since = 0;
                    UPDATE properties SET lockdown_since = NULL, lockdown_by = NULL, lockdown_reason = NULL;
                    UPDATE portfolios SET tier = 'standard', modules = '\(Schema010.earlierModules)', max_properties = NULL,
                        max_units = NULL, max_devices = NULL, max_active_guest_access = NULL, retention_days = NULL, legal_hold = 0;
                    """)
        }
        try written.close()
        let old = sample.database.folder.appending(path: "old.db").path
        try EarlierFile.make(old, schema: number, rowsOf: sample.database.path)
        var before = try EarlierFile.rows(of: old, columnsOf: number)
        #expect(before.values.allSatisfy { !$0.isEmpty }, "every table has rows")
        try WriterConnection.open(path: old, limits: StoreLimits()).close()
        // Migration 5 drops password resets and columns of idempotency entries; `storedAnswers` tests these rows. Migration 6
        // drops the columns of commands that repeat the intent. Migration 15 encrypts accounts and keys.
        let altered: Set = ["idempotency", "password_resets", "commands", "users", "person_keys"]
        for table in altered { before[table] = nil }
        #expect(try EarlierFile.rows(of: old, columnsOf: number, without: altered) == before)
        let now = Schema.current.number
        let (found, expected) = (
            try EarlierFile.rows(of: old, columnsOf: now), try EarlierFile.rows(of: sample.database.path, columnsOf: now)
        )
        let made = ["commands", "postings", "time_marks", "command_counts", "command_totals", "tiles", "users", "person_keys"]
        for (table, rows) in expected where before[table] != nil || made.contains(table) {
            #expect(found[table] == rows, "\(table)")
        }
    }

    @Test(
        "An upgrade derives the same column values from any number of records as writing the records does",
        arguments: [0, 1, 999, 1000, 1001, 2050])
    func filled(count: Int) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var (script, random) = (StoreScript(seed: 92), SeededGenerator(seed: UInt64(count)))
        _ = try await store.commit(script.tenancy)
        let bodies = (0..<count).map { _ in record(&script, &random) }
        _ = try await store.commit(StoreTransaction(records: bodies.map { PendingRecord($0) }))
        try await store.close()
        let old = database.folder.appending(path: "old.db").path
        try EarlierFile.make(old, schema: 2, rowsOf: database.path)
        let (upgraded, original) = (try database.open(path: old), try database.open())
        let scopes: [RecordScope] = [.gatewayLog, .portfolioLog(script.portfolio), .portfolioLog(script.otherPortfolio)]
        var found = 0
        for filter in [
            RecordFilter(actorUserID: script.user), RecordFilter(decision: .denied), RecordFilter(decision: .allowed),
            RecordFilter(actorUserID: script.user, decision: .denied),
        ] {
            let query = RecordQuery(scopes: scopes, filter: filter, limit: 5000)
            let records = try await upgraded.records(query)
            #expect(try await original.records(query) == records)
            found += records.count
        }
        #expect(found > count / 2 || count < 2)
        try await upgraded.close()
        try await original.close()
        #expect(try StoreCheck.run(path: old).isWhole)
    }

    @Test("Of a response stored by an earlier version only its id is kept; a response without an id is dropped")
    func storedAnswers() async throws {
        let database = try TemporaryDatabase()
        let earlier = Schema(steps: Array(Schema.current.steps.prefix(4)))
        try WriterConnection.open(path: database.path, limits: StoreLimits(), schema: earlier).close()
        let now = database.clock.now()
        let (unit, command) = (UnitID(high: 0x7000, low: 5), CommandID(high: 0x7000, low: 6))
        let queue = try DatabaseQueue(path: database.path)
        try await queue.write { db in
            for (key, command, status, location) in [
                ("unit", nil, 201, "/api/v1/units/\(unit)"), ("ended", command, 200, nil), ("began", command, nil, nil),
                ("odd", nil, 201, "/api/v1/units/x"), ("none", nil, 201, nil),
            ] as [(String, CommandID?, Int?, String?)] {
                try db.execute(
                    sql: "INSERT INTO idempotency VALUES ('USER', ?, x'01', ?, ?, ?, ?, ?)",
                    arguments: [
                        key, command?.blob, status, location, status == nil ? nil : Data("Tom Tenant".utf8), now.milliseconds,
                    ])
            }
        }
        try queue.close()
        let store = try database.open()
        for (key, result) in [
            ("unit", .entity(unit.cast())), ("ended", .command(command)), ("began", .command(command)), ("odd", nil),
            ("none", nil),
        ] as [(String, IdempotentResult?)] {
            let found = try await store.idempotentAnswer(
                IdempotencyKey(principal: "USER", key: key), notOlderThan: now)
            #expect(found?.result == result, "\(key)")
        }
        try await store.close()
        #expect(try Data(contentsOf: URL(filePath: database.path)).range(of: Data("Tom Tenant".utf8)) == nil)
    }

    /// Returns a record with or without a person, allowed, denied or undecided, in any log.
    private func record(_ script: inout StoreScript, _ random: inout SeededGenerator) -> RecordBody {
        let device = [script.door, script.gate, script.otherDoor].randomElement(using: &random) ?? script.door
        var body = script.event(on: device, log: Int.random(in: 0..<5, using: &random) == 0 ? .gateway : nil)
        if Bool.random(using: &random) { body.actor = script.actor }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: (body.kind, body.operation, body.decision) = (.denial, .unlock, .allowed)
        case 1:
            (body.kind, body.operation, body.decision, body.reason) = (.denial, .unlock, .denied, .noAssociation)
        default: break
        }
        return body
    }
}
