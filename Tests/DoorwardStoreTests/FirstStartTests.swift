import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import GRDB
import Testing

@testable import DoorwardStore

/// What a process leaves that is killed while it opens its database for the first time.
@Suite struct FirstStartTests {
    @Test("Whatever part of the first start's write-ahead log was written, the next start makes a whole database of it")
    func everyCut() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        // Nothing was moved into the file yet: the log holds the whole start, frame after frame.
        let copy = try database.copyFiles(to: "copy.db")
        try await store.close()
        let (file, log) = (URL(filePath: copy), URL(filePath: copy + "-wal"))
        let (wholeFile, wholeLog) = (try Data(contentsOf: file), try Data(contentsOf: log))
        let frame = 24 + 4096
        let frames = (wholeLog.count - 32) / frame
        #expect(frames > 10)
        for count in 0...frames {
            try wholeFile.write(to: file)
            try wholeLog.prefix(32 + count * frame).write(to: log)
            try await expectWhole(database, path: copy)
        }
    }

    @Test("Each state that lies between two commits of the first start opens", arguments: HalfMade.allCases)
    func halfMade(state: HalfMade) async throws {
        let database = try TemporaryDatabase()
        #expect(FileManager.default.createFile(atPath: database.path, contents: Data()))
        if state == .zeroBytesWithLog {
            // The log of another database, which this empty file cannot be continued by.
            let other = try DatabaseQueue(path: database.path + "-other")
            try await other.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE theirs (a)")
            }
            try FileManager.default.copyItem(atPath: database.path + "-other-wal", toPath: database.path + "-wal")
            try other.close()
        }
        if let sql = state.sql {
            let queue = try DatabaseQueue(path: database.path)
            try await queue.writeWithoutTransaction { try $0.execute(sql: sql) }
            try queue.close()
        }
        try await expectWhole(database, path: database.path)
    }

    @Test(
        "A list of steps does not make another program's file ours",
        arguments: [
            "INSERT INTO grdb_migrations VALUES ('theirs')", "PRAGMA user_version = 3", "PRAGMA application_id = 5",
            "CREATE TABLE theirs (a)", "CREATE VIEW theirs AS SELECT 1",
        ])
    func theirs(sql: String) async throws {
        let database = try TemporaryDatabase()
        let queue = try DatabaseQueue(path: database.path)
        try await queue.writeWithoutTransaction { try $0.execute(sql: HalfMade.listTable + ";" + sql) }
        try queue.close()
        let before = try Data(contentsOf: URL(filePath: database.path))
        #expect { try database.open() } throws: { error in
            if case .notOurs? = error as? StoreOpenError { true } else { false }
        }
        #expect(try Data(contentsOf: URL(filePath: database.path)) == before)
    }

    private func expectWhole(_ database: TemporaryDatabase, path: String) async throws {
        let store = try database.open(path: path)
        var script = StoreScript(seed: 1)
        _ = try await store.commit(script.tenancy)
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.event(on: script.door))]))
        try await store.close()
        let logs = try StoredLogs(path: path)
        #expect(logs.integrity == "ok")
        #expect(logs.sizes == [.portfolio(script.portfolio): 1])
        #expect(logs.faults.isEmpty)
    }
}

/// A file as an interrupted first start may leave it, in this version or an earlier one.
enum HalfMade: CaseIterable, Sendable {
    case zeroBytes, zeroBytesWithLog, journalMode, applicationID, emptyList, emptyListWithoutApplicationID

    static let listTable = "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)"

    var sql: String? {
        switch self {
        case .zeroBytes, .zeroBytesWithLog: nil
        case .journalMode: "PRAGMA journal_mode = WAL"
        case .applicationID: "PRAGMA journal_mode = WAL; PRAGMA application_id = \(Schema.applicationID)"
        case .emptyList: "PRAGMA application_id = \(Schema.applicationID); \(Self.listTable)"
        case .emptyListWithoutApplicationID: "PRAGMA journal_mode = WAL; \(Self.listTable)"
        }
    }
}
