import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Synchronization

/// A store that records each call, and the kinds of the records in each transaction.
final class CountingStore: GatewayStore {
    private let inner: InMemoryStore
    private let noted = Mutex<[String]>([])
    private let onPasswordHash: @Sendable () async -> Void
    private let afterPasswordHash: @Sendable () async -> Void

    /// - Parameters:
    ///   - onPasswordHash: called before each read of a password hash.
    ///   - afterPasswordHash: called after each read of a password hash.
    init(
        _ inner: InMemoryStore, afterPasswordHash: @escaping @Sendable () async -> Void = {},
        onPasswordHash: @escaping @Sendable () async -> Void = {}
    ) {
        (self.inner, self.onPasswordHash, self.afterPasswordHash) = (inner, onPasswordHash, afterPasswordHash)
    }

    /// Returns the calls since the last call of this function, in order.
    func takeCalls() -> [String] {
        noted.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }

    func log(_ id: LogID) -> [AccessRecord] { inner.log(id) }

    private func note(_ call: String) { noted.withLock { $0.append(call) } }

    func commit(_ transaction: StoreTransaction) async throws(StoreError) -> [RecordPosition] {
        let records = transaction.records.map { record in
            let body = record.body
            let columns = [body.device?.deviceID.description, body.unitID?.description, body.propertyID?.description]
            let log = body.log == .gateway ? "gateway" : "portfolio \(columns.count { $0 != nil })"
            return "\(body.kind.rawValue) in \(log)"
        }
        note("commit \(records)")
        return try await inner.commit(transaction)
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
        let found = try await inner.sealedRecords(ranges, of: log, for: reader, upTo: byteCount)
        note("sealedRecords \(ranges)")
        return found
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
    func command(_ id: CommandID) async throws(StoreError) -> StoredCommand? {
        note("command")
        return try await inner.command(id)
    }
    func command(_ id: CommandID, within query: CommandQuery) async throws(StoreError) -> StoredCommand? {
        note("command within")
        return try await inner.command(id, within: query)
    }
    func commands(_ query: CommandQuery) async throws(StoreError) -> (commands: [StoredCommand], total: Int) {
        note("commands")
        return try await inner.commands(query)
    }
    func page(_ query: RecordQuery) async throws(StoreError) -> RecordPage {
        note("records")
        return try await inner.page(query)
    }
    func counts(_ query: RecordCountQuery) async throws(StoreError) -> RecordCounts {
        note("counts")
        return try await inner.counts(query)
    }
    func record(_ id: RecordID, within scopes: [RecordScope]) async throws(StoreError) -> AccessRecord? {
        note("record within")
        return try await inner.record(id, within: scopes)
    }
    func record(_ id: RecordID) async throws(StoreError) -> AccessRecord? {
        note("record")
        return try await inner.record(id)
    }
    func passwordHash(of user: UserID) async throws(StoreError) -> String? {
        note("password hash")
        await onPasswordHash()
        let hash = try await inner.passwordHash(of: user)
        await afterPasswordHash()
        return hash
    }
    func liveSessions(at now: Timestamp) async throws(StoreError) -> [Session] { try await inner.liveSessions(at: now) }
    func refreshToken(digest: [UInt8]) async throws(StoreError) -> StoredRefreshToken? {
        try await inner.refreshToken(digest: digest)
    }
    func passwordReset(digest: [UInt8]) async throws(StoreError) -> PasswordReset? {
        try await inner.passwordReset(digest: digest)
    }
    func recoveryCodes(of user: UserID) async throws(StoreError) -> [[UInt8]] {
        note("recovery codes")
        return try await inner.recoveryCodes(of: user)
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
