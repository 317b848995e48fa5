import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Synchronization
import Testing

@testable import DoorwardStore

/// Counts the answered transactions, and checks that none is answered before its COMMIT.
private final class AnswerBook: Sendable {
    private struct State {
        var committed = 0
        var answered = 0
        var early = 0
        var batches: [Int] = []
    }

    private let state = Mutex(State())

    var hooks: StoreHooks {
        StoreHooks(
            beforeCommit: { _ in self.state.withLock { if $0.answered > $0.committed { $0.early += 1 } } },
            afterCommit: { count in
                self.state.withLock { state in
                    // The COMMIT of this batch has only just returned, so none of its transactions may have been answered yet.
                    if state.answered > state.committed { state.early += 1 }
                    state.committed += count
                    state.batches.append(count)
                }
            })
    }

    func answer() { state.withLock { $0.answered += 1 } }

    var early: Int { state.withLock { $0.early } }
    var batches: [Int] { state.withLock { $0.batches } }
}

@Suite struct AcknowledgementTests {
    @Test("No transaction is answered before the COMMIT that makes it durable", arguments: [1, 3, 16])
    func afterTheFlush(bound: Int) async throws {
        let (database, book) = (try TemporaryDatabase(), AnswerBook())
        var limits = TemporaryDatabase.limits
        limits.transactionsPerFlush = bound
        let store = try database.open(limits: limits, hooks: book.hooks)
        var script = StoreScript(seed: 1)
        let transactions = (0..<120).map { _ in StoreTransaction(records: [PendingRecord(script.gatewayEvent())]) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for transaction in transactions {
                group.addTask {
                    _ = try await store.commit(transaction)
                    book.answer()
                }
            }
            try await group.waitForAll()
        }
        #expect(book.early == 0)
        #expect(book.batches.reduce(0, +) == 120)
        try await store.close()
    }

    @Test("Queued transactions take effect in the order in which they were accepted", arguments: [1, 4, 100])
    func order(bound: Int) async throws {
        let database = try TemporaryDatabase()
        let gate = FlushGate()
        let (admissions, admitted) = AsyncStream<Int>.makeStream()
        var (limits, hooks) = (TemporaryDatabase.limits, gate.hooks())
        limits.transactionsPerFlush = bound
        hooks.afterAdmission = { number in admitted.yield(number) }
        let store = try database.open(limits: limits, hooks: hooks)
        var script = StoreScript(seed: 2)
        let transactions = (0..<30).map { _ in StoreTransaction(records: [PendingRecord(script.gatewayEvent())]) }
        let places = try await withThrowingTaskGroup(of: (Int, [RecordPosition]).self) { group in
            var numbers = admissions.makeAsyncIterator()
            for (index, transaction) in transactions.enumerated() {
                group.addTask { (index, try await store.commit(transaction)) }
                // Add the next transaction only after this one was accepted.
                #expect(await numbers.next() == index + 1)
            }
            gate.open()
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1.map(\.seq) }
        }
        for index in transactions.indices { #expect(places[index] == [UInt64(index)]) }
        try await store.close()
    }

    @Test("A transaction is written even if its caller was cancelled")
    func cancelled() async throws {
        let database = try TemporaryDatabase()
        let gate = FlushGate()
        let (admissions, admitted) = AsyncStream<Void>.makeStream()
        var hooks = gate.hooks()
        hooks.afterAdmission = { _ in admitted.yield() }
        let store = try database.open(hooks: hooks)
        var script = StoreScript(seed: 3)
        let body = script.gatewayEvent()
        let caller = Task { try await store.commit(StoreTransaction(records: [PendingRecord(body)])) }
        for await _ in admissions { break }
        caller.cancel()
        gate.open()
        #expect(try await caller.value.map(\.seq) == [0])
        #expect(try await store.record(body.id)?.seq == 0)
        try await store.close()
    }

    @Test("An empty transaction is committed like any other, and its answer contains no record positions")
    func empty() async throws {
        let (database, book) = (try TemporaryDatabase(), AnswerBook())
        let store = try database.open(hooks: book.hooks)
        #expect(try await store.commit(StoreTransaction()) == [])
        #expect(book.batches == [1])
        try await store.close()
    }

    @Test("A committed transaction is visible to every reader at once", arguments: 1...2 as ClosedRange<UInt64>)
    func readAtOnce(seed: UInt64) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        let script = StoreScript(seed: seed)
        _ = try await store.commit(script.tenancy)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<6 {
                group.addTask {
                    var own = script
                    for _ in 0..<caller * 500 { _ = own.fixture.id(of: Command.self) }
                    for _ in 0..<15 {
                        let command = own.command(on: own.door)
                        let begin = own.begin(command)
                        _ = try await store.commit(begin)
                        #expect(try await store.command(command.id)?.command == command)
                        for record in begin.records { #expect(try await store.record(record.body.id) != nil) }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await store.close()
    }
}
