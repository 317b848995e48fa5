import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Synchronization
import Testing

@testable import DoorwardStore

/// Makes one flush fail, and holds back the first flush until all transactions are queued.
private final class FailingFlush: Sendable {
    private struct DiskError: Error {}

    private let flushes = Mutex(0)
    private let gate: FlushGate
    private let number: Int
    private let isDurable: Bool
    let admissions = AsyncStream<Int>.makeStream()

    /// - Parameter isDurable: whether the flush fails only after its COMMIT.
    init(_ number: Int, isDurable: Bool) { (self.number, self.isDurable, gate) = (number, isDurable, FlushGate()) }

    func open() { gate.open() }

    func untilHeld() async { await gate.untilHeld() }

    var hooks: StoreHooks {
        let held = gate.hooks()
        return StoreHooks(
            afterAdmission: { self.admissions.continuation.yield($0) },
            beforeCommit: { count in
                try held.beforeCommit(count)
                let flush = self.flushes.withLock { flushes in
                    flushes += 1
                    return flushes
                }
                if flush == self.number, !self.isDurable { throw DiskError() }
            },
            afterCommit: { _ in
                if self.isDurable, self.flushes.withLock({ $0 }) == self.number { throw DiskError() }
            })
    }
}

@Suite struct FailedFlushTests {
    typealias Answer = Result<[RecordPosition], StoreError>

    @Test(
        "If a flush fails, its transactions get `.failed` and later ones `.unavailable`; earlier ones have succeeded",
        arguments: 1...4, [false, true])
    func answers(failing: Int, isDurable: Bool) async throws {
        let (database, disk) = (try TemporaryDatabase(), FailingFlush(failing, isDurable: isDurable))
        var limits = TemporaryDatabase.limits
        limits.transactionsPerFlush = 3
        let store = try database.open(limits: limits, hooks: disk.hooks)
        var script = StoreScript(seed: 1)
        // The first transaction is alone in its flush; the others follow in groups of three: 0; 1, 2, 3; 4, 5, 6; 7, 8, 9.
        let transactions = (0..<10).map { index in
            // Every third transaction violates a constraint. If its flush fails, it gets the error of the flush.
            index % 3 == 2 ? breaking(&script) : StoreTransaction(records: [PendingRecord(script.gatewayEvent())])
        }
        let answers = try await answers(to: transactions, by: store, disk)
        var seq: UInt64 = 0
        for (index, answer) in answers.enumerated() {
            let flush = (index + 2) / 3 + 1
            switch answer {
            case .success(let places):
                #expect(flush < failing && index % 3 != 2)
                #expect(places.map(\.seq) == [seq], "in the order of the calls, without numbers for rejected transactions")
                seq += 1
            case .failure(.refused(.commandUnknown)): #expect(flush < failing && index % 3 == 2)
            case .failure(.failed): #expect(flush == failing)
            case .failure(let error):
                #expect(error == .unavailable)
                #expect(flush > failing)
            }
        }
        let lost = zip(transactions, answers).filter { if case .failure(.failed) = $1 { true } else { false } }.map(\.0)
        database.clock.advance(by: limits.retryDelay)
        #expect(await store.isWritable())
        for transaction in lost where transaction.commands.isEmpty {
            #expect(try await (store.record(transaction.records[0].body.id) != nil) == isDurable)
        }
        let next = try await store.commit(StoreTransaction(records: [PendingRecord(script.gatewayEvent())]))
        #expect(next.map(\.seq) == [seq + (isDurable ? UInt64(lost.filter(\.commands.isEmpty).count) : 0)])
        try await store.close()
        #expect(try StoredLogs(path: database.path).faults.isEmpty)
    }

    @Test(
        "After a failed flush, repeating a transaction is rejected if it is durable, and accepted if not",
        arguments: [false, true])
    func repeated(isDurable: Bool) async throws {
        let (database, disk) = (try TemporaryDatabase(), FailingFlush(2, isDurable: isDurable))
        let store = try database.open(hooks: disk.hooks)
        var script = StoreScript(seed: 2)
        let command = script.command(on: script.door)
        let entry = IdempotencyEntry(
            key: IdempotencyKey(principal: "USER", key: "k"), fingerprint: [1], result: .command(command.id),
            createdAt: script.now)
        var begin = script.begin(command)
        begin.idempotency = [entry]
        let answers = try await answers(to: [script.tenancy, begin], by: store, disk)
        guard case .failure(.failed) = answers[1] else {
            Issue.record("answered: \(answers[1])")
            return
        }
        database.clock.advance(by: StoreLimits().retryDelay)
        #expect(await store.isWritable())
        // Before repeating, the caller can query the outcome by the idempotency key or by the command.
        #expect(try await store.idempotentAnswer(entry.key, notOlderThan: script.now) == (isDurable ? entry : nil))
        #expect(try await store.command(command.id)?.command == (isDurable ? command : nil))
        let again = await Result { () async throws(StoreError) in try await store.commit(begin) }
        if isDurable {
            #expect(again == .failure(.refused(.duplicate)))
        } else {
            #expect(try again.get().map(\.seq) == [0])
        }
        #expect(try await store.openCommands().map(\.command) == [command])
        try await store.close()
    }

    @Test(
        "Keys that a failed flush created are created again, and later values can be decrypted",
        arguments: [false, true])
    func keys(isDurable: Bool) async throws {
        let (database, disk) = (try TemporaryDatabase(), FailingFlush(2, isDurable: isDurable))
        let store = try database.open(hooks: disk.hooks)
        var script = StoreScript(seed: 3)
        let begins = (0..<3).map { _ in script.begin(script.command(on: script.door, reason: "parcel")) }
        _ = try await answers(to: [script.tenancy, begins[0]], by: store, disk)
        database.clock.advance(by: StoreLimits().retryDelay)
        for begin in begins.dropFirst() { _ = try await store.commit(begin) }
        let query = RecordQuery(scopes: [.portfolioLog(script.portfolio)], limit: 9)
        let records = try await store.records(query)
        #expect(records.count == (isDurable ? 3 : 2))
        #expect(records.allSatisfy { $0.body.actor.name == "Ada Lovelace" && $0.body.statedReason == "parcel" })
        try await store.close()
        let report = try StoreCheck.run(path: database.path)
        #expect(report.isWhole)
        #expect(report.counts.erasedValues == 0)
    }

    private func breaking(_ script: inout StoreScript) -> StoreTransaction {
        StoreTransaction(
            commands: [.end(script.confirmed(script.command(on: script.door)))],
            records: [PendingRecord(script.gatewayEvent())])
    }

    /// Submits the transactions one after the other while the first flush is held back.
    private func answers(
        to transactions: [StoreTransaction], by store: SQLiteStore, _ disk: FailingFlush
    ) async throws -> [Answer] {
        await withTaskGroup(of: (Int, Answer).self) { group in
            var admitted = disk.admissions.stream.makeAsyncIterator()
            for (index, transaction) in transactions.enumerated() {
                group.addTask {
                    (index, await Result { () async throws(StoreError) in try await store.commit(transaction) })
                }
                #expect(await admitted.next() == index + 1)
                if index == 0 { await disk.untilHeld() }
            }
            disk.open()
            let answers = await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            return transactions.indices.compactMap { answers[$0] }
        }
    }
}
