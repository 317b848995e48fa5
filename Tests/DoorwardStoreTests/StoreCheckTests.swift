import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Foundation
import GRDB
import Synchronization
import Testing

@testable import DoorwardStore

@Suite struct StoreCheckTests {
    // MARK: Undamaged files

    @Test("A check of a store that was used and reopened finds no fault and counts its contents")
    func whole() async throws {
        let sample = try await CheckedSample(seed: 1)
        let report = try StoreCheck.run(path: sample.database.path)
        #expect(report.fault == nil)
        #expect(report.isWhole)
        #expect(report.schema == Schema.current.number)
        #expect(report.counts.logs.map(\.size) == sample.sizes)
        #expect(report.counts.records == sample.sizes.reduce(0, +))
        #expect(report.counts.commands == 6)
        #expect(report.counts.openCommands == 2)
        // Each intent and each outcome names its actor, and each intent has a reason.
        #expect(report.counts.personalValues == 6 + 6 + 4)
        #expect(report.counts.erasedValues == 0)
    }

    @Test("A check changes no file and creates only the lock file", arguments: [false, true])
    func readsOnly(withLog: Bool) async throws {
        let sample = try await CheckedSample(seed: 2, isClosed: !withLog)
        let path = withLog ? try sample.database.copyFiles(to: "copy.db") : sample.database.path
        let before = try contents(besides: path)
        #expect(before.keys.contains(path + "-wal") == withLog)
        #expect(try StoreCheck.run(path: path).fault == nil)
        #expect(try contents(besides: path) == before)
    }

