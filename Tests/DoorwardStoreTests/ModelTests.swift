import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Synchronization
import Testing

@testable import DoorwardStore

/// Compares the SQLite store with the in-memory store: after the same transactions all queries must have the same results.
@Suite struct ModelTests {
    @Test(
        "After random transactions, many of them rejected, the SQLite and in-memory stores agree, also after reopening",
        arguments: 1...6 as ClosedRange<UInt64>)
    func sameAnswers(seed: UInt64) async throws {
        let database = try TemporaryDatabase()
        var limits = StoreLimits()
        (limits.cachedEntries, limits.pagesPerCheckpoint) = (Int(seed % 4), 25)
        limits.entriesPerProjection = [1, 5, 40, 1024][Int(seed % 4)]
        var store = try database.open(limits: limits)
        let model = InMemoryStore(suspensions: 0)
        var draw = RandomTransactions(seed: seed, now: database.clock.now())
        _ = try await store.commit(draw.tenancy)
        _ = try await model.commit(draw.tenancy)
        var (taken, refused): (Int, Set<String>) = (0, [])
        for round in 0..<8 {
            for _ in 0..<25 {
                let transaction = draw.next()
                let expected = await Result { () async throws(StoreError) in try await model.commit(transaction) }
                let found = await Result { () async throws(StoreError) in try await store.commit(transaction) }
                #expect(found == expected)
                switch expected {
                case .success: taken += 1
                case .failure(.refused(let rule)): refused.insert("\(rule)".prefix { $0 != "(" }.description)
                case .failure: break
                }
            }
            _ = try await store.finishErasures()
            if round % 3 == 2 {
                try await store.close()
                store = try database.open(limits: limits)
            }
            try await ModelComparison(draw).expectSame(store, model)
        }
        #expect(taken > 50)
        #expect(refused.count >= 5, "\(refused)")
        try await store.close()
        let report = try StoreCheck.run(path: database.path)
        #expect(report.fault == nil)
    }

    @Test(
        "After failed flushes, closes and kills the store agrees with a model of the durable transactions",
        arguments: 1...4 as ClosedRange<UInt64>)
    func troubled(seed: UInt64) async throws {
        let (database, disk) = (try TemporaryDatabase(), TroubledDisk())
        var (limits, path) = (StoreLimits(), database.path)
        (limits.cachedEntries, limits.pagesPerCheckpoint) = (Int(seed % 3), 11)
        limits.entriesPerProjection = [1, 6, 60][Int(seed % 3)]
        var store = try database.open(limits: limits, hooks: disk.hooks, path: path)
        let model = InMemoryStore(suspensions: 0)
        var (draw, random) = (RandomTransactions(seed: seed, now: database.clock.now()), SeededGenerator(seed: seed))
        var troubles: [Trouble: Int] = [:]
        for step in 0..<120 {
            let transaction = step == 0 ? draw.tenancy : draw.next()
            let trouble = step == 0 ? nil : Trouble.allCases.filter { _ in Int.random(in: 0..<24, using: &random) == 0 }.first
            if let trouble { troubles[trouble, default: 0] += 1 }
            disk.plan(trouble)
            let found = await Result { () async throws(StoreError) in try await store.commit(transaction) }
            if trouble == .beforeCommit {
                #expect(isFailed(found))
            } else {
                let expected = await Result { () async throws(StoreError) in try await model.commit(transaction) }
                #expect(trouble == .afterCommit ? isFailed(found) : found == expected, "step \(step)")
            }
            database.clock.advance(by: limits.maxRetryDelay)
            switch trouble {
            case .killed:
                // The next process opens the files as they are on the disk.
                path = try database.copyFiles(of: path, to: "killed-\(step).db")
                try await store.close()
                store = try database.open(limits: limits, hooks: disk.hooks, path: path)
            case .closed:
                try await store.close()
                store = try database.open(limits: limits, hooks: disk.hooks, path: path)
            default: #expect(await store.isWritable())
            }
            if trouble != nil { try await ModelComparison(draw).expectSame(store, model) }
        }
        try await ModelComparison(draw).expectSame(store, model)
        try await store.close()
        #expect(troubles.values.reduce(0, +) > 8, "\(troubles)")
        #expect(try StoreCheck.run(path: path).isWhole)
    }

    private func isFailed(_ answer: Result<[RecordPosition], StoreError>) -> Bool {
        if case .failure(.failed) = answer { true } else { false }
    }
}

/// An event during or after a transaction.
enum Trouble: CaseIterable, Sendable {
    /// The flush fails, and the transaction is lost.
    case beforeCommit
    /// The flush fails after the transaction has become durable.
    case afterCommit
    /// The process is killed after the answer.
    case killed
    /// The store is closed and opened again.
    case closed
}

/// Fails at the planned moment of the next flush.
private final class TroubledDisk: Sendable {
    private struct DiskError: Error {}

    private let next = Mutex<Trouble?>(nil)

    func plan(_ trouble: Trouble?) { next.withLock { $0 = trouble } }

    private func pass(_ moment: Trouble) throws { if next.withLock({ $0 }) == moment { throw DiskError() } }

    var hooks: StoreHooks {
        StoreHooks(
            beforeCommit: { _ in try self.pass(.beforeCommit) }, afterCommit: { _ in try self.pass(.afterCommit) })
    }
}
