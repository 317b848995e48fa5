import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import GRDB
import Testing

@testable import DoorwardStore

@Suite struct OpeningTests {
    @Test(
        "The writer's connection has full flushes, a write-ahead log, zeroed deletes, foreign keys and no automatic checkpoints"
    )
    func settings() async throws {
        let database = try TemporaryDatabase()
        let writer = try database.open().writer
        #expect(try await writer.pragma("synchronous") == 2.databaseValue)
        #expect(try await writer.pragma("journal_mode") == "wal".databaseValue)
        #expect(try await writer.pragma("secure_delete") == 1.databaseValue)
        #expect(try await writer.pragma("wal_autocheckpoint") == 0.databaseValue)
        #expect(try await writer.pragma("foreign_keys") == 1.databaseValue)
    }

    @Test("All connections are open from the start, so that no read needs a file descriptor")
    func connections() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        let path = try #require(realPath(database.path))
        let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
        // Besides the readers' descriptors there are three: one that keeps the files open, the writer's, and that of the lock.
        #expect(files.count { $0 == path } == TemporaryDatabase.limits.connectionsToRead + 3)
        #expect(files.count { $0 == path + "-wal" } == TemporaryDatabase.limits.connectionsToRead + 2)
        try await store.close()
    }

    @Test("Every file of the database is accessible only to its owner", arguments: ["", "-wal", "-shm", ".lock"])
    func modes(of suffix: String) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 1)
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.gatewayEvent())]))
        let attributes = try FileManager.default.attributesOfItem(atPath: database.path + suffix)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try await store.close()
    }

    @Test("A second store on the same file, also by a symbolic link, is rejected until the first is closed")
    func secondStore() async throws {
        let database = try TemporaryDatabase()
        let link = database.folder.appending(path: "link.db").path
        let first = try database.open()
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: database.path)
        let refused = StoreOpenError.inUse(path: try #require(realPath(database.path)))
        #expect(throws: refused) { try database.open() }
        #expect(throws: refused) { try database.open(path: link) }
        #expect(refused.description.contains("a gateway uses this database"))
        #expect(refused.description.contains(database.path.suffix(20)))
        try await first.close()
        try await database.open().close()
    }

    @Test("A file that another process holds is rejected, and can be opened once that process was killed")
    func secondProcess() async throws {
        let database = try TemporaryDatabase()
        try await database.open().close()
        let holder = Process()
        let (output, input) = (Pipe(), Pipe())
        holder.executableURL = URL(filePath: "/usr/bin/env")
        holder.arguments = [
            "python3", "-c",
            "import fcntl, sys; f = open(sys.argv[1], 'r+'); fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); sys.stdin.read()",
            database.path + ".lock",
        ]
        (holder.standardOutput, holder.standardInput) = (output, input)
        try holder.start()
        #expect(try output.fileHandleForReading.read(upToCount: 4) == Data("held".utf8))
        #expect(throws: StoreOpenError.inUse(path: try #require(realPath(database.path)))) { try database.open() }
        kill(holder.processIdentifier, SIGKILL)
        _ = await holder.exitCode()
        try await database.open().close()
    }

    @Test("A database of a newer schema is rejected with both schema numbers and left unchanged")
    func newerSchema() async throws {
        let database = try TemporaryDatabase()
        try await database.open().close()
        let known = try schema(of: database.path)
        try edit(database.path, "PRAGMA user_version = \(known + 41)")
        let before = try Data(contentsOf: URL(filePath: database.path))
        let path = try #require(realPath(database.path))
        let refused = StoreOpenError.newerSchema(path: path, found: known + 41, known: known)
        #expect(throws: refused) { try database.open() }
        #expect(refused.description.contains("written by a newer Doorward: schema \(known + 41), this program knows \(known)"))
        #expect(try Data(contentsOf: URL(filePath: database.path)) == before)
    }

    @Test("A database of another program is rejected and left unchanged")
    func otherDatabase() throws {
        let database = try TemporaryDatabase()
        try edit(database.path, "CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)")
        let before = try Data(contentsOf: URL(filePath: database.path))
        #expect(throws: StoreOpenError.notOurs(path: try #require(realPath(database.path)))) { try database.open() }
        #expect(try Data(contentsOf: URL(filePath: database.path)) == before)
    }

    @Test("A file that is not a database is rejected and left unchanged")
    func noDatabase() throws {
        let database = try TemporaryDatabase()
        let text = Data(String(repeating: "This is a letter, not a database.\n", count: 200).utf8)
        try text.write(to: URL(filePath: database.path))
        #expect(throws: StoreOpenError.notOurs(path: try #require(realPath(database.path)))) { try database.open() }
        #expect(try Data(contentsOf: URL(filePath: database.path)) == text)
    }

    @Test("A missing folder is named, with the next step")
    func noFolder() throws {
        let database = try TemporaryDatabase()
        let path = database.path + "/missing/doorward.db"
        let expected =
            "\(path): the database could not be opened: its folder \(database.path)/missing cannot be used: there is no such file "
            + "or folder; create it, or correct the path."
        #expect { try database.open(path: path) } throws: { "\($0)" == expected }
    }

    @Test("A closed store rejects reads and writes as unavailable")
    func closed() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 2)
        let transaction = StoreTransaction(records: [PendingRecord(script.gatewayEvent())])
        try await store.close()
        await #expect(throws: StoreError.unavailable) { try await store.commit(transaction) }
        await #expect(throws: StoreError.unavailable) { try await store.openCommands() }
        #expect(await store.isWritable() == false)
        #expect(try await store.writer.pragma("synchronous") == nil)
        try await store.close()
    }

    private func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private func schema(of path: String) throws -> Int {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try #require(try queue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") })
    }

    private func edit(_ path: String, _ sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }
}
