internal import DoorwardAdapterTesting
internal import DoorwardAudit
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// The content of an `InMemoryStore`. A transaction is applied to a copy of the content. The copy
/// replaces the content only if the whole transaction succeeds.
struct InMemoryContent {
    var tenancy = InMemoryTenancy()
    var credentials = InMemoryCredentials()
    /// The users who have redeemed purchases, by the digest of the purchase.
    private var purchases: [[UInt8]: UserID] = [:]
    /// The commands, each with the position of its intent.
    var commands: [CommandID: (stored: StoredCommand, intent: RecordPosition)] = [:]
    private(set) var usesTaken: [GuestAccessID: Int] = [:]
    private(set) var clock: StoredClock?
    private var lastCheckpoints: [LogID: LastCheckpoint] = [:]
    var idempotency: [IdempotencyKey: IdempotencyEntry] = [:]
    var logs: [LogID: [Entry]] = [:]
    /// The number of removed records of each log. They stay in `logs` for the tree, and nothing else reads them.
    private var firstSeqs: [LogID: UInt64] = [:]
    var recordPositions: [RecordID: RecordPosition] = [:]
    var commitCount = 0

    mutating func apply(_ transaction: StoreTransaction) throws(StoreRefusal) -> [RecordPosition] {
        var next = self
        for precondition in transaction.requires { try next.check(precondition) }
        for change in transaction.changes { try next.apply(change) }
        for change in transaction.counters { try next.apply(change) }
        for change in transaction.clock { try next.apply(change) }
        for change in transaction.credentials { try next.credentials.apply(change, in: next.tenancy) }
        for purchase in transaction.purchases { try next.redeem(purchase) }
        var positions: [RecordPosition] = []
        for record in transaction.records { positions.append(try next.append(record, after: positions)) }
        for change in transaction.commands { try next.apply(change, intents: transaction.records, at: positions) }
        for entry in transaction.idempotency { try next.store(entry) }
        for owner in transaction.forgets { next.forget(owner) }
        for truncation in transaction.truncations { try next.truncate(truncation) }
        next.commitCount += 1
        self = next
        return positions
    }

    private mutating func apply(_ change: TenancyChange) throws(StoreRefusal) {
        try tenancy.apply(change)
        switch change {
        case .removeUser(let id): credentials.removeAll(of: id)
        case .removeGuestAccess(let id): usesTaken[id] = nil
        default: break
        }
    }

    private mutating func redeem(_ purchase: RedeemedPurchase) throws(StoreRefusal) {
        guard tenancy.exists(.user(purchase.userID)) else { throw .parentUnknown }
        guard purchases[purchase.digest, default: purchase.userID] == purchase.userID else { throw .purchaseRedeemed }
        purchases[purchase.digest] = purchase.userID
    }

    // MARK: Preconditions

    private func check(_ precondition: StorePrecondition) throws(StoreRefusal) {
        switch precondition {
        case .unchanged(let change): if !tenancy.reflects(change) { throw .entityChanged(change.entity) }
        case .usesLeft(let id, let limit): if usesTaken[id, default: 0] >= limit { throw .usesExhausted(id) }
        }
    }

    private mutating func apply(_ change: CounterChange) throws(StoreRefusal) {
        switch change {
        case .takeUse(let id):
            guard tenancy.exists(.guestAccess(id)) else { throw .parentUnknown }
            usesTaken[id, default: 0] += 1
        case .returnUse(let id):
            guard tenancy.exists(.guestAccess(id)) else { return }
            guard let taken = usesTaken[id] else { throw .inconsistent("a use was returned that had not been taken") }
            usesTaken[id] = taken > 1 ? taken - 1 : nil
        case .setLastCheckpoint(let checkpoint):
            let known = lastCheckpoints[checkpoint.log]
            if (checkpoint.generation, checkpoint.size) >= (known?.generation ?? 0, known?.size ?? 0) {
                lastCheckpoints[checkpoint.log] = checkpoint
            }
        }
    }

    private mutating func apply(_ change: StoredClockChange) throws(StoreRefusal) {
        switch change {
        case .raiseMark(let mark):
            clock = StoredClock(highWaterMark: max(mark, clock?.highWaterMark ?? mark), unconfirmed: clock?.unconfirmed)
        case .setMark(let mark): clock = StoredClock(highWaterMark: mark, unconfirmed: clock?.unconfirmed)
        case .setUnconfirmed(let step):
            guard clock != nil else { throw .inconsistent("a step of the clock without a mark") }
            clock?.unconfirmed = step
        }
    }

    // MARK: Commands

    private mutating func apply(
        _ change: CommandChange, intents: [PendingRecord], at positions: [RecordPosition]
    ) throws(StoreRefusal) {
        switch change {
        case .begin(let command, let index):
            guard commands[command.id] == nil else { throw .commandExists(command.id) }
            guard intents.indices.contains(index), intents[index].body.isIntent(of: command) else {
                throw .intentMissing(command.id)
            }
            let (intent, device) = (intents[index].body, intents[index].body.device ?? DeviceSnapshot(deviceID: command.deviceID))
            let stored = StoredCommand(command: command, log: intent.log, device: device)
            commands[command.id] = (stored, positions[index])
        case .update(let command):
            guard !command.state.isEnd else { throw .inconsistent("the state of an updated command is final") }
            try replace(command)
        case .end(let command):
            guard command.state.isEnd else { throw .inconsistent("the state of an ended command is not final") }
            try replace(command)
        }
    }

