internal import DoorwardAudit
package import DoorwardDomain
package import DoorwardKernel
package import Logging
package import Metrics
import Synchronization

/// Signs a checkpoint of each log, and keeps the checkpoints in a file outside the store.
///
/// Before it signs, it verifies that the log continues the checkpoint that was signed last. So no two checkpoints of a log
/// contradict each other, and a change of earlier records is detected at the next checkpoint. The work runs in a task of its
/// own: no command waits for it.
package final class Checkpoints: Sendable {
    struct State {
        var signer: NoteSigner
        /// The newest checkpoint of each log in its present generation, or of an earlier name of the gateway.
        var newest: [LogID: CheckpointJournal.Entry] = [:]
        /// The newest checkpoint of each log that a witness has cosigned.
        var cosigned: [LogID: CheckpointJournal.Entry] = [:]
        var lastCheckpoints: [LogID: LastCheckpoint] = [:]
        /// The logs whose records contradict their newest checkpoint.
        var contradicted: Set<LogID> = []
        /// Whether the last line of the file may be incomplete.
        var isFileInDoubt = false
        var bytesAppended = 0
    }

    let storeGuard: StoreGuard
    let setup: AuditSetup
    let clock: any GatewayClock
    let random: RandomSource
    let logger: Logger
    /// The number of logs whose records contradict their newest checkpoint.
    private let contradictedLogs: Meter
    let state: Mutex<State>
    /// Serializes signing and rotation.
    let mutex = AsyncMutex()

    /// How often the sizes of changed logs are compared. A burst of records is covered by one checkpoint.
    static let pause = Duration.seconds(1)
    /// The number of bytes appended after which the file is reduced to the newest checkpoints.
    static let maxBytesAppended = 16 * 1024 * 1024
    /// The number of checkpoints in one record, which stays below the maximum size of a record also with the maximum length of a
    /// gateway's name (`gateway.name`, 253 characters) in each.
    static let batch = 100

    /// Reads and signs nothing before `start` or `acceptRollback`.
    package init(
        storeGuard: StoreGuard, setup: AuditSetup, clock: any GatewayClock, random: RandomSource, logger: Logger,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) {
        contradictedLogs = Meter(label: "doorward_logs_contradicted", factory: metrics)
        contradictedLogs.set(0)
        (self.storeGuard, self.setup, self.clock) = (storeGuard, setup, clock)
        (self.random, self.logger) = (random, logger)
        state = Mutex(State(signer: setup.signer))
    }

    /// Whether `run` is to be called.
    package var signsByItself: Bool { setup.signsByItself }

    var gatewayName: String { setup.signer.verifierKey.name }

    var proofs: LogProofs { LogProofs(log: storeGuard.log) }

    /// The text of the public key that signs checkpoints now.
    var publicKey: VerifierKey { state.withLock { $0.signer.verifierKey } }

    /// The origin of a log in its present generation.
    func origin(of log: LogID) -> LogOrigin {
        LogOrigin(gateway: gatewayName, log: log, generation: state.withLock { $0.lastCheckpoints[log]?.generation ?? 1 })
    }

    /// The logs whose records contradict their newest checkpoint.
    var contradicted: Set<LogID> { state.withLock { $0.contradicted } }

    /// The newest checkpoint of a log; `nil` before the first one.
    func newest(of log: LogID) -> CheckpointJournal.Entry? { state.withLock { $0.newest[log] } }

    /// The newest checkpoint of a log that a witness has cosigned; `nil` if there is none in its present generation.
    func newestCosigned(of log: LogID) -> CheckpointJournal.Entry? { state.withLock { $0.cosigned[log] } }

    /// The newest checkpoint of a log, for a file that contains it and the public key.
    ///
    /// - Parameter records: the records of the file, which the checkpoint covers.
    func newest(of log: LogID, covering records: [RecordPosition]) throws(GatewayError) -> CheckpointJournal.Entry {
        // The key in force has signed the checkpoint, unless it was replaced in this moment.
        guard let entry = newest(of: log), entry.note.signatures.map(\.keyID).contains(publicKey.id) else { throw .unavailable }
        guard records.allSatisfy({ $0.seq < entry.checkpoint.size }) else {
            throw .internalFailure("the checkpoint of an export does not cover its record")
        }
        return entry
    }

    // MARK: Start and recovery

    /// Compares the checkpoint file with the store, and reduces it to the newest checkpoints. Writes nothing to the store.
    ///
    /// - Throws: `RollbackError` if they contradict each other.
    package func start() async throws {
        let (journal, heads, mismatches) = try await compare()
        guard mismatches.isEmpty else { throw RollbackError(mismatches: mismatches, path: setup.storage.path) }
        if journal.hasIncompleteLine || journal.entries.count > journal.compactedCount {
            try await setup.storage.replace(by: journal.compacted)
        }
        adopt(journal, heads)
    }

    /// Opens a new generation of each log that contradicts its checkpoints, records it, and signs the first checkpoints of these
    /// generations.
    ///
    /// - Returns: the logs and their new generations; empty if nothing contradicts.
    package func acceptRollback() async throws -> [LogID: Int] {
        let (journal, heads, mismatches) = try await compare()
        guard !mismatches.isEmpty else { return [:] }
        let known = Set(heads.map(\.log)).union(journal.newest.keys)
        let concerned = mismatches.contains { $0.log == nil } ? known : Set(mismatches.compactMap(\.log))
        let stored = heads.reduce(into: [LogID: LogHead]()) { $0[$1.log] = $1 }
        var (transaction, generations) = (StoreTransaction(), [LogID: Int]())
        for log in concerned.union([.gateway]).sorted(by: { $0.description < $1.description }) {
            let head = stored[log] ?? LogHead(log: log, size: 0, lastCheckpoint: nil)
            let entry = journal.newest[log]
            if concerned.contains(log) {
                let generation = max(head.lastCheckpoint?.generation ?? 1, entry?.origin.generation ?? 1) + 1
                generations[log] = generation
                transaction.counters.append(
                    .setLastCheckpoint(LastCheckpoint(log: log, generation: generation, size: 0, signedAt: nil)))
            }
            transaction.records.append(recoveryRecord(head, givenUp: entry, generations[log], concerned))
        }
        try await storeGuard.write(transaction)
        try await setup.storage.replace(by: journal.compacted)
        adopt(journal, try await readHeads())
        try await signAll()
        return generations
    }

    private func compare() async throws -> (CheckpointJournal, [LogHead], [CheckpointMismatch]) {
        let heads = try await readHeads()
        let keys = try await mappingStoreErrors(await storeGuard.credentials.publicKeys(for: .checkpoints))
        guard let content = try await setup.storage.read() else {
            return (CheckpointJournal(), heads, [CheckpointMismatch(log: nil, problem: .fileMissing)])
        }
        let (journal, proofs) = (CheckpointJournal(parsing: content), proofs)
        let mismatches = try await journal.mismatches(heads, keys: keys) { (log, size) throws(GatewayError) in
            try await proofs.root(of: log, size: size)
        }
        return (journal, heads, mismatches)
    }

    func readHeads() async throws(GatewayError) -> [LogHead] {
        try await mappingStoreErrors(await storeGuard.log.logHeads())
    }

    private func adopt(_ journal: CheckpointJournal, _ heads: [LogHead]) {
        state.withLock { state in
            state.lastCheckpoints = heads.reduce(into: [:]) { $0[$1.log] = $1.lastCheckpoint }
            let lastCheckpoints = state.lastCheckpoints
            func isPresent(_ log: LogID, _ entry: CheckpointJournal.Entry) -> Bool {
                entry.origin.generation == lastCheckpoints[log]?.generation ?? 1
            }
            state.newest = journal.newest.filter(isPresent)
            state.cosigned = journal.newestCosigned.filter(isPresent)
        }
    }

    // MARK: Signing

    /// Signs a checkpoint of each log that has grown enough, until the task is cancelled.
    package func run(_ feed: ChangeFeed) async {
        var position = feed.position
        var changed: [LogID: MonotonicInstant] = [:]
        // All logs are compared at the start, after changes that the feed has dropped, and after a failed read.
        var areAllToBeCompared = true
        do {
            while true {
                let isIdle = changed.isEmpty && !areAllToBeCompared
                let changes = isIdle ? try await feed.nextChanges(after: position) : feed.changes(after: position)
                let now = clock.monotonicNow()
                if let changes {
                    position = changes.position
                    for case .log(let log) in changes.objects where changed[log] == nil { changed[log] = now }
                } else {
                    (position, areAllToBeCompared) = (feed.position, true)
                }
                if areAllToBeCompared, let heads = try? await readHeads() {
                    areAllToBeCompared = false
                    for head in heads where changed[head.log] == nil { changed[head.log] = now }
                }
                await signDue(&changed, at: now)
                if areAllToBeCompared || !changed.isEmpty { try await clock.sleep(until: now.advanced(by: Self.pause)) }
            }
        } catch {
            // Cancelled.
        }
    }

    /// Signs the logs that are due, and removes from `changed` those that need no checkpoint any more.
    private func signDue(_ changed: inout [LogID: MonotonicInstant], at now: MonotonicInstant) async {
        var due: [LogID] = []
        for (log, since) in changed {
            guard let added = try? await recordsToSign(of: log) else { continue }
            if added == 0 {
                changed[log] = nil
            } else if added >= setup.maxRecords || now.duration(since: since) >= setup.maxInterval {
                due.append(log)
            }
        }
        guard !due.isEmpty else { return }
        do {
            try await sign(due)
        } catch {
            logger.error("checkpoints could not be signed; trying again", metadata: ["error": "\(error)"])
        }
        // Also the gateway's log, because it may have records of the portfolios' checkpoints.
        for log in due where (try? await recordsToSign(of: log)) == 0 { changed[log] = nil }
    }

    /// The number of records that no checkpoint covers; 0 for a log whose checkpoint is up to date and recorded, or that
    /// contradicts its checkpoints.
    func recordsToSign(of log: LogID) async throws -> Int {
        if state.withLock({ $0.contradicted.contains(log) }) { return 0 }
        guard let frontier = try await storeGuard.log.frontier(of: log) else { return 0 }
        let (size, gatewayName) = (frontier.size, gatewayName)
        return state.withLock { state in
            guard let entry = state.newest[log] else { return max(1, Int(clamping: size)) }
            if entry.checkpoint.size == size, entry.origin.gateway == gatewayName, state.lastCheckpoints[log]?.size == size,
                entry.note.isSigned(by: state.signer.verifierKey) == true
            {
                return 0
            }
            // A newer checkpoint may have been signed since the size was read.
            return size > entry.checkpoint.size ? Int(clamping: size - entry.checkpoint.size) : 1
        }
    }

    /// Signs a checkpoint of each of the logs that has new records, and one of the gateway's log if that has.
    package func sign(_ logs: [LogID]) async throws {
        await mutex.lock()
        defer { mutex.unlock() }
        try await signLocked(logs, also: nil)
    }

    /// Signs a checkpoint of every log that has new records.
    package func signAll() async throws { try await sign(try await readHeads().map(\.log)) }

    /// First the portfolios' logs, then their checkpoints' records, then the gateway's log, which contains these records. Checkpoints of
    /// the gateway's log are not recorded, because each record would need a further checkpoint.
    func signLocked(_ logs: [LogID], also former: NoteSigner?) async throws {
        try await signRound(logs.filter { $0 != .gateway }, also: former)
        try await signRound([.gateway], also: former)
    }

    private func signRound(_ logs: [LogID], also former: NoteSigner?) async throws {
        var entries: [CheckpointJournal.Entry] = []
        for log in logs { if let entry = try await nextEntry(of: log, also: former) { entries.append(entry) } }
        if !entries.isEmpty {
            try await append(entries.flatMap { CheckpointJournal.line($0.note) })
            state.withLock { state in for entry in entries { state.newest[entry.origin.log] = entry } }
        }
        try await writeLastCheckpoints(of: logs)
    }

    /// - Returns: `nil` if the newest checkpoint is up to date, or the log contradicts it.
    private func nextEntry(of log: LogID, also former: NoteSigner?) async throws -> CheckpointJournal.Entry? {
        guard let frontier = try await storeGuard.log.frontier(of: log), frontier.size > 0 else { return nil }
        let (signer, last) = state.withLock { ($0.signer, $0.newest[log]) }
        let isSigned = last?.note.isSigned(by: signer.verifierKey) == true && last?.origin.gateway == gatewayName
        if let last, last.checkpoint.size == frontier.size, isSigned, last.checkpoint.root == frontier.root { return nil }
        guard try await continues(last?.checkpoint, frontier, log) else {
            try await noteMismatch(of: log, last?.checkpoint, size: frontier.size)
            return nil
        }
        let checkpoint = Checkpoint(origin: origin(of: log).description, size: frontier.size, root: frontier.root)
        var note = try checkpoint.signed(by: signer)
        if let former { note.add(try former.signature(of: checkpoint.text)) }
        // A cosignature is over the text, which is the same after a rotation of the key.
        if let last, last.checkpoint == checkpoint { for signature in last.cosignatures { note.add(signature) } }
        return CheckpointJournal.Entry(note)
    }

    /// Reports a log that contradicts its checkpoint: in the program's log, in the metric, in the list of logs, and by a record in the
    /// gateway's log. If the record cannot be written, this is repeated with the next checkpoint.
    private func noteMismatch(of log: LogID, _ checkpoint: Checkpoint?, size: UInt64) async throws {
        guard state.withLock({ $0.contradicted.insert(log).inserted }) else { return }
        defer { contradictedLogs.set(Int64(contradicted.count)) }
        let signed = checkpoint?.size ?? 0
        logger.critical(
            "records under a signed checkpoint have changed; no further checkpoint of the log is signed",
            metadata: ["log": "\(log)", "checkpointSize": "\(signed)", "size": "\(size)"])
        let details: [String: RecordValue] = [
            "origin": .string(origin(of: log).description), "checkpointSize": .integer(Int64(clamping: signed)),
            "size": .integer(Int64(clamping: size)),
        ]
        let record = gatewayRecord(.gateway, .checkpointMismatch, at: clock.now(), of: log, details)
        do {
            try await storeGuard.write(StoreTransaction(records: [record]))
        } catch {
            state.withLock { _ = $0.contradicted.remove(log) }
            throw error
        }
    }

    /// Whether the tree with this frontier begins with the tree of the last checkpoint, by a proof from the stored tree.
    private func continues(_ last: Checkpoint?, _ frontier: MerkleFrontier, _ log: LogID) async throws -> Bool {
        guard let last else { return true }
        guard last.size <= frontier.size else { return false }
        guard let proof = try await proofs.consistency(from: last.size, to: frontier.size, in: log) else { return false }
        return MerkleProof.isConsistent(from: last.size, last.root, to: frontier.size, frontier.root, proof: proof)
    }

    func append(_ lines: [UInt8]) async throws {
        let (isInDoubt, appended) = state.withLock { state in
            defer { state.isFileInDoubt = true }
            return (state.isFileInDoubt, state.bytesAppended + lines.count)
        }
        if isInDoubt || appended > Self.maxBytesAppended {
            // Never flush a file again after a failure: write a new one.
            let compacted = CheckpointJournal(parsing: try await setup.storage.read() ?? []).compacted
            try await setup.storage.replace(by: compacted + lines)
        } else {
            try await setup.storage.append(lines)
        }
        state.withLock { state in
            state.isFileInDoubt = false
            state.bytesAppended = isInDoubt || appended > Self.maxBytesAppended ? lines.count : appended
        }
    }

    /// Stores which checkpoints are the newest, and records those of portfolios in the gateway's log: many of them in one record,
    /// so that the log does not grow with the number of portfolios.
    private func writeLastCheckpoints(of logs: [LogID]) async throws {
        let now = clock.now()
        let due = state.withLock { state in
            logs.compactMap { log -> CheckpointJournal.Entry? in
                guard let entry = state.newest[log] else { return nil }
                let last = state.lastCheckpoints[log]
                return last?.size == entry.checkpoint.size && last?.generation == entry.origin.generation ? nil : entry
            }
        }
        for start in stride(from: 0, to: due.count, by: Self.batch) {
            let part = due[start...].prefix(Self.batch)
            let lastCheckpoints = part.map {
                LastCheckpoint(log: $0.origin.log, generation: $0.origin.generation, size: $0.checkpoint.size, signedAt: now)
            }
            try await storeGuard.write(
                StoreTransaction(
                    counters: lastCheckpoints.map { .setLastCheckpoint($0) },
                    records: record(of: part.filter { $0.origin.log != .gateway }, at: now).map { [$0] } ?? []))
            state.withLock { state in for checkpoint in lastCheckpoints { state.lastCheckpoints[checkpoint.log] = checkpoint } }
        }
    }

    // MARK: Records

    /// - Returns: `nil` if there is no checkpoint to record.
    private func record(of entries: [CheckpointJournal.Entry], at now: Timestamp) -> PendingRecord? {
        guard let first = entries.first else { return nil }
        if entries.count == 1 {
            return gatewayRecord(.gateway, .checkpoint, at: now, of: first.origin.log, first.checkpoint.recorded)
        }
        let all = entries.map { RecordValue.object($0.checkpoint.recorded) }
        return gatewayRecord(.gateway, .checkpoint, at: now, of: .gateway, ["checkpoints": .array(all)])
    }

    private func recoveryRecord(
        _ head: LogHead, givenUp entry: CheckpointJournal.Entry?, _ generation: Int?, _ concerned: Set<LogID>
    ) -> PendingRecord {
        var details: [String: RecordValue] = ["after": .string("rollback")]
        if let generation {
            details["generation"] = .integer(Int64(generation))
            details["size"] = .integer(Int64(clamping: head.size))
            details["givenUp"] = entry.map { .object($0.checkpoint.recorded) } ?? .null
        }
        if head.log == .gateway { details["logs"] = .array(concerned.map(\.description).sorted().map { .string($0) }) }
        return gatewayRecord(head.log, .recovered, at: clock.now(), of: head.log, details)
    }

    private func gatewayRecord(
        _ log: LogID, _ event: RecordEvent, at now: Timestamp, of subject: LogID, _ details: [String: RecordValue]
    ) -> PendingRecord {
        PendingRecord(
            event, in: log, id: random.id(at: now), at: now, path: subject.portfolioID.map { EntityPathIDs(portfolioID: $0) },
            details: details)
    }
}

extension Checkpoint {
    /// The form in the details of records.
    fileprivate var recorded: [String: RecordValue] {
        ["origin": .string(origin), "size": .integer(Int64(clamping: size)), "root": .string(rootText)]
    }
}
