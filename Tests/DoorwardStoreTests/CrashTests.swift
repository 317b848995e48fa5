import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import Synchronization
import Testing

@testable import DoorwardStore

/// Copies the database's files at chosen flushes. The copy is made on the writer's own thread, so that it has the content that a
/// crash at that instant would leave. Also keeps the ids of the records that had been acknowledged by then.
private final class CrashCamera: Sendable {
    struct Picture {
        let path: String
        let answered: Set<RecordID>
    }

    private let database: TemporaryDatabase
    private let state: Mutex<(flushes: Int, answered: Set<RecordID>, pictures: [Picture])>
    private let chosen: Set<Int>

    init(_ database: TemporaryDatabase, flushes: Set<Int>) {
        (self.database, chosen) = (database, flushes)
        state = Mutex((0, [], []))
    }

    func hooks(_ moment: CrashMoment) -> StoreHooks {
        switch moment {
        case .beforeCommit: StoreHooks(beforeCommit: { _ in try self.flush() })
        case .afterCommit: StoreHooks(afterCommit: { _ in try? self.flush() })
        }
    }

    func answer(_ id: RecordID) { state.withLock { _ = $0.answered.insert(id) } }
    var pictures: [Picture] { state.withLock { $0.pictures } }

    private func flush() throws {
        try state.withLock { state in
            state.flushes += 1
            guard chosen.contains(state.flushes) else { return }
            let path = try database.copyFiles(to: "copy-\(state.flushes).db")
            state.pictures.append(Picture(path: path, answered: state.answered))
        }
    }
}

@Suite struct CrashTests {
    @Test(
        "A crash at any flush leaves a complete database with every acknowledged record",
        arguments: CrashMoment.allCases, 1...4 as ClosedRange<UInt64>)
    func crash(moment: CrashMoment, seed: UInt64) async throws {
        let database = try TemporaryDatabase()
        var random = SeededGenerator(seed: seed)
        let flushes = Set((0..<6).map { _ in Int.random(in: 2...40, using: &random) })
        let camera = CrashCamera(database, flushes: flushes)
        var limits = TemporaryDatabase.limits
        (limits.pagesPerCheckpoint, limits.transactionsPerFlush) = (30, 5)
        let store = try database.open(limits: limits, hooks: camera.hooks(moment))
        try await load(store, seed: seed, camera: camera)
        try await store.close()
        #expect(!camera.pictures.isEmpty)
        for picture in camera.pictures {
            let logs = try StoredLogs(path: picture.path)
            #expect(logs.integrity == "ok")
            #expect(logs.faults.isEmpty)
            #expect(picture.answered.isSubset(of: logs.recordIDs))
            let reopened = try database.open(path: picture.path)
            var script = StoreScript(seed: seed + 1000)
            let next = try await reopened.commit(StoreTransaction(records: [PendingRecord(script.gatewayEvent())]))
            #expect(next.map { Int($0.seq) } == [logs.sizes[.gateway] ?? 0])
            try await reopened.close()
        }
    }

    @Test("A write-ahead log that is truncated at any byte opens as a complete database of an earlier moment")
    func tornLog() async throws {
        let database = try TemporaryDatabase()
        let camera = CrashCamera(database, flushes: [60])
        var limits = TemporaryDatabase.limits
        (limits.pagesPerCheckpoint, limits.transactionsPerFlush) = (.max, 2)
        let store = try database.open(limits: limits, hooks: camera.hooks(.afterCommit))
        try await load(store, seed: 9, camera: camera)
        try await store.close()
        let picture = try #require(camera.pictures.first)
        let (file, log) = (URL(filePath: picture.path), URL(filePath: picture.path + "-wal"))
        let (wholeFile, wholeLog) = (try Data(contentsOf: file), try Data(contentsOf: log))
        var random = SeededGenerator(seed: 9)
        var counts: Set<Int> = []
        for _ in 0..<25 {
            try wholeFile.write(to: file)
            try wholeLog.prefix(Int.random(in: 0...wholeLog.count, using: &random)).write(to: log)
            try await database.open(path: picture.path).close()
            let logs = try StoredLogs(path: picture.path)
            #expect(logs.integrity == "ok")
            #expect(logs.faults.isEmpty)
            counts.insert(logs.recordIDs.count)
        }
        #expect(counts.count > 5, "the truncations gave several different states")
    }

    /// Runs commands of several callers at once.
    private func load(_ store: SQLiteStore, seed: UInt64, camera: CrashCamera) async throws {
        let tenancy = StoreScript(seed: seed)
        _ = try await store.commit(tenancy.tenancy)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<8 {
                group.addTask {
                    // Each caller uses the same tenancy but different ids for its commands.
                    var script = tenancy
                    for _ in 0..<caller * 1000 { _ = script.fixture.id(of: Command.self) }
                    for _ in 0..<20 {
                        let command = script.command(on: script.door)
                        for transaction in [script.begin(command), script.end(script.confirmed(command))] {
                            _ = try await store.commit(transaction)
                            for record in transaction.records { camera.answer(record.body.id) }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// The moment at which the files are copied.
enum CrashMoment: CaseIterable, Sendable { case beforeCommit, afterCommit }
