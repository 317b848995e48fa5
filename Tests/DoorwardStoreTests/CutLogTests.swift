import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Foundation
import GRDB
import Testing

@testable import DoorwardStore

/// A log whose first records were removed, as retention will remove them. The store cannot do this
/// yet, so the tests edit the file.
@Suite struct CutLogTests {
    @Test(
        "A log without its first records can be opened, listed, checked and extended, and lists the remaining records as before",
        arguments: [1, 17, 256, 300, 616])
    func cut(first: Int) async throws {
        let sample = try await CutSample()
        let size = sample.bodies.count
        #expect(size == 616)
        let before = try sample.database.open()
        let expected = try await CutSample.answers(of: before, sample.script, first: UInt64(first))
        try await before.close()
        try sample.cut(at: first)
        let check = try StoreCheck.run(path: sample.database.path)
        #expect(check.fault == nil)
        #expect(check.counts.records == UInt64(size - first) + 1)
        let store = try sample.database.open()
        #expect(try await CutSample.answers(of: store, sample.script, first: UInt64(first)) == expected)
        #expect(try await store.records(RecordQuery(scopes: [sample.scope], limit: 1000)).count == size - first)
        // Removed records are not found, although posting lists still contain their positions.
        for body in sample.bodies.prefix(first).suffix(3) { #expect(try await store.record(body.id) == nil) }
        var script = sample.script
        let command = script.command(on: script.gate)
        let places = try await store.commit(script.begin(command))
        #expect(places.map(\.seq) == [UInt64(size)])
        _ = try await store.commit(
            StoreTransaction(records: (0..<300).map { _ in PendingRecord(script.event(on: script.door)) }))
        #expect(try await store.command(command.id)?.command == command)
        try await store.close()
        #expect(try StoreCheck.run(path: sample.database.path).fault == nil)
    }

    @Test("The tree of a log has the same nodes after its first records were removed", arguments: [100, 256, 300, 601])
    func nodes(first: Int) async throws {
        let sample = try await CutSample()
        let before = try sample.database.open()
        let expected = try await CutSample.nodes(of: before, sample.log)
        try await before.close()
        try sample.cut(at: first)
        let store = try sample.database.open()
        #expect(try await CutSample.nodes(of: store, sample.log) == expected)
        let range = try await store.range(of: sample.log, from: 0, limit: 3)
        #expect(range?.firstSeq == UInt64(first))
        #expect(range?.size == UInt64(sample.bodies.count))
        #expect(range?.entries.map(\.seq) == (0..<3).map { UInt64(first + $0) })
        try await store.close()
    }

    @Test("A command whose intent was removed is not found, and makes neither the start nor a list fail")
    func commandWithoutIntent() async throws {
        let sample = try await CutSample()
        try sample.cut(at: 300, keepingCommands: true)
        #expect(try StoreCheck.run(path: sample.database.path).fault == nil)
        let store = try sample.database.open()
        let open = try await store.openCommands()
        #expect(open.map(\.command.id) == sample.open.suffix(1), "the command whose intent still exists")
        let query = CommandQuery(scopes: [sample.scope], actorUserID: sample.script.user, limit: 1000)
        for id in sample.commands.prefix(3) + sample.open.prefix(1) {
            #expect(try await store.command(id) == nil)
            #expect(try await store.command(id, within: query) == nil)
        }
        for id in sample.commands.suffix(3) { #expect(try await store.command(id) != nil) }
        #expect(try await store.commands(query).commands.allSatisfy { !sample.commands.prefix(3).contains($0.command.id) })
        // A missing intent of an open command is still an error if retention did not remove it.
        try await store.close()
        try sample.database.edit("DELETE FROM entries WHERE position = (SELECT max(intent) FROM commands WHERE is_ended = 0)")
        let damaged = try sample.database.open()
        await #expect(throws: StoreError.self) { try await damaged.openCommands() }
        try await damaged.close()
    }

    @Test("A log without remaining records continues with its next number")
    func empty() async throws {
        let sample = try await CutSample()
        let size = sample.bodies.count
        try sample.cut(at: size)
        #expect(try StoreCheck.run(path: sample.database.path).fault == nil)
        let store = try sample.database.open()
        #expect(try await store.records(RecordQuery(scopes: [sample.scope], limit: 10)).isEmpty)
        let filter = RecordFilter(from: sample.script.now.advanced(by: .seconds(-60)))
        #expect(try await store.records(RecordQuery(scopes: [sample.scope], filter: filter, limit: 10)).isEmpty)
        #expect(
            try await store.range(of: sample.log, from: 0, limit: 5)
                == LogRange(firstSeq: UInt64(size), size: UInt64(size), entries: []))
        var script = sample.script
        let places = try await store.commit(StoreTransaction(records: [PendingRecord(script.event(on: script.door))]))
        #expect(places.map(\.seq) == [UInt64(size)])
        #expect(try await store.records(RecordQuery(scopes: [sample.scope], limit: 10)).map(\.seq) == [UInt64(size)])
        try await store.close()
        #expect(try StoreCheck.run(path: sample.database.path).fault == nil)
    }

    @Test("Deleted projections are rebuilt from the remaining records", arguments: [0, 20, 300, 616])
    func projections(first: Int) async throws {
        let sample = try await CutSample()
        try sample.cut(at: first)
        let before = try sample.database.open()
        let expected = try await CutSample.answers(of: before, sample.script, first: UInt64(first))
        try await before.close()
        try sample.database.edit("DELETE FROM postings; DELETE FROM time_marks")
        let store = try sample.database.open()
        #expect(try await CutSample.answers(of: store, sample.script, first: UInt64(first)) == expected)
        try await store.close()
        #expect(try StoreCheck.run(path: sample.database.path).fault == nil)
    }

    @Test("A check reports a tile that lacks the leaf hash of a removed record")
    func unfinishedTile() async throws {
        let sample = try await CutSample()
        try sample.cut(at: 601)
        try sample.database.edit(
            "UPDATE tiles SET hashes = substr(hashes, 1, 88 * 32) WHERE log = 1 AND level = 0 AND number = 2")
        #expect(try StoreCheck.run(path: sample.database.path).fault?.problem.code == "tiles")
        // The store still accepts records, and all other nodes can be read.
        let store = try sample.database.open()
        var script = sample.script
        for _ in 0..<2 {
            let records = (0..<100).map { _ in PendingRecord(script.event(on: script.door)) }
            _ = try await store.commit(StoreTransaction(records: records))
        }
        #expect(try await store.records(RecordQuery(scopes: [sample.scope], limit: 1000)).count == 215)
        #expect(try await store.node(level: 0, index: 600, of: sample.log) == nil)
        #expect(try await store.node(level: 0, index: 601, of: sample.log) != nil)
        try await store.close()
    }

    @Test(
        "A first record other than the one in the log's row is reported as a fault",
        arguments: [
            ("UPDATE logs SET first_seq = 299 WHERE key = 1", "wrong_seq"),
            ("UPDATE logs SET first_seq = 301 WHERE key = 1", "records_outside_logs"),
            ("UPDATE logs SET first_seq = 0 WHERE key = 1", "wrong_seq"),
            ("UPDATE logs SET first_seq = 9999 WHERE key = 1", "wrong_size"),
            ("DELETE FROM entries WHERE position = 1 << 40 | 300", "wrong_seq"),
        ])
    func wrongFirst(sql: String, code: String) async throws {
        let sample = try await CutSample()
        try sample.cut(at: 300)
        try sample.database.edit(sql)
        let fault = try StoreCheck.run(path: sample.database.path).fault
        #expect(fault?.problem.code == code, "\(String(describing: fault))")
    }
}

/// A closed database with a portfolio's log of 616 records at different times, including commands, and one record in the
/// gateway's log.
private struct CutSample {
    let database: TemporaryDatabase
    private(set) var script: StoreScript
    /// Every record of the portfolio's log.
    private(set) var bodies: [RecordBody] = []
    private(set) var commands: [CommandID] = []
    /// The commands that have not ended: one early, one late.
    private(set) var open: [CommandID] = []

