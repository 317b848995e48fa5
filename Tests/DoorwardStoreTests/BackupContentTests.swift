import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Foundation
import GRDB
import Glibc
import Synchronization
import Testing

@testable import DoorwardStore

/// The content of a backup that was made during writes.
@Suite struct BackupContentTests {
    @Test(
        "A backup under load holds a prefix of the transactions, which includes all that were answered before it began",
        arguments: 1...3 as ClosedRange<UInt64>)
    func prefix(seed: UInt64) async throws {
        let database = try TemporaryDatabase()
        let moment = Moment()
        var limits = Self.smallSteps
        limits.pagesPerCheckpoint = 9
        let store = try database.open(
            // Blocks: the reader's own thread.
            limits: limits, hooks: StoreHooks(duringBackup: { _ in moment.wait() }))
        var draw = RandomTransactions(seed: seed, now: database.clock.now())
        var models = [InMemoryStore(suspensions: 0)]
        func write(_ transaction: StoreTransaction) async throws {
            let model = models[models.count - 1].reopened()
            let expected = await Result { () async throws(StoreError) in try await model.commit(transaction) }
            let found = await Result { () async throws(StoreError) in try await store.commit(transaction) }
            #expect(found == expected)
            models.append(model)
        }
        try await write(draw.tenancy)
        for _ in 0..<60 { try await write(draw.next()) }
        let before = models.count - 1
        async let running = store.backup(to: database.folder.appending(path: "copy.db").path)
        // Each step of the copy waits for one more transaction.
        for _ in 0..<40 {
            try await write(draw.next())
            moment.pass()
        }
        moment.open()
        let backup = try await running
        let copy = try database.open(path: backup.path)
        let sizes = try await sizes(copy, draw)
        let prefixes = try await models.indices.asyncFilter { try await self.sizes(models[$0], draw) == sizes }
        #expect(prefixes.contains { $0 >= before }, "\(prefixes)")
        var isOne = false
        for index in prefixes where index >= before && !isOne {
            isOne = try await ModelComparison(draw).isSame(copy, models[index])
        }
        #expect(isOne)
        try await copy.close()
        try await store.close()
        #expect(moment.count > 3, "the copy took several steps")
    }