    private mutating func replace(_ command: Command) throws(StoreRefusal) {
        guard let (open, intent) = commands[command.id] else { throw .commandUnknown(command.id) }
        guard !open.command.state.isEnd else { throw .commandEnded(command.id) }
        commands[command.id] = (StoredCommand(command: command, log: open.log, device: open.device), intent)
    }

    func openCommands() -> [StoredCommand] {
        commands.values.map(\.stored).filter { !$0.command.state.isEnd }.sorted {
            ($0.command.requestedAt, $0.command.id) < ($1.command.requestedAt, $1.command.id)
        }
    }

    /// Returns all commands that match the query, newest first.
    func commands(_ query: CommandQuery) -> [StoredCommand] {
        commands.values.filter { stored, _ in
            let isOwn = query.actorUserID != nil && stored.command.actor.userID == query.actorUserID
            let isOfDevice = query.deviceID.map { $0 == stored.command.deviceID } ?? true
            return isOfDevice && (isOwn || query.scopes.contains { stored.lies(in: $0) })
        }.sorted { Self.precedes($1.intent, $0.intent) }.map(\.stored)
    }

    // MARK: Idempotency

    /// Stores an idempotency key that is new or replaces one that is at least a day old.
    private mutating func store(_ entry: IdempotencyEntry) throws(StoreRefusal) {
        if let existing = idempotency[entry.key], entry.createdAt.duration(since: existing.createdAt) < .seconds(86_400) {
            throw .idempotencyKeyTaken(entry.key)
        }
        idempotency[entry.key] = entry
    }

    // MARK: Records

    private mutating func append(_ record: PendingRecord, after positions: [RecordPosition]) throws(StoreRefusal)
        -> RecordPosition
    {
        var body = record.body
        if let index = record.counterpart {
            guard positions.indices.contains(index) else { throw .parentUnknown }
            body.details["counterpart"] = .object([
                "logId": .string(positions[index].log.description), "seq": .integer(Int64(positions[index].seq)),
            ])
        }
        guard self.record(body.id) == nil else { throw .duplicate }
        let seq = UInt64(logs[body.log]?.count ?? 0)
        if let last = logs[body.log]?.last?.record.body.at, body.at < last {
            body.details["clock"] = .string("held")
            body.at = last
        }
        let position = RecordPosition(log: body.log, seq: seq, at: body.at)
        logs[body.log, default: []].append(Entry(record: AccessRecord(seq: seq, body: body)))
        recordPositions[body.id] = position
        return position
    }

    func record(_ id: RecordID) -> AccessRecord? {
        recordPositions[id].flatMap { isKept($0.log, $0.seq) ? logs[$0.log]?[Int($0.seq)].record : nil }
    }

    private func firstSeq(of log: LogID) -> UInt64 { firstSeqs[log] ?? 0 }

    private func isKept(_ log: LogID, _ seq: UInt64) -> Bool { seq >= firstSeq(of: log) }

    /// The records of a log that were not removed.
    private func kept(_ log: LogID) -> ArraySlice<Entry> { (logs[log] ?? []).dropFirst(Int(firstSeq(of: log))) }

    private mutating func truncate(_ truncation: LogTruncation) throws(StoreRefusal) {
        guard truncation.firstSeq <= UInt64(logs[truncation.log]?.count ?? 0) else {
            throw .inconsistent("a truncation beyond the end of a log")
        }
        firstSeqs[truncation.log] = max(firstSeq(of: truncation.log), truncation.firstSeq)
        let removed = commands.filter { !isKept($0.value.intent.log, $0.value.intent.seq) }
        guard removed.values.allSatisfy({ $0.stored.command.state.isEnd }) else {
            throw .inconsistent("a truncation of the intent of an open command")
        }
        for id in removed.keys { commands[id] = nil }
    }

    // MARK: Trees and keys

    /// Erases the owner's values from all existing records.
    private mutating func forget(_ owner: PersonKeyOwner) { logs = logs.mapValues { $0.map { $0.forgetting(owner) } } }

    func logs(withValuesOf person: UserID) -> [LogID] {
        let owner = PersonKeyOwner.user(person)
        let found = logs.filter { log, _ in kept(log).contains { $0.hasValue(of: owner) } }
        return found.keys.sorted { $0.description < $1.description }
    }

    func range(of log: LogID, from seq: UInt64, limit: Int) -> LogRange? {
        guard let records = logs[log] else { return nil }
        let first = max(seq, firstSeq(of: log))
        let found = records.dropFirst(Int(clamping: first)).prefix(max(0, limit)).compactMap { entry in
            entry.encoded.map { LogRange.Entry(seq: entry.record.seq, bytes: $0.bytes, leafHash: $0.leafHash) }
        }
        return LogRange(firstSeq: firstSeq(of: log), size: UInt64(records.count), entries: found)
    }

