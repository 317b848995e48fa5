import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Foundation
import GRDB
import Synchronization
import Testing

@testable import DoorwardStore

@Suite struct BackupTests {
    @Test("A gateway that opens a backup finds all data: tenancy, commands, records with names, sessions and password hashes")
    func everythingIsThere() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 1)
        script.now = database.clock.now()
        _ = try await store.commit(script.tenancy)
        let (command, open) = (script.command(on: script.door, reason: "parcel"), script.command(on: script.otherDoor))
        for transaction in [script.begin(command), script.end(script.confirmed(command)), script.begin(open)] {
            _ = try await store.commit(transaction)
        }
        let session = script.session()
        _ = try await store.commit(
            StoreTransaction(credentials: [
                .setPassword(script.user, hash: "$scrypt$1"), .beginSession(session, refreshDigest: [7]),
            ]))
        let backup = try await store.backup(to: database.folder.appending(path: "copy.db").path)
        #expect(backup.at == database.clock.now())
        let copy = try database.open(path: backup.path)
        #expect(try await tenancy(of: copy) == Set(script.fixture.changes))
        #expect(try await copy.command(command.id)?.command == script.confirmed(command))
        #expect(try await copy.openCommands().map(\.command) == [open])
        #expect(try await copy.liveSessions(at: script.now) == [session])
        #expect(try await copy.passwordHash(of: script.user) == "$scrypt$1")
        let query = RecordQuery(scopes: [.portfolioLog(script.portfolio)], order: .oldestFirst, limit: 10)
        let records = try await copy.records(query)
        #expect(records == (try await store.records(query)))
        #expect(records.first?.body.statedReason == "parcel")
        try await copy.close()
        try await store.close()
    }

    @Test("A backup includes data that is only in the write-ahead log, and is a single file without a log")
    func oneFile() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 2)
        _ = try await store.commit(script.tenancy)
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.event(on: script.door))]))
        let place = database.folder.appending(path: "one")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        let backup = try await store.backup(to: place.appending(path: "copy.db").path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["copy.db"])
        let header = try Data(contentsOf: URL(filePath: backup.path)).prefix(20)
        // Bytes 18 and 19 are 1 without a write-ahead log (SQLite, "Database File Format", 1.3.3).
        #expect(header[18...19] == Data([1, 1]))
        let report = try StoreCheck.run(path: backup.path)
        #expect(report.fault == nil)
        #expect(report.counts.logs == backup.logs)
        #expect(report.bytes == backup.bytes)
        try await store.close()
    }

    @Test(
        "Transactions that are committed while a backup runs are answered at once, and are not in the backup",
        arguments: 1...3 as ClosedRange<UInt64>)
    func underLoad(seed: UInt64) async throws {
        let database = try TemporaryDatabase()
        let gate = BackupGate()
        var limits = Self.smallSteps
        limits.pagesPerCheckpoint = 20
        let store = try database.open(limits: limits, hooks: StoreHooks(duringBackup: gate.pass))
        var script = StoreScript(seed: seed)
        _ = try await store.commit(script.tenancy)
        for _ in 0..<30 { try await write(&script, to: store) }
        async let running = store.backup(to: database.folder.appending(path: "copy.db").path)
        await gate.reached()
        // The backup waits in the middle of its copy; each of these writes is answered before the backup continues.
        for _ in 0..<60 { try await write(&script, to: store) }
        gate.open()
        let backup = try await running
        #expect(backup.logs.map(\.size) == [30, 30])
        let report = try StoreCheck.run(path: backup.path)
        #expect(report.fault == nil)
        #expect(report.counts.logs == backup.logs)
        let next = try await store.backup(to: database.folder.appending(path: "next.db").path)
        #expect(next.logs.map(\.size) == [90, 90])
        try await store.close()
    }

    @Test("A second backup during a running one is rejected, and one afterwards succeeds")
    func oneAtATime() async throws {
        let database = try TemporaryDatabase()
        let gate = BackupGate()
        let store = try database.open(hooks: StoreHooks(duringBackup: gate.pass))
        let paths = (0..<3).map { database.folder.appending(path: "copy\($0).db").path }
        async let first = store.backup(to: paths[0])
        await gate.reached()
        await #expect(throws: StoreBackupError.refused(.alreadyRunning)) { try await store.backup(to: paths[1]) }
        gate.open()
        _ = try await first
        _ = try await store.backup(to: paths[2])
        #expect(!FileManager.default.fileExists(atPath: paths[1]))
        try await store.close()
    }

    @Test("Closing the store stops a running backup, which leaves no file behind")
    func closing() async throws {
        let database = try TemporaryDatabase()
        let gate = BackupGate()
        let store = try database.open(
            limits: Self.smallSteps, hooks: StoreHooks(beforeCheckpoint: { gate.open() }, duringBackup: gate.pass))
        let path = database.folder.appending(path: "copy.db").path
        async let running: StoreBackup? = try? store.backup(to: path)
        await gate.reached()
        // The gate opens when the writer starts its last checkpoint, so the store is closing by then.
        try await store.close()
        #expect(await running == nil)
        #expect(try names(in: database).filter { $0.hasPrefix("copy") } == [])
    }

    @Test("A backup that fails midway, or finds its file name in use at the end, leaves no file and can be repeated")
    func failing() async throws {
        struct DiskError: Error {}
        let database = try TemporaryDatabase()
        let path = database.folder.appending(path: "copy.db").path
        let plan = Mutex<[@Sendable () throws -> Void]>([
            { throw DiskError() }, { _ = FileManager.default.createFile(atPath: path, contents: Data("theirs".utf8)) },
        ])
        let store = try database.open(
            limits: Self.smallSteps,
            hooks: StoreHooks(duringBackup: { _ in
                let next = plan.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                try next?()
            }))
        await #expect(throws: StoreBackupError.failed("copying the database failed: an unexpected error of type DiskError")) {
            try await store.backup(to: path)
        }
        #expect(try names(in: database).filter { $0.hasPrefix("copy") } == [])
        await #expect(throws: StoreBackupError.refused(.alreadyExists)) { try await store.backup(to: path) }
        #expect(try names(in: database).filter { $0.hasPrefix("copy") } == ["copy.db"])
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("theirs".utf8))
        _ = try await store.backup(to: path + "2")
        try await store.close()
    }

    @Test("A backup that fills its disk is refused as such, leaves no file, and can be repeated")
    func fullDisk() async throws {
        let database = try TemporaryDatabase()
        let path = database.folder.appending(path: "copy.db").path
        // What SQLite reports when a page does not fit on the disk, and when it cannot be written for another reason.
        let plan = Mutex<[any Error]>([DatabaseError(resultCode: .SQLITE_FULL), DatabaseError(resultCode: .SQLITE_IOERR)])
        let store = try database.open(
            limits: Self.smallSteps,
            hooks: StoreHooks(duringBackup: { _ in
                if let next = plan.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw next }
            }))
        await #expect(throws: StoreBackupError.refused(.diskFull)) { try await store.backup(to: path) }
        #expect(try names(in: database).filter { $0.hasPrefix("copy") } == [])
        await #expect { try await store.backup(to: path) } throws: { error in
            if case .failed? = error as? StoreBackupError { true } else { false }
        }
        _ = try await store.backup(to: path)
        try await store.close()
    }

    @Test("During a backup the writer does not truncate its write-ahead log; it truncates the log afterwards")
    func logIsCutAfterwards() async throws {
        let database = try TemporaryDatabase()
        let gate = BackupGate()
        var limits = TemporaryDatabase.limits
        (limits.pagesPerCheckpoint, limits.pagesBeforeCut) = (1, 0)
        let store = try database.open(limits: limits, hooks: StoreHooks(duringBackup: gate.pass))
        var script = StoreScript(seed: 3)
        try await write(&script, to: store)
        #expect(try await logSize(store, database) == 0)
        async let running = store.backup(to: database.folder.appending(path: "copy.db").path)
        await gate.reached()
        try await write(&script, to: store)
        #expect(try await logSize(store, database) > 0)
        gate.open()
        _ = try await running
        try await write(&script, to: store)
        #expect(try await logSize(store, database) == 0)
        try await store.close()
    }

    @Test("The names of the database's own files are rejected as the path of a backup")
    func ownName() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        for suffix in ["", "-wal", "-shm", ".lock"] {
            await #expect(throws: StoreBackupError.refused(.alreadyExists)) { try await store.backup(to: database.path + suffix) }
        }
        try await store.close()
    }

    // MARK: Helpers

    /// Limits with which even a small database is copied in several steps.
    private static var smallSteps: StoreLimits {
        var limits = TemporaryDatabase.limits
        limits.pagesPerBackupStep = 4
        return limits
    }

    private func write(_ script: inout StoreScript, to store: SQLiteStore) async throws {
        let bodies = [script.event(on: script.door), script.gatewayEvent()]
        _ = try await store.commit(StoreTransaction(records: bodies.map { PendingRecord($0) }))
    }

    private func tenancy(of store: SQLiteStore) async throws -> Set<TenancyChange> {
        var changes: Set<TenancyChange> = []
        try await store.loadTenancy { changes.insert($0) }
        return changes
    }

    /// Returns the size of the write-ahead log once the writer is idle.
    private func logSize(_ store: SQLiteStore, _ database: TemporaryDatabase) async throws -> Int {
        _ = await store.isWritable()
        return try FileManager.default.attributesOfItem(atPath: database.path + "-wal")[.size] as? Int ?? -1
    }

    private func names(in database: TemporaryDatabase) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: database.folder.path).sorted()
    }
}

/// A gate that stops a backup after its first step until the gate is opened. An open gate stays open.
private final class BackupGate: Sendable {
    private let arrivals = AsyncStream<Void>.makeStream()
    private let gate = DispatchSemaphore(value: 0)

    @Sendable func pass(_ pagesLeft: Int) {
        arrivals.continuation.yield()
        // Blocks: the reader's own thread.
        gate.wait()
        gate.signal()
    }

    func open() { gate.signal() }

    /// Waits until a backup has been stopped by this gate.
    func reached() async { for await _ in arrivals.stream { return } }
}