    @Test("A check reports its progress from zero to the total, stage by stage")
    func progress() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 3)
        for _ in 0..<5 {
            let bodies = (0..<1000).map { _ in script.gatewayEvent() }
            _ = try await store.commit(StoreTransaction(records: bodies.map { PendingRecord($0) }))
        }
        try await store.close()
        let told = Mutex<[StoreCheckProgress]>([])
        _ = try StoreCheck.run(path: database.path) { progress in told.withLock { $0.append(progress) } }
        let records = [0, 4096, 5000].map { StoreCheckProgress(stage: .records, done: $0, total: 5000) }
        let structure = [0, 1].map { StoreCheckProgress(stage: .structure, done: $0, total: 1) }
        #expect(told.withLock { $0 } == records + structure)
    }

    @Test("Values whose key was destroyed are counted, and are not a fault")
    func erased() async throws {
        let sample = try await CheckedSample(seed: 4)
        try sample.database.edit("DELETE FROM person_keys WHERE log = (SELECT min(log) FROM person_keys)")
        let report = try StoreCheck.run(path: sample.database.path)
        #expect(report.fault == nil)
        #expect(report.counts.erasedValues > 0)
        #expect(report.counts.erasedValues + report.counts.personalValues == 16)
    }

    @Test("A truncated list of device carriers is reported by a check, and makes loading the tenancy fail")
    func halfAPair() async throws {
        let database = try TemporaryDatabase()
        var store = try database.open()
        _ = try await store.commit(StoreTransaction(changes: FullTenancy(seed: 6).changes))
        try await store.close()
        try database.edit("UPDATE guest_accesses SET device_carriers = zeroblob(16)")
        #expect(try StoreCheck.run(path: database.path).fault?.problem.code == "unreadable")
        store = try database.open()
        await #expect(throws: StoreError.self) { try await store.loadTenancy { _ in } }
        try await store.close()
    }

    // MARK: Files that cannot be checked

    @Test("A file that a gateway holds is not checked")
    func held() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        let error = #expect(throws: StoreOpenError.self) { try StoreCheck.run(path: database.path) }
        if case .inUse? = error {} else { Issue.record("\(String(describing: error))") }
        try await store.close()
        #expect(try StoreCheck.run(path: database.path).isWhole)
    }

    @Test("A gateway cannot open a file while it is checked")
    func holds() async throws {
        let sample = try await CheckedSample(seed: 5)
        let refusals = Mutex(0)
        _ = try StoreCheck.run(path: sample.database.path) { _ in
            let refused = Result { try sample.database.open() }
            if case .failure(StoreOpenError.inUse) = refused { refusals.withLock { $0 += 1 } }
        }
        #expect(refusals.withLock { $0 } == 4)
    }

    @Test("A file that is missing, empty, of another program or of a newer schema is rejected and left unchanged")
    func refused() async throws {
        let database = try TemporaryDatabase()
        let missing = database.folder.appending(path: "missing.db").path
        #expect { try StoreCheck.run(path: missing) } throws: {
            "\($0)".contains("there is nothing to check: there is no such file")
        }
        #expect(!FileManager.default.fileExists(atPath: missing + ".lock"))

        let empty = database.folder.appending(path: "empty.db").path
        #expect(FileManager.default.createFile(atPath: empty, contents: Data()))
        #expect { try StoreCheck.run(path: empty) } throws: { if case .notOurs? = $0 as? StoreOpenError { true } else { false } }
        #expect(try Data(contentsOf: URL(filePath: empty)).isEmpty)

        let letter = database.folder.appending(path: "letter.db").path
        try Data(String(repeating: "Dear Sir or Madam,\n", count: 100).utf8).write(to: URL(filePath: letter))
        #expect { try StoreCheck.run(path: letter) } throws: { if case .notOurs? = $0 as? StoreOpenError { true } else { false } }

        try await database.open().close()
        let known = Schema.current.number
        try database.edit("PRAGMA user_version = \(known + 7)")
        let before = try Data(contentsOf: URL(filePath: database.path))
        #expect { try StoreCheck.run(path: database.path) } throws: {
            "\($0)".contains("written by a newer Doorward: schema \(known + 7), this program knows \(known)")
        }
        #expect(try Data(contentsOf: URL(filePath: database.path)) == before)
    }

    @Test("A file of an older schema is whole, and the next start migrates it and keeps its rows")
    func olderSchema() async throws {
        let sample = try await CheckedSample(seed: 8)
        let counts = try StoreCheck.run(path: sample.database.path).counts
        try sample.database.edit(
            """
            ALTER TABLE devices DROP COLUMN notes;
            DELETE FROM grdb_migrations WHERE identifier = '2';
            PRAGMA user_version = 1
            """)
        let report = try StoreCheck.run(path: sample.database.path)
        #expect(report.schema == 1 && report.fault == nil, "\(String(describing: report.fault))")
        #expect(report.counts == counts)

        let damaged = try sample.database.copyFiles(to: "damaged.db")
        let queue = try DatabaseQueue(path: damaged)
        try await queue.writeWithoutTransaction { try $0.execute(sql: "UPDATE devices SET capabilities = -1") }
        try queue.close()
        #expect(try StoreCheck.run(path: damaged).fault != nil)

        let store = try sample.database.open()
        var loaded: Set<TenancyChange> = []
        try await store.loadTenancy { loaded.insert($0) }
        #expect(loaded == Set(sample.script.fixture.changes))
        try await store.close()
        #expect(try StoreCheck.run(path: sample.database.path).schema == Schema.current.number)
    }

    @Test("A check reads what later steps add: columns have their defaults, and new tables are empty")
    func addedLater() async throws {
        let steps = [
            "CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (7)", "ALTER TABLE t ADD COLUMN b INTEGER NOT NULL DEFAULT 5",
        ]
        let later = ["ALTER TABLE t ADD COLUMN \"the order\" TEXT", "CREATE TABLE u (c TEXT NOT NULL, d BLOB) STRICT"]
        let schema = Schema(
            steps: (steps + later).map { sql in Schema.Step(foreignKeyChecks: .immediate) { db, _ in try db.execute(sql: sql) } })
        let queue = try DatabaseQueue()
        try Schema(steps: Array(schema.steps.prefix(1))).migrate(queue)
        try await queue.writeWithoutTransaction { db in
            let check = SchemaCheck(of: 1, current: schema)
            try check.run(in: db)
            try check.completeColumns(in: db)
            let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM t"))
            #expect(row == ["a": 7, "b": 5, "the order": nil])
            #expect(try Int.fetchOne(db, sql: "SELECT count(c) + count(d) FROM u") == 0)
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM main.sqlite_schema WHERE type = 'view'") == 0)
        }
    }

    // MARK: Damage

    @Test("A check reports every alteration of the file with its log and record", arguments: Alteration.all)
    func altered(_ alteration: Alteration) async throws {
        let sample = try await CheckedSample(seed: 6)
        try sample.database.edit(alteration.sql)
        let report = try StoreCheck.run(path: sample.database.path)
        let fault = try #require(report.fault)
        #expect(fault.problem.code == alteration.code, "\(fault)")
        #expect(fault.seq == alteration.seq, "\(fault)")
        #expect((fault.log == nil) == (alteration.log == .none), "\(fault)")
        switch alteration.log {
        case .first: #expect(fault.log == .portfolio(sample.script.portfolio))
        case .second: #expect(fault.log == .portfolio(sample.script.otherPortfolio))
        case .gateway: #expect(fault.log == .gateway)
        case .other, .none: break
        }
        #expect(!fault.description.isEmpty)
        #expect(!report.isWhole)
    }

    @Test("Of several faults the first is reported, in the order of logs and records")
    func first() async throws {
        let sample = try await CheckedSample(seed: 7)
        let logs = [1, 2].map { $0 << 40 }
        try sample.database.edit(
            "UPDATE entries SET leaf_hash = zeroblob(32) WHERE position IN (\(logs[1]), \(logs[0] + 5), \(logs[0] + 3))")
        let report = try StoreCheck.run(path: sample.database.path)
        #expect(report.fault == StoreFault(log: .portfolio(sample.script.portfolio), seq: 3, .log(.wrongLeafHash)))
        #expect(report.counts.records == 3)
        #expect(report.counts.logs.isEmpty)
    }

    private func contents(besides path: String) throws -> [String: Data] {
        let folder = URL(filePath: path).deletingLastPathComponent()
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !name.hasSuffix(".lock") {
            let file = folder.appending(path: name)
            contents[file.path] = try Data(contentsOf: file)
        }
        return contents
    }
}