    @Test("No file has the backup's name until it is complete, and leftovers of a power failure do not block the next backup")
    func powerCut() async throws {
        let database = try TemporaryDatabase()
        let folder = database.folder.appending(path: "backups")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let seen = Mutex<[[String]]>([])
        let store = try database.open(
            limits: Self.smallSteps,
            hooks: StoreHooks(duringBackup: { left in
                let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                seen.withLock { $0.append(names) }
                // Keep a copy of the partial file as a power failure at this moment would leave it.
                for name in names where name.contains(".partial-") && !name.hasSuffix("-left") {
                    let left = folder.appending(path: "\(name)-\(left)-left")
                    try FileManager.default.copyItem(at: folder.appending(path: name), to: left)
                }
            }))
        var script = StoreScript(seed: 2)
        _ = try await store.commit(script.tenancy)
        for _ in 0..<40 { _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.gatewayEvent())])) }
        let path = folder.appending(path: "copy.db").path
        _ = try await store.backup(to: path)
        #expect(seen.withLock { $0.count } > 3)
        #expect(seen.withLock { $0 }.allSatisfy { !$0.contains("copy.db") })
        let halves = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != "copy.db" }
        #expect(halves.count > 3 && halves.allSatisfy { $0.hasPrefix("copy.db.partial-") })
        #expect(try StoreCheck.run(path: path).isWhole)
        // The next backup succeeds despite the leftovers, and a check does not accept the leftovers as complete databases.
        _ = try await store.backup(to: folder.appending(path: "next.db").path)
        try await store.close()
        for name in halves.sorted().dropLast() where name.hasSuffix("-left") {
            let half = folder.appending(path: name).path
            let isFinished = name.hasSuffix("-0-left")
            if !isFinished { #expect((try? StoreCheck.run(path: half))?.isWhole != true, "\(name)") }
        }
    }

    @Test(
        "A backup into a folder that is not writable, or that is deleted meanwhile, fails with a message; the store keeps working"
    )
    func badPlaces() async throws {
        let database = try TemporaryDatabase()
        let folder = database.folder.appending(path: "away")
        let store = try database.open(
            limits: Self.smallSteps,
            hooks: StoreHooks(duringBackup: { _ in try? FileManager.default.removeItem(at: folder) }))
        var script = StoreScript(seed: 3)
        _ = try await store.commit(script.tenancy)
        // Not even the superuser can create a file in /proc.
        for path in ["/proc/copy.db", "/proc/self/copy.db"] {
            await #expect(throws: StoreBackupError.refused(.folderNotWritable)) { try await store.backup(to: path) }
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        await #expect { try await store.backup(to: folder.appending(path: "copy.db").path) } throws: { error in
            if case .failed? = error as? StoreBackupError { true } else { false }
        }
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.gatewayEvent())]))
        _ = try await store.backup(to: database.folder.appending(path: "copy.db").path)
        try await store.close()
    }

    @Test("A store that cannot write at the moment can still be backed up, with its durable data")
    func whileFailed() async throws {
        struct DiskError: Error {}
        let database = try TemporaryDatabase()
        let fails = Mutex(false)
        let store = try database.open(hooks: StoreHooks(beforeCommit: { _ in if fails.withLock({ $0 }) { throw DiskError() } }))
        var script = StoreScript(seed: 4)
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.gatewayEvent())]))
        fails.withLock { $0 = true }
        let lost = StoreTransaction(records: [PendingRecord(script.gatewayEvent())])
        await #expect(throws: StoreError.self) { try await store.commit(lost) }
        #expect(await store.isWritable() == false)
        let backup = try await store.backup(to: database.folder.appending(path: "copy.db").path)
        #expect(backup.logs == [LogSize(log: .gateway, size: 1)])
        #expect(try StoreCheck.run(path: backup.path).isWhole)
        try await store.close()
    }

    @Test("A backup of a backup has the same content; an empty store can be backed up too")
    func again() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        let empty = try await store.backup(to: database.folder.appending(path: "empty.db").path)
        #expect(empty.logs.isEmpty)
        var script = StoreScript(seed: 5)
        _ = try await store.commit(script.tenancy)
        _ = try await store.commit(script.begin(script.command(on: script.door, reason: "parcel")))
        let first = try await store.backup(to: database.folder.appending(path: "first.db").path)
        try await store.close()
        let copy = try database.open(path: first.path)
        let second = try await copy.backup(to: database.folder.appending(path: "second.db").path)
        try await copy.close()
        #expect(second.logs == first.logs)
        #expect(try rows(of: second.path, isLogAlone: true) == rows(of: first.path, isLogAlone: true))
        // Closing the first store has updated its projections; the log and all other tables are the same.
        #expect(try rows(of: second.path, isLogAlone: true) == rows(of: database.path, isLogAlone: true))
        #expect(try StoreCheck.run(path: empty.path).isWhole)
    }

    // MARK: Helpers

    /// Limits with which even a small database is copied in many steps.
    private static var smallSteps: StoreLimits {
        var limits = TemporaryDatabase.limits
        limits.pagesPerBackupStep = 4
        return limits
    }

    /// Returns the numbers of entities, open commands and records. Most prefixes of the
    /// transactions differ in these numbers, which are fast to compute.
    private func sizes(_ store: any GatewayStore, _ draw: RandomTransactions) async throws -> [Int] {
        var entities = 0
        try await store.loadTenancy { _ in entities += 1 }
        let logs: [RecordScope] = [
            .gatewayLog, .portfolioLog(draw.script.portfolio), .portfolioLog(draw.script.otherPortfolio),
        ]
        var sizes = [entities, try await store.openCommands().count]
        for log in logs { sizes.append(try await store.records(RecordQuery(scopes: [log], limit: 10_000)).count) }
        return sizes
    }

    /// Returns every row of every table. With `isLogAlone`, the tables that are projected from the log are left out.
    private func rows(of path: String, isLogAlone: Bool = false) throws -> [String: [Row]] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { db in
            let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
            let projected = ["postings", "time_marks", "command_counts", "command_totals"]
            return try Dictionary(
                uniqueKeysWithValues: tables.filter { !isLogAlone || !projected.contains($0) }.map { table in
                    let columns = table == "logs" && isLogAlone ? "key, log_id, size, frontier, last_at" : "*"
                    return (table, try Row.fetchAll(db, sql: "SELECT \(columns) FROM \(table)"))
                })
        }
    }
}

/// Lets one step of a backup pass for each transaction that was written, and all remaining steps when opened.
private final class Moment: Sendable {
    private let steps = DispatchSemaphore(value: 0)
    private let waits = Mutex(0)

    /// The number of steps so far.
    var count: Int { waits.withLock { $0 } }

    func pass() { steps.signal() }

    func open() { for _ in 0..<10_000 { steps.signal() } }

    func wait() {
        waits.withLock { $0 += 1 }
        // Blocks: the reader's own thread.
        steps.wait()
    }
}

extension Sequence {
    fileprivate func asyncFilter(_ isIncluded: (Element) async throws -> Bool) async rethrows -> [Element] {
        var elements: [Element] = []
        for element in self where try await isIncluded(element) { elements.append(element) }
        return elements
    }
}
