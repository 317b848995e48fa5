import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import GRDB
import Testing

@testable import DoorwardStore

/// The files of a process that was killed while it opened its database for the first time.
@Suite struct FirstStartTests {
    @Test("Every prefix of the first start's write-ahead log opens as a complete database")
    func everyCut() async throws {
        let database = try TemporaryDatabase()
        let connection = try WriterConnection.open(path: database.path, limits: TemporaryDatabase.limits)
        // No page has been copied into the file yet: the log contains the whole first start, frame by frame.
        let copy = try database.copyFiles(to: "copy.db")
        try connection.close()
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

    @Test("Every state between two commits of the first start opens as a complete database", arguments: HalfMade.allCases)
    func halfMade(state: HalfMade) async throws {
        let database = try TemporaryDatabase()
        #expect(FileManager.default.createFile(atPath: database.path, contents: Data()))
        if state == .zeroBytesWithLog {
            // The log of another database, which does not belong to this empty file.
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
        "A file of another program is rejected even if it has a table of migrations",
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

/// A file as an interrupted first start of this or an earlier version may leave it.
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
