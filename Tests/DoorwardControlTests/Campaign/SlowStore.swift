import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Synchronization

/// A store whose commits take time: a transaction is in effect some time before its writer gets the result.
final class SlowStore: GatewayStore {
    let inner: InMemoryStore
    private let clock: VirtualClock
    private let random: Mutex<SeededGenerator>

    init(_ inner: InMemoryStore, clock: VirtualClock, seed: UInt64) {
        (self.inner, self.clock) = (inner, clock)
        random = Mutex(SeededGenerator(seed: seed))
    }

    func commit(_ transaction: StoreTransaction) async throws(StoreError) -> [RecordPosition] {
        let result: Result<[RecordPosition], StoreError>
        do { result = .success(try await inner.commit(transaction)) } catch { result = .failure(error) }
        let delay = delay(after: result)
        // If the writer is cancelled, the delay ends early, but the write is not undone.
        if delay > .zero { try? await clock.sleep(until: clock.monotonicNow().advanced(by: delay)) }
        return try result.get()
    }

    /// Returns a random delay; the delay is longest after a failure, as with a failing disk.
    private func delay(after result: Result<[RecordPosition], StoreError>) -> Duration {
        let choice = random.withLock { Int.random(in: 0..<10, using: &$0) }
        let longest: Int64 = if case .failure = result { 800 } else { choice == 0 ? 400 : choice < 4 ? 20 : 0 }
        return .milliseconds(random.withLock { Int64.random(in: 0...longest, using: &$0) })
    }

    func loadTenancy(_ receive: (TenancyChange) throws -> Void) async throws(StoreError) { try await inner.loadTenancy(receive) }
    func backup(to path: String) async throws(StoreBackupError) -> StoreBackup { try await inner.backup(to: path) }
    func checkBackup(to path: String) async throws(StoreBackupError) -> String { try await inner.checkBackup(to: path) }
    func openCommands() async throws(StoreError) -> [StoredCommand] {
        try await inner.openCommands()
    }
    func sealedRecords(
        _ ranges: [Range<UInt64>], of log: LogID, for reader: ListReader, upTo byteCount: Int
    ) async throws(StoreError) -> [SealedRecord] {
        try await inner.sealedRecords(ranges, of: log, for: reader, upTo: byteCount)
    }
    func nodes(
        _ nodes: [MerkleNode], of log: LogID, for reader: ListReader?
    ) async throws(StoreError) -> [[UInt8]]? {
        try await inner.nodes(nodes, of: log, for: reader)
    }
    func range(of log: LogID, from seq: UInt64, limit: Int) async throws(StoreError) -> LogRange? {
        try await inner.range(of: log, from: seq, limit: limit)
    }
    func logs(withValuesOf person: UserID) async throws(StoreError) -> [LogID] {
        try await inner.logs(withValuesOf: person)
    }
    func usesTaken() async throws(StoreError) -> [GuestAccessID: Int] { try await inner.usesTaken() }
    func command(_ id: CommandID) async throws(StoreError) -> StoredCommand? { try await inner.command(id) }
    func command(_ id: CommandID, within query: CommandQuery) async throws(StoreError) -> StoredCommand? {
        try await inner.command(id, within: query)
    }
    func commands(_ query: CommandQuery) async throws(StoreError) -> (commands: [StoredCommand], total: Int) {
        try await inner.commands(query)
    }
    func page(_ query: RecordQuery) async throws(StoreError) -> RecordPage { try await inner.page(query) }
    func counts(_ query: RecordCountQuery) async throws(StoreError) -> RecordCounts { try await inner.counts(query) }
    func record(_ id: RecordID, within scopes: [RecordScope]) async throws(StoreError) -> AccessRecord? {
        try await inner.record(id, within: scopes)
    }
    func record(_ id: RecordID) async throws(StoreError) -> AccessRecord? { try await inner.record(id) }
    func passwordHash(of user: UserID) async throws(StoreError) -> String? { try await inner.passwordHash(of: user) }
    func liveSessions(at now: Timestamp) async throws(StoreError) -> [Session] { try await inner.liveSessions(at: now) }
    func refreshToken(digest: [UInt8]) async throws(StoreError) -> StoredRefreshToken? {
        try await inner.refreshToken(digest: digest)
    }
    func passwordReset(digest: [UInt8]) async throws(StoreError) -> PasswordReset? {
        try await inner.passwordReset(digest: digest)
    }

    func recoveryCodes(of user: UserID) async throws(StoreError) -> [[UInt8]] {
        try await inner.recoveryCodes(of: user)
    }
    func logHeads() async throws(StoreError) -> [LogHead] { try await inner.logHeads() }
    func frontier(of log: LogID) async throws(StoreError) -> MerkleFrontier? { try await inner.frontier(of: log) }
    func publicKeys(for purpose: KeyPurpose) async throws(StoreError) -> [[UInt8]] {
        try await inner.publicKeys(for: purpose)
    }
    func publicKey(for purpose: KeyPurpose) async throws(StoreError) -> [UInt8]? { try await inner.publicKey(for: purpose) }
    func idempotentAnswer(
        _ key: IdempotencyKey, notOlderThan oldest: Timestamp
    ) async throws(StoreError) -> IdempotencyEntry? {
        try await inner.idempotentAnswer(key, notOlderThan: oldest)
    }
    func storedClock() async throws(StoreError) -> StoredClock? { try await inner.storedClock() }
    func isWritable() async -> Bool { await inner.isWritable() }
    func finishErasures() async throws(StoreError) -> Bool { try await inner.finishErasures() }
    func close() async throws(StoreError) { try await inner.close() }
}
