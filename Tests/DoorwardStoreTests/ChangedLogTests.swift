import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardStore
import DoorwardTesting
import Foundation
import Logging
import Testing

@testable import DoorwardKernel
@testable import DoorwardRecords

/// Checkpoints over a real database whose records are changed while it is open.
@Suite struct ChangedLogTests {
    @Test(
        "records under a checkpoint that are changed in the file are noticed before the next checkpoint",
        arguments: [
            "UPDATE entries SET leaf_hash = zeroblob(32) WHERE position = (SELECT min(position) FROM entries)",
            "UPDATE entries SET leaf_hash = zeroblob(32) WHERE position = (SELECT max(position) FROM entries)",
            "DELETE FROM entries WHERE position = (SELECT min(position) + 4 FROM entries)",
        ])
    func changed(sql: String) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        let files = InMemoryCheckpoints()
        let setup = try AuditSetup(gatewayName: "a", key: files.key, keys: files, storage: files)
        let random = RandomSource(SeededGenerator(seed: 4))
        func process(_ store: SQLiteStore) -> Checkpoints {
            Checkpoints(
                storeGuard: StoreGuard(store: store), setup: setup, clock: database.clock, random: random,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
        let signer = try NoteSigner(name: "a", seed: files.key.reveal())
        _ = try await store.commit(
            StoreTransaction(credentials: [.noteKey(.checkpoints, publicHalf: signer.verifierKey.key)]))
        var script = StoreScript(seed: 5)
        func append(_ count: Int) async throws {
            _ = try await store.commit(
                StoreTransaction(records: (0..<count).map { _ in PendingRecord(script.gatewayEvent()) }))
        }
        let checkpoints = process(store)
        try await checkpoints.start()
        try await append(9)
        try await checkpoints.sign([.gateway])
        let content = files.content
        #expect(CheckpointJournal(parsing: content ?? []).newest[.gateway]?.checkpoint.size == 9)
        try database.edit(sql)
        try await append(8)
        try await checkpoints.sign([.gateway])
        #expect(files.content == content, "no checkpoint is signed over changed records")
        try await store.close()
        let reopened = try database.open()
        await #expect(throws: RollbackError.self) { try await process(reopened).start() }
        try await reopened.close()
    }
}
