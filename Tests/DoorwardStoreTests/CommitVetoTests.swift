import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import GRDB
import Logging
import Synchronization
import Testing

@testable import DoorwardStore

/// Makes SQLite turn a COMMIT into a ROLLBACK.
private final class CommitVeto: TransactionObserver, Sendable {
    private let isOn = Mutex(false)

    struct Vetoed: Error {}

    func turn(on: Bool) { isOn.withLock { $0 = on } }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws { if isOn.withLock({ $0 }) { throw Vetoed() } }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}

@Suite struct CommitVetoTests {
    @Test("A failed COMMIT rolls back the whole batch, and the next connection continues with the numbers of that batch")
    func failedCommit() async throws {
        let (database, veto) = (try TemporaryDatabase(), CommitVeto())
        let connection = try WriterConnection.open(path: database.path, limits: StoreLimits())
        try await connection.queue.writeWithoutTransaction { $0.add(transactionObserver: veto, extent: .databaseLifetime) }
        let reader = try StoreReader(path: database.path, clock: database.clock)
        let writer = StoreWriter(
            connection: connection,
            context: StoreContext(
                path: database.path, clock: database.clock, random: SeededGenerator(seed: 1),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        var script = StoreScript(seed: 1)
        _ = try await writer.commit(script.tenancy).get()
        _ = try await writer.commit(event(&script)).get()
        veto.turn(on: true)
        let lost = event(&script)
        guard case .failure(.failed) = await writer.commit(lost) else {
            Issue.record("a vetoed COMMIT was answered as a success")
            return
        }
        veto.turn(on: false)
        #expect(await writer.commit(lost) == .failure(.unavailable))
        database.clock.advance(by: StoreLimits().retryDelay)
        #expect(try await writer.commit(lost).get().map(\.seq) == [1])
        try await writer.drain()
        await reader.close()
        try await writer.close()
        let logs = try StoredLogs(path: database.path)
        #expect(logs.sizes == [.portfolio(script.portfolio): 2])
        #expect(logs.faults.isEmpty)
        #expect(logs.integrity == "ok")
    }

    private func event(_ script: inout StoreScript) -> StoreTransaction {
        StoreTransaction(records: [PendingRecord(script.event(on: script.door))])
    }
}