    func sealedRecords(_ ranges: [Range<UInt64>], of log: LogID, upTo byteCount: Int) -> [SealedRecord] {
        let records = logs[log] ?? []
        var (found, bytes) = ([SealedRecord](), 0)
        for range in ranges {
            for seq in range.clamped(to: firstSeq(of: log)..<UInt64(records.count)) {
                if bytes >= byteCount, seq % 256 == 0 { return found }
                guard let sealed = records[Int(seq)].sealed else { continue }
                found.append(sealed)
                bytes += sealed.bytes.count
            }
        }
        return found
    }

    /// Computes a node of the log's tree by its definition, from the leaves.
    func node(level: Int, index: UInt64, of log: LogID) -> [UInt8]? {
        guard let records = logs[log], (0..<32).contains(level), index < UInt64(records.count) >> UInt64(level) else {
            return nil
        }
        let (first, count) = (Int(index) << level, 1 << level)
        return MerkleTree.root(ofLeafHashes: records[first..<first + count].compactMap { $0.encoded?.leafHash })
    }

    var logHeads: [LogHead] {
        Set(logs.keys).union(lastCheckpoints.keys).sorted { $0.description < $1.description }
            .map { LogHead(log: $0, size: UInt64(logs[$0]?.count ?? 0), lastCheckpoint: lastCheckpoints[$0]) }
    }

    func frontier(of log: LogID) -> MerkleFrontier? {
        guard let records = logs[log] else { return nil }
        var frontier = MerkleFrontier()
        for leafHash in records.compactMap({ $0.encoded?.leafHash }) { frontier.append(leafHash: leafHash) }
        return frontier
    }

    /// Returns all records that match the query, without its limit.
    func records(_ query: RecordQuery) -> [AccessRecord] {
        let oldestFirst = query.order == .oldestFirst
        func precedes(_ a: RecordPosition, _ b: RecordPosition) -> Bool {
            oldestFirst ? Self.precedes(a, b) : Self.precedes(b, a)
        }
        return logs.values.joined().map(\.record).filter { record in
            isKept(record.body.log, record.seq) && query.filter.passes(record.body)
                && query.scopes.contains { $0.covers(record.body) }
                && query.after.map { precedes($0, record.position) } ?? true
        }.sorted { precedes($0.position, $1.position) }
    }

    private static func precedes(_ a: RecordPosition, _ b: RecordPosition) -> Bool {
        // A log is ordered by time, so the numbers of one log have the order of the times.
        if a.log == b.log { return a.seq < b.seq }
        return (a.at, a.log.description, a.seq) < (b.at, b.log.description, b.seq)
    }
}

extension InMemoryContent {
    /// A record, of which personal values may be erased.
    struct Entry {
        var record: AccessRecord
        /// The record as it was before the first value was erased.
        private var original: EncodedRecord?
        private var erased: Set<PersonKeyOwner> = []

        init(record: AccessRecord) { self.record = record }

        /// The same key for all owners, because this store need not protect the values.
        private static let key: PersonKey = {
            var random = SeededGenerator(seed: 1)
            return PersonKey(using: &random)
        }()

        /// The record's bytes, leaf hash and encrypted values, as they were before any value was erased.
        var encoded: EncodedRecord? {
            original ?? (try? RecordDraft(fitting: record.body).encoded(seq: record.seq) { _ in Self.key })
        }

        func hasValue(of owner: PersonKeyOwner) -> Bool {
            !erased.contains(owner) && encoded?.personal.contains { $0.owner == owner } == true
        }

        /// The record without the owner's values.
        func forgetting(_ owner: PersonKeyOwner) -> Entry {
            guard hasValue(of: owner), let stored = encoded else { return self }
            var entry = self
            entry.original = stored
            entry.erased.insert(owner)
            let remaining = try? RecordEncoding.decode(stored.bytes) { commitment in
                try entry.value(of: commitment, in: stored).map { try commitment.open($0.ciphertext[...], under: Self.key) }
            }
            if let remaining { entry.record = remaining.record }
            return entry
        }

        var sealed: SealedRecord? {
            guard let stored = encoded else { return nil }
            let values = ((try? RecordEncoding.decode(stored.bytes).commitments) ?? []).map { commitment in
                value(of: commitment, in: stored).map {
                    SealedRecord.Value(commitment: commitment, ciphertext: $0.ciphertext[...], key: Self.key)
                }
            }
            return SealedRecord(seq: record.seq, bytes: stored.bytes, leafHash: Digest32(leaf: stored.bytes), values: values)
        }

        /// The encrypted value; `nil` if it was erased.
        private func value(of commitment: PersonalCommitment, in stored: EncodedRecord) -> SealedValue? {
            erased.contains(commitment.owner) ? nil : stored.personal.first { $0.field == commitment.place.field }
        }
    }
}
