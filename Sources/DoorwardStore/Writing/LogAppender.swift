internal import DoorwardAudit
internal import DoorwardDomain
internal import DoorwardKernel
import FoundationEssentials
import GRDB

/// Appends records to their logs: assigns a `seq`, a time and a leaf hash to each record, and encrypts its personal values with
/// the owners' keys.
///
/// A `LogAppender` belongs to one connection, and its caches are discarded with the connection.
struct LogAppender {
    /// The current end of a log.
    struct Head {
        let key: Int64
        var frontier: MerkleFrontier
        var lastAt: Timestamp
    }

    private var heads = LayeredCache<LogID, Head>()
    /// `nil` for a key that was destroyed.
    private var keys = LayeredCache<PersonKeyCache.Name, PersonKey?>()
    private var random: any RandomNumberGenerator & Sendable
    private var projector = Projector()
    private let keyFile: PersonKeyFile

    init(random: any RandomNumberGenerator & Sendable, keys: PersonKeyFile) { (self.random, keyFile) = (random, keys) }

    // MARK: Savepoints and transactions

    /// What the open transaction of the database has set so far.
    struct Savepoint {
        let heads: [LogID: Head]
        let keys: [PersonKeyCache.Name: PersonKey?]
        let entryCount: Int
    }

    var savepoint: Savepoint { Savepoint(heads: heads.uncommitted, keys: keys.uncommitted, entryCount: projector.count) }

    /// Drops everything set since the savepoint. Call it after the database was rolled back to it.
    mutating func undo(to savepoint: Savepoint) {
        heads.undo(to: savepoint.heads)
        keys.undo(to: savepoint.keys)
        projector.undo(to: savepoint.entryCount)
    }

    /// Reads the entries that the previous connection left unprojected, on the first call only. Call it before the transaction
    /// of a batch.
    mutating func prepare(in db: Database) throws { try projector.loadIfNeeded(from: db) }

    /// Writes the new ends of the logs, once for a batch. Projects the entries if at least `limit` of them are unprojected.
    /// Call it before COMMIT.
    mutating func finishBatch(projectingAt limit: Int, in db: Database) throws {
        for head in heads.uncommitted.values {
            try db.run(
                "UPDATE logs SET size = ?, frontier = ?, last_at = ? WHERE key = ?",
                [Int64(head.frontier.size), head.frontier.bytes, head.lastAt, head.key])
        }
        if projector.count >= limit { try projector.project(in: db) }
    }

    /// Projects the remaining entries. Call it outside a batch.
    mutating func projectAll(in db: Database) throws {
        try projector.loadIfNeeded(from: db)
        try projector.project(in: db)
    }

    mutating func commit(limit: Int) {
        heads.commit(limit: limit)
        keys.commit(limit: limit)
    }

    // MARK: Appending

    /// Marks the entry appended at this position as the intent of a new command.
    mutating func markCommand(at position: EntryKey) { projector.markCommand(at: position) }

    /// Appends the transaction's records in their order.
    mutating func append(_ prepared: PreparedTransaction, in db: Database) throws -> [AppendedRecord] {
        let records = prepared.transaction.records
        var appended: [AppendedRecord] = []
        appended.reserveCapacity(records.count)
        for (record, draft) in zip(records, prepared.drafts) {
            appended.append(try append(record, draft: draft, after: appended, in: db))
        }
        return appended
    }

    private mutating func append(
        _ record: PendingRecord, draft: RecordDraft?, after earlier: [AppendedRecord], in db: Database
    ) throws -> AppendedRecord {
        var (body, draft) = (record.body, draft)
        if let index = record.counterpart {
            guard earlier.indices.contains(index) else { throw ConstraintViolation(.parentUnknown) }
            let place = earlier[index].place
            body.details["counterpart"] = .object(["logId": .string(place.log.description), "seq": .integer(Int64(place.seq))])
        }
        var head = try head(of: body.log, in: db)
        let seq = head.frontier.size
        if seq > 0, body.at < head.lastAt {
            body.at = head.lastAt
            body.details["clock"] = .string("held")
            draft = nil
        }
        let encoded = try (draft ?? RecordDraft(fitting: body)).encoded(seq: seq) { owner in
            try key(of: owner, log: head.key, seq: seq, in: db)
        }
        let position = EntryKey(logKey: head.key, seq: seq)
        try insert(encoded, of: body, at: position, in: db)
        try LogTiles.close(head.key, at: seq, in: db)
        projector.append(IndexedEntry(body, at: position))
        head.frontier.append(leafHash: encoded.leafHash)
        head.lastAt = body.at
        heads.set(body.log, head)
        return AppendedRecord(place: RecordPosition(log: body.log, seq: seq, at: body.at), position: position)
    }

