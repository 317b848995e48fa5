package import DoorwardAudit
package import DoorwardControl
package import DoorwardDomain
package import DoorwardPolicy
internal import DoorwardStore
import Synchronization

/// A store in memory, for tests of the layers above the store.
///
/// `commit` suspends before and after it applies the transaction, so that a `SeededExecutor` explores the interleavings that
/// writing to a disk could cause. Transactions are applied in the order of the calls.
package final class InMemoryStore: GatewayStore {
    private let suspensions: Int
    private let state: Mutex<State>

    private struct State {
        var content = InMemoryContent()
        /// The transactions that were passed to `commit` and are not applied yet.
        var waiting: [(ticket: UInt64, transaction: StoreTransaction)] = []
        var tickets: UInt64 = 0
        /// The results of applied transactions whose callers have not resumed yet, by ticket.
        var results: [UInt64: Result<[RecordPosition], StoreError>] = [:]
        var nextFailure: Failure?
        var nextBackupFailure: StoreBackupError?
        var isUnavailable = false
        var areListsUnavailable = false
        var isClosed = false
    }

    private struct Failure {
        let error: StoreError
        let isDurable: Bool
    }

    /// - Parameter suspensions: the number of times that `commit` yields before it applies the transaction, and again afterwards.
    package convenience init(suspensions: Int = 1) { self.init(InMemoryContent(), suspensions: suspensions) }

    private init(_ content: InMemoryContent, suspensions: Int) {
        self.suspensions = suspensions
        state = Mutex(State(content: content))
    }

    // MARK: Control by tests

    /// Makes the next commit throw `error`. After `.failed` and `.unavailable`, the store rejects all commits until `recover()`.
    ///
    /// - Parameter isDurable: whether the transaction is applied although `commit` throws. This simulates a flush whose result
    ///   was lost.
    package func failNext(_ error: StoreError, isDurable: Bool = false) {
        state.withLock { $0.nextFailure = Failure(error: error, isDurable: isDurable) }
    }

    /// Makes every further commit throw `.unavailable`. Reading is still possible.
    package func stayUnavailable() { state.withLock { $0.isUnavailable = true } }

    /// Accepts transactions again. This simulates the reopening of the database.
    package func recover() { state.withLock { ($0.isUnavailable, $0.areListsUnavailable) = (false, false) } }

    /// Makes the next backup throw `error` when its file has been begun.
    package func failNextBackup(_ error: StoreBackupError) { state.withLock { $0.nextBackupFailure = error } }

    /// Makes every further `logHeads` and every list of commands throw `.unavailable`.
    package func failLists() { state.withLock { $0.areListsUnavailable = true } }

    /// Returns a new store with the current content. This simulates another process that opens the database.
    package func reopened() -> InMemoryStore {
        InMemoryStore(state.withLock { $0.content }, suspensions: suspensions)
    }

    /// Returns the records of one log, in order.
    package func log(_ id: LogID) -> [AccessRecord] { state.withLock { ($0.content.logs[id] ?? []).map(\.record) } }

    /// The number of applied transactions.
    package var commitCount: Int { state.withLock { $0.content.commitCount } }

    // MARK: GatewayStore

    /// Applies the transaction after all transactions that were committed before it. Yields before and after, so that other
    /// tasks can interleave.
    @discardableResult
    package func commit(_ transaction: StoreTransaction) async throws(StoreError) -> [RecordPosition] {
        let ticket = state.withLock { state in
            state.tickets += 1
            state.waiting.append((state.tickets, transaction))
            return state.tickets
        }
        for _ in 0..<suspensions { await Task.yield() }
        let result = state.withLock { state in
            // Transactions committed earlier are applied first, even if the executor resumes this call before their calls.
            while let next = state.waiting.first, next.ticket <= ticket {
                state.waiting.removeFirst()
                state.results[next.ticket] = Self.apply(next.transaction, to: &state)
            }
            return state.results.removeValue(forKey: ticket)
        }
        for _ in 0..<suspensions { await Task.yield() }
        guard let result else { throw .unavailable }
        return try result.get()
    }

    private static func apply(_ transaction: StoreTransaction, to state: inout State) -> Result<[RecordPosition], StoreError> {
        if state.isUnavailable { return .failure(.unavailable) }
        let failure = state.nextFailure
        state.nextFailure = nil
        if let failure {
            if case .refused = failure.error {} else { state.isUnavailable = true }
            if !failure.isDurable { return .failure(failure.error) }
        }
        do {
            let positions = try state.content.apply(transaction)
            return failure.map { .failure($0.error) } ?? .success(positions)
        } catch {
            return .failure(failure?.error ?? .refused(error))
        }
    }

    /// Passes all entities of one instant to `receive`, parents first. No mutex is held during the
    /// calls, so `receive` may use the store.
    package func loadTenancy(_ receive: (TenancyChange) throws -> Void) async throws(StoreError) {
        do {
            for change in read({ $0.tenancy.changes }) { try receive(change) }
        } catch {
            throw .failed("the tenancy's receiver threw an error: \(error)")
        }
    }

    /// Returns the commands sorted by the time of the request, then by id.
    package func openCommands() async throws(StoreError) -> [StoredCommand] {
        read { $0.openCommands() }
    }

    /// Returns the uses of guest accesses that have been used; the others are omitted.
    package func usesTaken() async throws(StoreError) -> [GuestAccessID: Int] { read { $0.usesTaken } }

    /// Returns the state of the clock as last written.
    package func storedClock() async throws(StoreError) -> StoredClock? { read { $0.clock } }

    /// Returns the command. Also works after `close`, for tests of shutdown.
    package func command(_ id: CommandID) async throws(StoreError) -> StoredCommand? { read { $0.commands[id]?.stored } }

    /// Returns the command if the query, without its device filter, finds it. Scans all commands.
    package func command(_ id: CommandID, within query: CommandQuery) async throws(StoreError) -> StoredCommand? {
        var query = query
        query.deviceID = nil
        return read { [query] content in content.commands(query).first { $0.command.id == id } }
    }

    /// Returns a page of the matching commands. Scans all commands, so it is suitable only for tests with few commands.
    package func commands(_ query: CommandQuery) async throws(StoreError) -> (commands: [StoredCommand], total: Int) {
        let all = read { $0.commands(query) }
        if state.withLock(\.areListsUnavailable) { throw .unavailable }
        return (Array(all.dropFirst(query.offset).prefix(query.limit)), all.count)
    }

    /// Returns a page of records by scanning all records, as a reference for stores with indexes.
    package func page(_ query: RecordQuery) async throws(StoreError) -> RecordPage {
        let found = read { $0.records(query) }
        let records = Array(found.prefix(max(0, query.limit)))
        return RecordPage(records: records, next: found.count > records.count ? records.last?.position : nil)
    }

    /// Counts all records at once, as a reference for stores that count in parts.
    package func counts(_ query: RecordCountQuery) async throws(StoreError) -> RecordCounts {
        let found = read { $0.records(query.examined) }
        var counts = RecordCounts(limits: query.limits)
        for record in found {
            if let value = record.body.value(of: query.grouping) { counts.add(value, at: record.body.at) }
        }
        return counts
    }

    /// Returns personal values as `record` does.
    package func record(_ id: RecordID, within scopes: [RecordScope]) async throws(StoreError) -> AccessRecord? {
        read { $0.record(id) }.flatMap { record in scopes.contains { $0.covers(record.body) } ? record : nil }
    }

    /// Returns a record that contains the personal values in plain text, because this store encrypts nothing.
    package func record(_ id: RecordID) async throws(StoreError) -> AccessRecord? { read { $0.record(id) } }

    /// Returns the same encoding as a store on disk, except that the commitments are computed with another key.
    package func range(of log: LogID, from seq: UInt64, limit: Int) async throws(StoreError) -> LogRange? {
        read { $0.range(of: log, from: seq, limit: limit) }
    }

    /// Encodes the records again, with the same key for all owners.
    package func sealedRecords(
        _ ranges: [Range<UInt64>], of log: LogID, for reader: ListReader, upTo byteCount: Int
    ) async throws(StoreError) -> [SealedRecord] {
        read { $0.sealedRecords(ranges, of: log, upTo: byteCount) }
    }

    /// Computes each node from all leaves.
    package func nodes(_ nodes: [MerkleNode], of log: LogID, for reader: ListReader?) async throws(StoreError) -> [[UInt8]]? {
        let found = read { content in nodes.map { content.node(level: $0.level, index: $0.index, of: log) } }
        return found.contains(nil) ? nil : found.compactMap { $0 }
    }

    /// Searches all records.
    package func logs(withValuesOf person: UserID) async throws(StoreError) -> [LogID] {
        read { $0.logs(withValuesOf: person) }
    }

    /// Counts the records of each log.
    package func logHeads() async throws(StoreError) -> [LogHead] {
        if state.withLock(\.areListsUnavailable) { throw .unavailable }
        return read { $0.logHeads }
    }

    /// Computes the frontier from all leaves.
    package func frontier(of log: LogID) async throws(StoreError) -> MerkleFrontier? { read { $0.frontier(of: log) } }

    /// Returns the hash of the last `.setPassword`.
    package func passwordHash(of user: UserID) async throws(StoreError) -> String? { read { $0.credentials.passwords[user] } }

    /// Returns the sessions sorted by id, as every store must.
    package func liveSessions(at now: Timestamp) async throws(StoreError) -> [Session] {
        read { $0.credentials.liveSessions(at: now) }
    }

    /// Returns the key of the last `.noteKey`.
    package func publicKey(for purpose: KeyPurpose) async throws(StoreError) -> [UInt8]? {
        read { $0.credentials.publicKeys[purpose]?.last }
    }

    /// Returns all keys passed to `.noteKey`, without immediate repetitions.
    package func publicKeys(for purpose: KeyPurpose) async throws(StoreError) -> [[UInt8]] {
        read { $0.credentials.publicKeys[purpose, default: []] }
    }

    /// Returns a token of any age: this store never deletes a token.
    package func refreshToken(digest: [UInt8]) async throws(StoreError) -> StoredRefreshToken? {
        read { $0.credentials.refreshToken(digest: digest) }
    }

    /// Returns the reset, even if it has expired. A user has at most one password reset.
    package func passwordReset(digest: [UInt8]) async throws(StoreError) -> PasswordReset? {
        read { $0.credentials.passwordReset(digest: digest) }
    }

    /// Returns the digests in ascending order, as every store must.
    package func recoveryCodes(of user: UserID) async throws(StoreError) -> [[UInt8]] {
        read { $0.credentials.recoveryCodes[user, default: []] }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Returns the entry of a key unless the entry is older than `oldest`. This store never deletes an old entry.
    package func idempotentAnswer(
        _ key: IdempotencyKey, notOlderThan oldest: Timestamp
    ) async throws(StoreError) -> IdempotencyEntry? {
        read { $0.idempotency[key] }.flatMap { $0.createdAt >= oldest ? $0 : nil }
    }

    /// Returns false after a failure until `recover()`, and after `close`.
    package func isWritable() async -> Bool { state.withLock { !$0.isUnavailable } }

    /// Closes the store at once. Transactions that are not applied yet throw `.unavailable`.
    package func close() async throws(StoreError) {
        state.withLock { ($0.isUnavailable, $0.isClosed) = (true, true) }
    }

    /// Nothing is left of erased values: they are only in memory.
    package func finishErasures() async throws(StoreError) -> Bool {
        guard !state.withLock({ $0.isUnavailable }) else { throw .unavailable }
        return true
    }

    /// Creates the file of the backup by the same rules as a store on disk. The file is empty, so no store can open it.
    package func backup(to path: String) async throws(StoreBackupError) -> StoreBackup {
        guard !state.withLock({ $0.isClosed }) else { throw .unavailable }
        let target = try BackupTarget(path: path)
        let partial = try target.begin(RandomSource())
        let logs = read { $0.logs }
        do throws(StoreBackupError) {
            if let failure = state.withLock({ $0.nextBackupFailure.take() }) { throw failure }
            let sizes = logs.filter { !$0.value.isEmpty }.map { LogSize(log: $0.key, size: UInt64($0.value.count)) }
            return StoreBackup(
                path: target.path, bytes: try partial.finish(),
                at: logs.values.compactMap { $0.last?.record.body.at }.max() ?? Timestamp(milliseconds: 0),
                logs: sizes.sorted { $0.log.description < $1.log.description })
        } catch {
            partial.abandon()
            throw error
        }
    }

    /// Checks the path as a store on disk does.
    package func checkBackup(to path: String) async throws(StoreBackupError) -> String {
        guard !state.withLock({ $0.isClosed }) else { throw .unavailable }
        return try BackupTarget(path: path).path
    }

    private func read<Value>(_ body: (InMemoryContent) -> Value) -> Value { state.withLock { body($0.content) } }
}

extension GatewayStore {
    /// Returns the first `limit` records of a query. Reads several pages if the store returns smaller ones.
    package func records(_ query: RecordQuery) async throws(StoreError) -> [AccessRecord] {
        var (query, records) = (query, [AccessRecord]())
        while true {
            let page = try await page(query)
            records += page.records
            query.limit -= page.records.count
            guard let next = page.next, query.limit > 0 else { return records }
            query.after = next
        }
    }
}