    var log: LogID { .portfolio(script.portfolio) }
    var scope: RecordScope { .portfolioLog(script.portfolio) }

    init() async throws {
        database = try TemporaryDatabase()
        script = StoreScript(seed: 85)
        let store = try database.open()
        _ = try await store.commit(script.tenancy)
        for step in 0..<154 {
            script.now = script.now.advanced(by: .milliseconds(step % 3 == 0 ? 5 : 0))
            let command = script.command(on: step % 4 == 0 ? script.gate : script.door, reason: "parcel \(step)")
            commands.append(command.id)
            var transaction = script.begin(command)
            if step == 2 || step == 150 {
                open.append(command.id)
                transaction.records.append(PendingRecord(script.event(on: script.door)))
            } else {
                transaction.append(script.end(script.confirmed(command)))
            }
            for _ in 0..<2 { transaction.records.append(PendingRecord(script.event(on: script.gate))) }
            bodies += transaction.records.map(\.body)
            _ = try await store.commit(transaction)
        }
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.gatewayEvent())]))
        try await store.close()
    }

    /// Removes the records before `first`. Keeps the leaf hashes of removed records that share a
    /// tile with later records, and leaves the posting lists unchanged.
    func cut(at first: Int, keepingCommands: Bool = false) throws {
        let queue = try DatabaseQueue(path: database.path)
        defer { try? queue.close() }
        try queue.write { db in
            let (start, position) = (first / 256 * 256, 1 << 40 | first)
            let leaves = try Data.fetchAll(
                db, sql: "SELECT leaf_hash FROM entries WHERE position >= ? AND position < ? ORDER BY position",
                arguments: [1 << 40 | start, position])
            if !leaves.isEmpty {
                try db.execute(
                    sql: "INSERT OR IGNORE INTO tiles VALUES (1, 0, ?, ?)", arguments: [first / 256, leaves.reduce(Data(), +)])
            }
            let removed = "intent >= 1 << 40 AND intent < \(position)"
            if !keepingCommands { try db.execute(sql: "DELETE FROM commands WHERE \(removed)") }
            try db.execute(
                sql: """
                    DELETE FROM entries WHERE position >= 1 << 40 AND position < \(position);
                    UPDATE logs SET first_seq = \(first) WHERE key = 1;
                    DELETE FROM command_counts;
                    DELETE FROM command_totals;
                    INSERT INTO command_counts
                        SELECT device_id, key, coalesce(property_id, x''), coalesce(unit_id, x''), coalesce(actor_user_id, x''), count(*)
                        FROM commands JOIN entries ON position = intent JOIN logs ON key = intent >> 40 GROUP BY 1, 2, 3, 4, 5;
                    INSERT INTO command_totals SELECT log, property_id, sum(commands) FROM command_counts GROUP BY 1, 2;
                    """)
        }
    }

    /// The results of lists and of queries by id for the records from `first` on.
    struct Answers: Equatable {
        var records: [[AccessRecord]] = []
        var commands: [[StoredCommand]] = []
        var open: [StoredCommand] = []
        var byID: [AccessRecord?] = []
    }

    static func answers(of store: SQLiteStore, _ script: StoreScript, first: UInt64) async throws -> Answers {
        var answers = Answers()
        let scopes: [RecordScope] = [
            .portfolioLog(script.portfolio), .unit(script.unit, in: script.portfolio),
            .property(script.property, in: script.portfolio),
        ]
        let filters = [
            RecordFilter(), RecordFilter(deviceID: script.gate), RecordFilter(actorUserID: script.user),
            RecordFilter(kind: .commandOutcome),
            RecordFilter(outcome: .confirmed), RecordFilter(from: script.now.advanced(by: .milliseconds(-150))),
            RecordFilter(until: script.now.advanced(by: .milliseconds(-40))),
            RecordFilter(deviceID: script.door, from: script.now.advanced(by: .milliseconds(-100)), until: script.now),
        ]
        for scope in scopes {
            for filter in filters {
                for order in [RecordQuery.Order.newestFirst, .oldestFirst] {
                    let query = RecordQuery(scopes: [scope], filter: filter, order: order, limit: 1000)
                    answers.records.append(try await store.records(query).filter { $0.seq >= first })
                }
            }
        }
        let ids = answers.records[0].map(\.body.id)
        for id in ids.prefix(5) + ids.suffix(5) { answers.byID.append(try await store.record(id)) }
        let kept = Set(answers.records[0].filter { $0.body.kind == .commandIntent }.compactMap(\.body.commandID))
        for scope in scopes {
            for device in [nil, script.gate] {
                let query = CommandQuery(scopes: [scope], actorUserID: script.user, deviceID: device, limit: 1000)
                answers.commands.append(try await store.commands(query).commands.filter { kept.contains($0.command.id) })
            }
        }
        answers.open = try await store.openCommands().filter { kept.contains($0.command.id) }
        return answers
    }

    static func nodes(of store: SQLiteStore, _ log: LogID) async throws -> [[UInt8]?] {
        var nodes: [[UInt8]?] = []
        for level in 0..<11 {
            for index in 0..<(650 >> UInt64(level)) as Range<UInt64> {
                nodes.append(try await store.node(level: level, index: index, of: log))
            }
        }
        return nodes
    }
}