    private static let insertion: String = {
        let columns = ["position", "bytes", "leaf_hash", "sealed"] + RepeatedColumn.all.map(\.name)
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        return "INSERT INTO entries (\(columns.joined(separator: ", "))) VALUES (\(marks))"
    }()

    private func insert(_ encoded: EncodedRecord, of body: RecordBody, at position: EntryKey, in db: Database) throws {
        let sealed = encoded.personal.isEmpty ? nil : SealedValues.bytes(of: encoded.personal)
        let repeated: [(any Bindable)?] = RepeatedColumn.all.map { $0.value(body) }
        try db.run(Self.insertion, [position.rawValue, encoded.bytes, encoded.leafHash, sealed] + repeated)
    }

    // MARK: Heads and keys

    private mutating func head(of log: LogID, in db: Database) throws -> Head {
        if let head = heads[log] { return head }
        let stored = try db.firstRow("SELECT key, frontier, last_at FROM logs WHERE log_id = ?", [log.description]) {
            Head(key: try $0.value(), frontier: try $0.frontier(), lastAt: try $0.value())
        }
        if let stored {
            heads.note(log, stored)
            return stored
        }
        let empty = MerkleFrontier()
        try db.run("INSERT INTO logs (log_id, size, frontier, last_at) VALUES (?, 0, ?, 0)", [log.description, empty.bytes])
        return Head(key: db.lastInsertedRowID, frontier: empty, lastAt: Timestamp(milliseconds: 0))
    }

    /// Destroys an owner's keys in every log, and notes the erasure of a user, whose wrapping key is then removed from the
    /// person-key file. A later record of the owner creates a new key. The account of a user who exists is encrypted anew.
    mutating func forget(_ owner: PersonKeyOwner, in db: Database) throws {
        let logs = try PersonKeys.logs(of: owner, in: db)
        for log in logs {
            try PersonKeys.destroy(of: owner, log: log, in: db)
            keys.set(PersonKeyCache.Name(log: log, owner: owner), nil)
        }
        guard case .user(let user) = owner else { return }
        let sealed: [UInt8]? = try db.firstRow("SELECT sealed FROM users WHERE id = ?", [user.blob]) { try $0.value() }
        // If nothing was written about an erased person since, the present generation has encrypted nothing.
        let known = try PersonKeys.generation(of: owner, in: db)
        // After the restore of a backup, the file may have lost more generations than the database knows.
        let present = keyFile.generation(of: user, from: known)
        if logs.isEmpty, sealed == nil, known > 0, present == known { return }
        try PersonKeys.noteErasure(of: user, generations: present + 1, in: db)
        // An unreadable account stays as it is, and is reported by a check.
        guard let account = try? sealed.flatMap({ try keyFile.open($0, of: user) }) else { return }
        let again = try keyFile.seal(account, of: user, from: present + 1)
        try db.run("UPDATE users SET sealed = ? WHERE id = ?", [again, user])
    }

    /// Removes the oldest records of a log.
    mutating func truncate(_ truncation: LogTruncation, in db: Database) throws {
        guard truncation.firstSeq > 0 else { return }
        let head = try head(of: truncation.log, in: db)
        guard truncation.firstSeq <= head.frontier.size else {
            throw ConstraintViolation(.inconsistent("a truncation beyond the end of a log"))
        }
        try LogTruncator(log: head.key, until: truncation.firstSeq, in: db).run()
    }

    private mutating func key(of owner: PersonKeyOwner, log: Int64, seq: UInt64, in db: Database) throws -> PersonKey {
        let name = PersonKeyCache.Name(log: log, owner: owner)
        switch keys[name] {
        case .some(let key?): return key
        case .some(nil): break
        case nil:
            guard let key = try PersonKeys.key(of: owner, log: log, in: db, keyFile)?.key else { break }
            keys.note(name, key)
            return key
        }
        let key = PersonKey(using: &random)
        try PersonKeys.insert(key, of: owner, log: log, since: seq, in: db, keyFile)
        keys.set(name, key)
        return key
    }
}

/// A transaction with drafts of its records, which the caller of the writer creates.
struct PreparedTransaction: Sendable {
    let transaction: StoreTransaction
    /// A draft for each record, or `nil` in two cases. A record that contains the position of an earlier record is encoded by the
    /// writer, because only the writer knows this position. For a record that cannot be encoded, the writer fails.
    let drafts: [RecordDraft?]

    init(_ transaction: StoreTransaction) {
        self.transaction = transaction
        drafts = transaction.records.map { $0.counterpart == nil ? try? RecordDraft(fitting: $0.body) : nil }
    }
}

