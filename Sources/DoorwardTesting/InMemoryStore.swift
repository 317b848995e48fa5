package import DoorwardControl
package import DoorwardDomain
package import DoorwardPolicy
internal import DoorwardStore
import Synchronization

/// A store that forgets everything at the end: for tests of what stands above the store.
///
/// `commit` suspends before and after the transaction takes effect, so that a `SeededExecutor` finds the interleavings
/// that a disk would bring about. Transactions take effect in the order of the calls.
package final class InMemoryStore: GatewayStore {
    private let suspensions: Int
    private let state: Mutex<State>

    private struct State {
        var content = InMemoryContent()
        var queue = CommitQueue()
        var nextFailure: Failure?
        var isUnavailable = false
        var isClosed = false
    }

    private struct Failure {
        let error: StoreError
        let isDurable: Bool
    }

    /// - Parameter suspensions: how often `commit` yields before the transaction takes effect, and again after.
    package convenience init(suspensions: Int = 1) { self.init(InMemoryContent(), suspensions: suspensions) }

    private init(_ content: InMemoryContent, suspensions: Int) {
        self.suspensions = suspensions
        state = Mutex(State(content: content))
    }

    // MARK: What a test does with it

    /// The next commit that takes effect throws `error` instead. After `.failed` and `.unavailable` the store takes
    /// nothing more until `recover()`.
    ///
    /// - Parameter isDurable: whether the transaction is written all the same, as after a flush whose answer was lost.
    package func failNext(_ error: StoreError, isDurable: Bool = false) {
        state.withLock { $0.nextFailure = Failure(error: error, isDurable: isDurable) }
    }

    /// From now on every commit throws `.unavailable`; reading goes on.
    package func stayUnavailable() { state.withLock { $0.isUnavailable = true } }

    /// Takes transactions again, as after opening the database anew.
    package func recover() { state.withLock { $0.isUnavailable = false } }

    /// What another process would find that opened the same database now.
    package func reopened() -> InMemoryStore {
        InMemoryStore(state.withLock { $0.content }, suspensions: suspensions)
    }

    /// The records of one log, in order.
    package func log(_ id: LogID) -> [AccessRecord] { state.withLock { $0.content.logs[id] ?? [] } }

    /// How many transactions took effect.
    package var commitCount: Int { state.withLock { $0.content.commitCount } }

    // MARK: GatewayStore

    /// Takes effect after all that were called before it; yields before that and after it, so that others can come between.
    @discardableResult
    package func commit(_ transaction: StoreTransaction) async throws(StoreError) -> [RecordPlace] {
        let ticket = state.withLock { $0.queue.enter(transaction) }
        for _ in 0..<suspensions { await Task.yield() }
        let result = state.withLock { state in
            // Those who called before come first, even where the executor has let this one overtake.
            while let (waiting, transaction) = state.queue.next(upTo: ticket) {
                state.queue.results[waiting] = Self.apply(transaction, to: &state)
            }
            return state.queue.results.removeValue(forKey: ticket)
        }
        for _ in 0..<suspensions { await Task.yield() }
        guard let result else { throw .unavailable }
        return try result.get()
    }

    private static func apply(_ transaction: StoreTransaction, to state: inout State) -> Result<[RecordPlace], StoreError> {
        if state.isUnavailable { return .failure(.unavailable) }
        let failure = state.nextFailure
        state.nextFailure = nil
        if let failure {
            if case .refused = failure.error {} else { state.isUnavailable = true }
            if !failure.isDurable { return .failure(failure.error) }
        }
        do {
            let places = try state.content.apply(transaction)
            return failure.map { .failure($0.error) } ?? .success(places)
        } catch {
            return .failure(failure?.error ?? .refused(error))
        }
    }

    /// From one instant, parents first; `receive` is called outside the lock, so it may ask the store.
    package func loadTenancy(_ receive: (TenancyChange) throws -> Void) async throws(StoreError) {
        do {
            for change in read({ $0.tenancy.changes }) { try receive(change) }
        } catch {
            throw .failed("the receiver of the tenancy gave up: \(error)")
        }
    }

    /// By the instant of the request, then by id.
    package func openCommands(of owner: GatewayNumber) async throws(StoreError) -> [StoredCommand] {
        read { $0.openCommands(of: owner) }
    }

    /// Without those that none is taken of.
    package func usesTaken() async throws(StoreError) -> [GuestAccessID: Int] { read { $0.usesTaken } }

    /// 0 for an owner that is not there.
    package func epoch(of owner: EpochOwner) async throws(StoreError) -> UInt64 { read { $0.epochs[owner, default: 0] } }

    /// The last one set.
    package func lease(of log: LogID) async throws(StoreError) -> LogLease? { read { $0.leases[log] } }

    /// Reading goes on after `close`, which a test of an end likes to look behind.
    package func command(_ id: CommandID) async throws(StoreError) -> StoredCommand? { read { $0.commands[id] } }

    /// By the plain definition of a query.
    package func command(_ id: CommandID, within query: CommandQuery) async throws(StoreError) -> StoredCommand? {
        var query = query
        query.deviceID = nil
        return read { [query] content in content.commands(query).first { $0.command.id == id } }
    }

    /// Goes through all commands: good for tests, not for many.
    package func commands(_ query: CommandQuery) async throws(StoreError) -> (commands: [StoredCommand], total: Int) {
        let all = read { $0.commands(query) }
        return (Array(all.dropFirst(query.offset).prefix(query.limit)), all.count)
    }

    /// By the plain definition of a query, to compare a store with indexes against.
    package func page(_ query: RecordQuery) async throws(StoreError) -> RecordPage {
        guard query.limit > 0 else { return RecordPage(records: [], next: nil) }
        // One more than the limit, to find out whether there is a next page.
        var longer = query
        longer.limit = query.limit < .max ? query.limit + 1 : .max
        let found = read { $0.records(longer) }
        let records = Array(found.prefix(query.limit))
        return RecordPage(records: records, next: found.count > records.count ? records.last?.place : nil)
    }

    /// With its personal values in plain: nothing is sealed here.
    package func record(_ id: RecordID) async throws(StoreError) -> AccessRecord? { read { $0.record(id) } }

    /// With the bytes that a store on disk would have, under another key.
    package func range(of log: LogID, from seq: UInt64, limit: Int) async throws(StoreError) -> LogRange? {
        read { $0.range(of: log, from: seq, limit: limit) }
    }

    /// Computed from all leaves.
    package func node(level: Int, index: UInt64, of log: LogID) async throws(StoreError) -> [UInt8]? {
        read { $0.node(level: level, index: index, of: log) }
    }

    /// What `.setPassword` gave last.
    package func passwordHash(of user: UserID) async throws(StoreError) -> String? { read { $0.credentials.passwords[user] } }

    /// By id, as the promise of every store is.
    package func liveSessions(at now: Timestamp) async throws(StoreError) -> [Session] {
        read { $0.credentials.liveSessions(at: now) }
    }

    /// What `.noteKey` gave last.
    package func publicKey(for purpose: KeyPurpose) async throws(StoreError) -> [UInt8]? {
        read { $0.credentials.publicKeys[purpose] }
    }

    /// Forgets no token, however old.
    package func refreshToken(digest: [UInt8]) async throws(StoreError) -> StoredRefreshToken? {
        read { $0.credentials.refreshToken(digest: digest) }
    }

    /// One for each user; looks at no clock.
    package func passwordReset(digest: [UInt8]) async throws(StoreError) -> PasswordReset? {
        read { $0.credentials.passwordReset(digest: digest) }
    }

    /// Drops no entry by its age; `oldest` alone hides one.
    package func idempotentAnswer(
        _ key: IdempotencyKey, notOlderThan oldest: Timestamp
    ) async throws(StoreError) -> IdempotencyEntry? {
        read { $0.idempotency[key] }.flatMap { $0.createdAt >= oldest ? $0 : nil }
    }

    /// False after a failure until `recover()`, and after `close`.
    package func isWritable() async -> Bool { state.withLock { !$0.isUnavailable } }

    /// Waits for nothing: what has not taken effect by then throws `.unavailable`.
    package func close() async throws(StoreError) {
        state.withLock { ($0.isUnavailable, $0.isClosed) = (true, true) }
    }

    /// Writes nothing that a store could be opened from: an empty file, under the rules that every backup keeps.
    package func backup(to path: String) async throws(StoreBackupError) -> StoreBackup {
        guard !state.withLock({ $0.isClosed }) else { throw .unavailable }
        let target = try BackupTarget(path: path)
        let partial = try target.begin(RandomSource())
        let logs = read { $0.logs }
        do throws(StoreBackupError) {
            let sizes = logs.filter { !$0.value.isEmpty }.map { LogSize(log: $0.key, size: UInt64($0.value.count)) }
            return StoreBackup(
                path: target.path, bytes: try partial.finish(),
                at: logs.values.compactMap { $0.last?.body.at }.max() ?? Timestamp(milliseconds: 0),
                logs: sizes.sorted { $0.log.description < $1.log.description })
        } catch {
            partial.abandon()
            throw error
        }
    }

    private func read<Value>(_ body: (InMemoryContent) -> Value) -> Value { state.withLock { body($0.content) } }
}

/// Transactions that were handed in and have not taken effect.
private struct CommitQueue {
    /// What came of transactions whose callers have not asked yet, by ticket.
    var results: [UInt64: Result<[RecordPlace], StoreError>] = [:]
    private var waiting: [(ticket: UInt64, transaction: StoreTransaction)] = []
    private var tickets: UInt64 = 0

    mutating func enter(_ transaction: StoreTransaction) -> UInt64 {
        tickets += 1
        waiting.append((tickets, transaction))
        return tickets
    }

    mutating func next(upTo ticket: UInt64) -> (ticket: UInt64, transaction: StoreTransaction)? {
        guard let first = waiting.first, first.ticket <= ticket else { return nil }
        return waiting.removeFirst()
    }
}
