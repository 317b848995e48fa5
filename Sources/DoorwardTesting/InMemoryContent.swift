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
    var commands: [CommandID: StoredCommand] = [:]
    private(set) var usesTaken: [GuestAccessID: Int] = [:]
    private(set) var clock: StoredClock?
    private var lastCheckpoints: [LogID: LastCheckpoint] = [:]
    private var intentIDs: [CommandID: RecordID] = [:]
    var idempotency: [IdempotencyKey: IdempotencyEntry] = [:]
    var logs: [LogID: [AccessRecord]] = [:]
    /// The number of removed records of each log. They stay in `logs` for the tree, and nothing else reads them.
    private var firstSeqs: [LogID: UInt64] = [:]
    var recordPositions: [RecordID: RecordPosition] = [:]
    /// The original bytes of records from which personal values were erased.
    private var encoded: [RecordPosition: EncodedRecord] = [:]
    private var erasedOwners: [RecordPosition: Set<PersonKeyOwner>] = [:]
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
        for change in transaction.commands { try next.apply(change, intents: transaction.records) }
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

    private mutating func apply(_ change: CommandChange, intents: [PendingRecord]) throws(StoreRefusal) {
        switch change {
        case .begin(let command, let index):
            guard commands[command.id] == nil else { throw .commandExists(command.id) }
            guard intents.indices.contains(index), intents[index].body.isIntent(of: command) else {
                throw .intentMissing(command.id)
            }
            let (intent, device) = (intents[index].body, intents[index].body.device ?? DeviceSnapshot(deviceID: command.deviceID))
            commands[command.id] = StoredCommand(command: command, log: intent.log, device: device)
            intentIDs[command.id] = intent.id
        case .update(let command):
            guard !command.state.isEnd else { throw .inconsistent("the state of an updated command is final") }
            try replace(command)
        case .end(let command):
            guard command.state.isEnd else { throw .inconsistent("the state of an ended command is not final") }
            try replace(command)
        }
    }

    private mutating func replace(_ command: Command) throws(StoreRefusal) {
        guard let open = commands[command.id] else { throw .commandUnknown(command.id) }
        guard !open.command.state.isEnd else { throw .commandEnded(command.id) }
        commands[command.id] = StoredCommand(command: command, log: open.log, device: open.device)
    }

    func openCommands() -> [StoredCommand] {
        commands.values.filter { !$0.command.state.isEnd }.sorted {
            Self.isOlder($0.command, $1.command)
        }
    }

    /// Returns all commands that match the query, newest first.
    func commands(_ query: CommandQuery) -> [StoredCommand] {
        commands.values.filter { stored in
            let isOwn = query.actorUserID != nil && stored.command.actor.userID == query.actorUserID
            let isOfDevice = query.deviceID.map { $0 == stored.command.deviceID } ?? true
            return isOfDevice && (isOwn || query.scopes.contains { stored.lies(in: $0) })
        }.sorted { a, b in
            guard let first = intentPosition(of: a), let second = intentPosition(of: b) else { return false }
            return Self.precedes(second, first)
        }
    }

    private func intentPosition(of stored: StoredCommand) -> RecordPosition? {
        intentIDs[stored.command.id].flatMap { recordPositions[$0] }
    }

    private static func isOlder(_ a: Command, _ b: Command) -> Bool { (a.requestedAt, a.id) < (b.requestedAt, b.id) }

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
            guard positions.indices.contains(index) else {
                throw .parentUnknown
            }
            body.details["counterpart"] = .object([
                "logId": .string(positions[index].log.description), "seq": .integer(Int64(positions[index].seq)),
            ])
        }
        guard self.record(body.id) == nil else { throw .duplicate }
        let seq = UInt64(logs[body.log]?.count ?? 0)
        if let last = logs[body.log]?.last, body.at < last.body.at {
            body.details["clock"] = .string("held")
            body.at = last.body.at
        }
        let position = RecordPosition(log: body.log, seq: seq, at: body.at)
        logs[body.log, default: []].append(AccessRecord(seq: seq, body: body))
        recordPositions[body.id] = position
        return position
    }

    func record(_ id: RecordID) -> AccessRecord? {
        recordPositions[id].flatMap { isKept($0.log, $0.seq) ? logs[$0.log]?[Int($0.seq)] : nil }
    }

    private func firstSeq(of log: LogID) -> UInt64 { firstSeqs[log] ?? 0 }

    private func isKept(_ log: LogID, _ seq: UInt64) -> Bool { seq >= firstSeq(of: log) }

    /// The records of a log that were not removed.
    private func kept(_ log: LogID) -> ArraySlice<AccessRecord> { (logs[log] ?? []).dropFirst(Int(firstSeq(of: log))) }

    private mutating func truncate(_ truncation: LogTruncation) throws(StoreRefusal) {
        guard truncation.firstSeq <= UInt64(logs[truncation.log]?.count ?? 0) else {
            throw .inconsistent("a truncation beyond the end of a log")
        }
        firstSeqs[truncation.log] = max(firstSeq(of: truncation.log), truncation.firstSeq)
        let removed = commands.values.filter { command in
            intentPosition(of: command).map { !isKept($0.log, $0.seq) } ?? false
        }
        guard removed.allSatisfy({ $0.command.state.isEnd }) else {
            throw .inconsistent("a truncation of the intent of an open command")
        }
        for command in removed { commands[command.command.id] = nil }
    }

    // MARK: Trees and keys

    /// The same key for all owners, because this store need not protect the values.
    private static let key: PersonKey = {
        var random = SeededGenerator(seed: 1)
        return PersonKey(using: &random)
    }()

    /// Erases the owner's values from all existing records.
    private mutating func forget(_ owner: PersonKeyOwner) {
        for (log, records) in logs {
            for (index, record) in records.enumerated() {
                guard let stored = encode(record), stored.personal.contains(where: { $0.owner == owner }) else { continue }
                encoded[record.position] = stored
                var erased = erasedOwners[record.position] ?? []
                erased.insert(owner)
                erasedOwners[record.position] = erased
                let remaining = try? RecordEncoding.decode(stored.bytes) { commitment in
                    guard !erased.contains(commitment.owner) else { return nil }
                    let sealed = stored.personal.first { $0.field == commitment.place.field }
                    return try sealed.map { try commitment.open($0.ciphertext[...], under: Self.key) }
                }
                if let remaining { logs[log]?[index] = remaining.record }
            }
        }
    }

    func logs(withValuesOf person: UserID) -> [LogID] {
        let owner = PersonKeyOwner.user(person)
        let found = logs.filter { log, _ in
            kept(log).contains { record in
                erasedOwners[record.position]?.contains(owner) != true
                    && encode(record)?.personal.contains { $0.owner == owner } == true
            }
        }
        return found.keys.sorted { $0.description < $1.description }
    }

    /// Returns the record's bytes, leaf hash and encrypted values, as they were before any value was erased.
    private func encode(_ record: AccessRecord) -> EncodedRecord? {
        encoded[record.position] ?? (try? RecordDraft(fitting: record.body).encoded(seq: record.seq) { _ in Self.key })
    }

    func range(of log: LogID, from seq: UInt64, limit: Int) -> LogRange? {
        guard let records = logs[log] else { return nil }
        let first = max(seq, firstSeq(of: log))
        let found = records.dropFirst(Int(clamping: first)).prefix(max(0, limit)).compactMap { record in
            encode(record).map { LogRange.Entry(seq: record.seq, bytes: $0.bytes, leafHash: $0.leafHash) }
        }
        return LogRange(firstSeq: firstSeq(of: log), size: UInt64(records.count), entries: found)
    }

    func sealedRecords(_ ranges: [Range<UInt64>], of log: LogID, upTo byteCount: Int) -> [SealedRecord] {
        let records = logs[log] ?? []
        var (found, bytes) = ([SealedRecord](), 0)
        for range in ranges {
            for record in records[range.clamped(to: firstSeq(of: log)..<UInt64(records.count)).asIndices] {
                if bytes >= byteCount, record.seq % 256 == 0 { return found }
                guard let stored = encode(record) else { continue }
                found.append(sealed(record, stored))
                bytes += stored.bytes.count
            }
        }
        return found
    }

    private func sealed(_ record: AccessRecord, _ stored: EncodedRecord) -> SealedRecord {
        let commitments = (try? RecordEncoding.decode(stored.bytes).commitments) ?? []
        let values = commitments.map { commitment -> SealedRecord.Value? in
            guard erasedOwners[record.position]?.contains(commitment.owner) != true else { return nil }
            let sealed = stored.personal.first { $0.field == commitment.place.field }
            return sealed.map { SealedRecord.Value(commitment: commitment, ciphertext: $0.ciphertext[...], key: Self.key) }
        }
        return SealedRecord(
            seq: record.seq, bytes: stored.bytes, leafHash: Digest32(leaf: stored.bytes), values: values)
    }

    /// Computes a node of the log's tree by its definition, from the leaves.
    func node(level: Int, index: UInt64, of log: LogID) -> [UInt8]? {
        guard let records = logs[log], (0..<32).contains(level), index < UInt64(records.count) >> UInt64(level) else {
            return nil
        }
        let (first, count) = (Int(index) << level, 1 << level)
        return MerkleTree.root(ofLeafHashes: records[first..<first + count].compactMap { encode($0)?.leafHash })
    }

    var logHeads: [LogHead] {
        Set(logs.keys).union(lastCheckpoints.keys).sorted { $0.description < $1.description }
            .map { LogHead(log: $0, size: UInt64(logs[$0]?.count ?? 0), lastCheckpoint: lastCheckpoints[$0]) }
    }

    func frontier(of log: LogID) -> MerkleFrontier? {
        guard let records = logs[log] else { return nil }
        var frontier = MerkleFrontier()
        for record in records { if let leafHash = encode(record)?.leafHash { frontier.append(leafHash: leafHash) } }
        return frontier
    }

    func records(_ query: RecordQuery) -> [AccessRecord] {
        let oldestFirst = query.order == .oldestFirst
        var found = logs.values.joined().filter { record in
            let body = record.body
            return isKept(body.log, record.seq) && query.filter.passes(body)
                && query.scopes.contains { $0.covers(body) }
        }
        found.sort { Self.precedes($0.position, $1.position) == oldestFirst }
        if let after = query.after {
            found = found.filter {
                oldestFirst ? Self.precedes(after, $0.position) : Self.precedes($0.position, after)
            }
        }
        return Array(found.prefix(query.limit))
    }

    private static func precedes(_ a: RecordPosition, _ b: RecordPosition) -> Bool {
        // A log is ordered by time, so the numbers of one log have the order of the times.
        if a.log == b.log { return a.seq < b.seq }
        return (a.at, a.log.description, a.seq) < (b.at, b.log.description, b.seq)
    }
}

extension Range<UInt64> {
    fileprivate var asIndices: Range<Int> { Int(lowerBound)..<Int(upperBound) }
}
