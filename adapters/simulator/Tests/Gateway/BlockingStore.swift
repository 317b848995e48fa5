import Dispatch
import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import Synchronization

/// A store on disk for code on a `SeededExecutor`. Every call blocks the executor's thread until the disk has finished, so that
/// nothing else runs meanwhile and disk times do not change the order of events.
final class BlockingStore: GatewayStore {
    private let store: any GatewayStore
    private let executor = QueueExecutor()

    init(_ store: any GatewayStore) { self.store = store }

    func commit(_ transaction: StoreTransaction) async throws(StoreError) -> [RecordPosition] {
        try wait { (store) throws(StoreError) in try await store.commit(transaction) }
    }

    func loadTenancy(_ receive: (TenancyChange) throws -> Void) async throws(StoreError) {
        let changes = try wait { (store) throws(StoreError) in
            let read = Mutex<[TenancyChange]>([])
            try await store.loadTenancy { change in read.withLock { $0.append(change) } }
            return read.withLock { $0 }
        }
        do { for change in changes { try receive(change) } } catch { throw .failed("the receiver gave up: \(error)") }
    }

    func openCommands() async throws(StoreError) -> [StoredCommand] {
        try wait { (store) throws(StoreError) in try await store.openCommands() }
    }

    func sealedRecords(
        _ ranges: [Range<UInt64>], of log: LogID, for reader: ListReader, upTo byteCount: Int
    ) async throws(StoreError) -> [SealedRecord] {
        try wait { (store) throws(StoreError) in try await store.sealedRecords(ranges, of: log, for: reader, upTo: byteCount) }
    }

    func nodes(_ nodes: [MerkleNode], of log: LogID, for reader: ListReader?) async throws(StoreError) -> [[UInt8]]? {
        try wait { (store) throws(StoreError) in try await store.nodes(nodes, of: log, for: reader) }
    }

    func range(of log: LogID, from seq: UInt64, limit: Int) async throws(StoreError) -> LogRange? {
        try wait { (store) throws(StoreError) in try await store.range(of: log, from: seq, limit: limit) }
    }

    func logs(withValuesOf person: UserID) async throws(StoreError) -> [LogID] {
        try wait { (store) throws(StoreError) in try await store.logs(withValuesOf: person) }
    }

    func node(level: Int, index: UInt64, of log: LogID) async throws(StoreError) -> [UInt8]? {
        try wait { (store) throws(StoreError) in try await store.node(level: level, index: index, of: log) }
    }

    func finishErasures() async throws(StoreError) -> Bool {
        try wait { (store) throws(StoreError) in try await store.finishErasures() }
    }

    func storedClock() async throws(StoreError) -> StoredClock? {
        try wait { (store) throws(StoreError) in try await store.storedClock() }
    }

    func usesTaken() async throws(StoreError) -> [GuestAccessID: Int] {
        try wait { (store) throws(StoreError) in try await store.usesTaken() }
    }

    func command(_ id: CommandID) async throws(StoreError) -> StoredCommand? {
        try wait { (store) throws(StoreError) in try await store.command(id) }
    }

    func command(_ id: CommandID, within query: CommandQuery) async throws(StoreError) -> StoredCommand? {
        try wait { (store) throws(StoreError) in try await store.command(id, within: query) }
    }

    func commands(_ query: CommandQuery) async throws(StoreError) -> (commands: [StoredCommand], total: Int) {
        try wait { (store) throws(StoreError) in try await store.commands(query) }
    }

    func page(_ query: RecordQuery) async throws(StoreError) -> RecordPage {
        try wait { (store) throws(StoreError) in try await store.page(query) }
    }

    func counts(_ query: RecordCountQuery) async throws(StoreError) -> RecordCounts {
        try wait { (store) throws(StoreError) in try await store.counts(query) }
    }

    func record(_ id: RecordID, within scopes: [RecordScope]) async throws(StoreError) -> AccessRecord? {
        try wait { (store) throws(StoreError) in try await store.record(id, within: scopes) }
    }

    func record(_ id: RecordID) async throws(StoreError) -> AccessRecord? {
        try wait { (store) throws(StoreError) in try await store.record(id) }
    }

    func passwordHash(of user: UserID) async throws(StoreError) -> String? {
        try wait { (store) throws(StoreError) in try await store.passwordHash(of: user) }
    }

    func liveSessions(at now: Timestamp) async throws(StoreError) -> [Session] {
        try wait { (store) throws(StoreError) in try await store.liveSessions(at: now) }
    }

    func refreshToken(digest: [UInt8]) async throws(StoreError) -> StoredRefreshToken? {
        try wait { (store) throws(StoreError) in try await store.refreshToken(digest: digest) }
    }

    func passwordReset(digest: [UInt8]) async throws(StoreError) -> PasswordReset? {
        try wait { (store) throws(StoreError) in try await store.passwordReset(digest: digest) }
    }

    func recoveryCodes(of user: UserID) async throws(StoreError) -> [[UInt8]] {
        try wait { (store) throws(StoreError) in try await store.recoveryCodes(of: user) }
    }

    func logHeads() async throws(StoreError) -> [LogHead] {
        try wait { (store) throws(StoreError) in try await store.logHeads() }
    }
    func frontier(of log: LogID) async throws(StoreError) -> MerkleFrontier? {
        try wait { (store) throws(StoreError) in try await store.frontier(of: log) }
    }
    func publicKeys(for purpose: KeyPurpose) async throws(StoreError) -> [[UInt8]] {
        try wait { (store) throws(StoreError) in try await store.publicKeys(for: purpose) }
    }
    func publicKey(for purpose: KeyPurpose) async throws(StoreError) -> [UInt8]? {
        try wait { (store) throws(StoreError) in try await store.publicKey(for: purpose) }
    }

    func idempotentAnswer(_ key: IdempotencyKey, notOlderThan oldest: Timestamp) async throws(StoreError) -> IdempotencyEntry? {
        try wait { (store) throws(StoreError) in try await store.idempotentAnswer(key, notOlderThan: oldest) }
    }

    func backup(to path: String) async throws(StoreBackupError) -> StoreBackup { try await store.backup(to: path) }
    func checkBackup(to path: String) async throws(StoreBackupError) -> String { try await store.checkBackup(to: path) }

    func isWritable() async -> Bool {
        (try? wait { (store) throws(StoreError) in await store.isWritable() }) ?? false
    }

    func close() async throws(StoreError) { try wait { (store) throws(StoreError) in try await store.close() } }

    private func wait<Value: Sendable>(
        _ body: @escaping @Sendable (any GatewayStore) async throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let result = BlockingResult<Value>()
        Task.detached(executorPreference: executor) { [store] in
            do throws(StoreError) { result.set(.success(try await body(store))) } catch { result.set(.failure(error)) }
        }
        return try result.get()
    }
}

/// Runs the store's work on its own queue.
private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "doorward.blocking-store")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// A result that one thread sets and another thread waits for.
private final class BlockingResult<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, StoreError>?>(nil)
    private let isAvailable = DispatchSemaphore(value: 0)

    func set(_ value: Result<Value, StoreError>) {
        result.withLock { $0 = value }
        isAvailable.signal()
    }

    func get() throws(StoreError) -> Value {
        // Blocks: the executor's own thread.
        isAvailable.wait()
        guard let value = result.withLock({ $0 }) else { throw .unavailable }
        return try value.get()
    }
}