/// The `RecordPosition` of an appended record, and its position in the database.
struct AppendedRecord {
    let place: RecordPosition
    let position: EntryKey
}

/// The writer's cache of database values, which follows savepoints and transactions. Values that a store transaction sets are
/// dropped if its savepoint is rolled back, and values that a batch sets are kept only after COMMIT.
struct LayeredCache<Key: Hashable, Value> {
    private var committed: [Key: Value] = [:]
    /// The values set since the last COMMIT.
    private(set) var uncommitted: [Key: Value] = [:]

    subscript(key: Key) -> Value? { uncommitted[key] ?? committed[key] }

    mutating func set(_ key: Key, _ value: Value) { uncommitted[key] = value }

    /// Caches a value that was read and not changed.
    mutating func note(_ key: Key, _ value: Value) { committed[key] = value }

    /// Restores the uncommitted values of an earlier moment. Call it after the database was rolled back to that moment.
    mutating func undo(to earlier: [Key: Value]) { uncommitted = earlier }

    /// Keeps the values set since the last COMMIT. Call it after COMMIT. If the cache would exceed `limit` entries, empties it;
    /// values are then read again.
    mutating func commit(limit: Int) {
        committed.merge(uncommitted) { $1 }
        uncommitted = [:]
        if committed.count > limit { committed.removeAll() }
    }
}

/// Removes the oldest records of a log with everything that is derived from them, except the nodes of the log's tree.
///
/// The cost is proportional to the number of removed records, so the caller removes many of them in several transactions.
struct LogTruncator {
    private let log: Int64
    private let until: UInt64
    private let db: Database

    init(log: Int64, until: UInt64, in db: Database) { (self.log, self.until, self.db) = (log, until, db) }

    func run() throws {
        guard let stored = try StoredLog.find(key: log, in: db), stored.firstSeq < until else { return }
        // A command takes its actor and place from the record of its intent.
        guard try !db.hasRow("SELECT 1 FROM commands WHERE intent >= ? AND intent < ? AND is_ended = 0 LIMIT 1", range) else {
            throw ConstraintViolation(.inconsistent("a truncation of the intent of an open command"))
        }
        let removed = stored.firstSeq..<until
        let entries = try stored.entries(removed, in: db)
        guard entries.count == removed.count else {
            throw ConstraintViolation(.inconsistent("a truncation of a log that lacks records"))
        }
        try LogTiles.keepLeaves(log, removed, in: db)
        try removeProjections(of: entries.filter { $0.position.seq < stored.projected })
        for (table, column) in [("commands", "intent"), ("entries", "position"), ("time_marks", "position")] {
            try db.run("DELETE FROM \(table) WHERE \(column) >= ? AND \(column) < ?", range)
        }
        try db.run("UPDATE logs SET first_seq = ? WHERE key = ?", [Int64(until), log])
        try removeKeysOfDays(from: entries.first?.at)
    }

    /// The first position of the log, and the first one that is kept.
    private var range: [(any Bindable)?] {
        [EntryKey(logKey: log, seq: 0).rawValue, EntryKey(logKey: log, seq: until).rawValue]
    }

    /// Removes the blocks of posting lists that contain only removed records, and subtracts the removed commands from the counts. Lists
    /// skip the removed records of other blocks.
    private func removeProjections(of entries: [IndexedEntry]) throws {
        var counts: [CommandCounts.Key: Int] = [:]
        for entry in entries { if let key = CommandCounts.Key(entry) { counts[key, default: 0] -= 1 } }
        try CommandCounts.subtract(counts, in: db)
        for list in Set(entries.flatMap(\.lists)) {
            try db.run(
                "DELETE FROM postings WHERE facet = ? AND value = ? AND log = ? AND first < ? AND last < ?",
                [list.facet, list.value, log, Int64(until), Int64(until)])
        }
    }

    /// Destroys the keys of the days of which no record is left in the log.
    ///
    /// - Parameter first: the time of the first removed record.
    private func removeKeysOfDays(from first: Timestamp?) throws {
        guard let first else { return }
        let kept = try db.firstRow(
            "SELECT at FROM entries WHERE position >= ? AND position < ? ORDER BY position LIMIT 1",
            [EntryKey(logKey: log, seq: until).rawValue, EntryKey(logKey: log + 1, seq: 0).rawValue]
        ) { Timestamp(milliseconds: $0.integer(0)) }
        // Later records of the log are not earlier than the last one.
        guard let kept, case .day(let day) = PersonKeyOwner.day(of: kept), PersonKeyOwner.day(of: first) != .day(day) else {
            return
        }
        try db.run("DELETE FROM person_keys WHERE log = ? AND length(owner) = 10 AND owner < ?", [log, Data(day.utf8)])
    }
}
