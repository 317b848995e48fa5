internal import DoorwardAudit
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// Compares the entries of one log with their record bytes, from the first record that was not removed.
struct EntriesCheck {
    private let log: StoredLog
    private let db: Database
    private var chain: LogCheck
    private var tiles: TilesCheck
    private var lastAt: Timestamp?
    private var keys = PersonKeyCache()
    /// `nil` if there is no person-key file.
    private let keyFile: PersonKeyFile?

    /// - Parameter keys: `nil` if there is no person-key file.
    init(_ log: StoredLog, db: Database, keys: PersonKeyFile?) throws {
        (self.log, self.db, keyFile) = (log, db, keys)
        var removed = MerkleFrontier()
        tiles = TilesCheck(log, db: db)
        try tiles.removedLeaves { removed.append(leafHash: $0) }
        chain = LogCheck(log: log.id, after: removed)
    }

    /// The number of records so far, which is the `seq` of the next record.
    var seq: UInt64 { chain.frontier.size }

    /// The statement that reads all entries of the log, in order.
    var statement: (sql: String, arguments: [(any Bindable)?]) {
        let columns = (["position", "bytes", "leaf_hash", "sealed"] + RepeatedColumn.all.map(\.name)).joined(separator: ", ")
        return (
            "SELECT \(columns) FROM entries WHERE position >= ? AND position < ? ORDER BY position",
            [EntryKey(logKey: log.key, seq: log.firstSeq).rawValue, EntryKey(logKey: log.key + 1, seq: 0).rawValue]
        )
    }

    /// Checks the next entry, and counts its personal values.
    ///
    /// - Throws: `LogFault`, `StoreFault`, or `UnreadableColumn`.
    mutating func check(_ columns: inout ColumnReader, _ counts: inout StoreCheckCounts) throws -> RecordBody {
        let (log, seq) = (chain.log, seq)
        let position = EntryKey(rawValue: try columns.value())
        guard position.seq == seq else { throw StoreFault(log: log, seq: seq, .log(.wrongSeq(position.seq))) }
        let (bytes, leafHash): ([UInt8], [UInt8]) = (try columns.value(), try columns.value())
        let sealed: [UInt8] = try columns.optional() ?? []
        let decoded = try chain.add(bytes, leafHash: leafHash)
        try tiles.see(leafHash)
        do {
            try compare(&columns, with: decoded, sealed: sealed, &counts)
        } catch {
            // `chain` has already advanced to the next record, but the fault is in this one.
            throw StoreFault(error, log: log, seq: seq) ?? error
        }
        lastAt = decoded.record.body.at
        return decoded.record.body
    }

    /// Compares a row's columns and personal values with its record.
    private mutating func compare(
        _ columns: inout ColumnReader, with decoded: DecodedRecord, sealed: [UInt8], _ counts: inout StoreCheckCounts
    ) throws {
        let (body, log, seq) = (decoded.record.body, chain.log, decoded.record.seq)
        for column in RepeatedColumn.all where columns.stored() != column.value(body)?.databaseValue ?? .null {
            throw StoreFault(log: log, seq: seq, .column(column.name))
        }
        if let field = try wrongValue(of: decoded.commitments, at: seq, sealed: sealed, &counts) {
            throw StoreFault(log: log, seq: seq, .personalValue(field))
        }
    }

    /// Returns the field of the first personal value that does not match the record's commitments; `nil` if all match.
    private mutating func wrongValue(
        of commitments: [PersonalCommitment], at seq: UInt64, sealed: [UInt8], _ counts: inout StoreCheckCounts
    ) throws -> String? {
        guard var ciphertexts = SealedValues(sealed)?.ciphertexts else { throw UnreadableColumn(column: "sealed") }
        for commitment in commitments {
            let field = commitment.place.field
            let ciphertext = ciphertexts.removeValue(forKey: field)
            guard let keyFile else {
                counts.unverifiedValues += 1
                continue
            }
            guard let key = try keys.key(of: commitment.owner, at: EntryKey(logKey: log.key, seq: seq), in: db, keyFile) else {
                counts.erasedValues += 1
                continue
            }
            guard let ciphertext, (try? commitment.open(ciphertext[...], under: key)) != nil else { return field }
            counts.personalValues += 1
        }
        return ciphertexts.keys.min()
    }

    /// Compares the log's row with its records. Call it after the last record.
    func finish(frontier: [UInt8], size: UInt64, lastAt: Timestamp) throws {
        guard size == seq else { throw StoreFault(log: chain.log, seq: seq, .log(.wrongSize(size))) }
        try chain.finish(storedFrontier: frontier)
        try tiles.finish()
        // A log whose records were all removed has no last instant to compare with.
        if self.lastAt == nil, size > 0 { return }
        guard lastAt == self.lastAt ?? Timestamp(milliseconds: 0) else { throw StoreFault(log: chain.log, .lastInstant) }
    }
}

/// Compares the tiles of one log with its leaf hashes, with one tile of each level in memory.
struct TilesCheck {
    private let log: StoredLog
    private let db: Database
    /// The last tile of each level, as computed from the leaf hashes.
    private var levels: [(number: UInt64, hashes: [UInt8])] = []
    /// The number of rows expected so far.
    private var expected = 0
    private static let tileBytes = Int(LogTiles.width) * MerkleTree.hashByteCount

    init(_ log: StoredLog, db: Database) { (self.log, self.db) = (log, db) }

    /// Passes each leaf hash of the removed records to `receive`. Only the tiles still contain these hashes.
    mutating func removedLeaves(_ receive: ([UInt8]) -> Void) throws {
        for number in 0..<(log.firstSeq + LogTiles.width - 1) / LogTiles.width {
            let count = Int(min(LogTiles.width, log.firstSeq - number * LogTiles.width))
            let tile = try stored(0, number) ?? []
            let leaves = LogTiles.split(Array(tile.prefix(tile.count / MerkleTree.hashByteCount * MerkleTree.hashByteCount)))
            guard leaves.count >= count else { throw fault }
            for leaf in leaves.prefix(count) {
                receive(leaf)
                try see(leaf)
            }
        }
    }

    /// Adds the next hash of a level; by default the next leaf hash of the log.
    mutating func see(_ hash: [UInt8], level: Int = 0) throws {
        if level == levels.count { levels.append((0, [])) }
        levels[level].hashes += hash
        guard levels[level].hashes.count == Self.tileBytes else { return }
        let (number, hashes) = levels[level]
        guard try stored(level, number) == hashes else { throw fault }
        expected += 1
        levels[level] = (number + 1, [])
        try see(MerkleTree.root(ofLeafHashes: LogTiles.split(hashes)), level: level + 1)
    }

    /// Compares the incomplete tiles and the number of rows. Call it after the last record.
    func finish() throws {
        var expected = expected
        for (level, tile) in levels.enumerated() {
            let found = try stored(level, tile.number)
            if level > 0, !tile.hashes.isEmpty {
                guard found == tile.hashes else { throw fault }
                expected += 1
            } else if let found {
                // An incomplete tile of leaf hashes is stored only for removed records.
                let removed = Int(log.firstSeq) - Int(tile.number * LogTiles.width)
                guard level == 0, removed > 0, found.count >= removed * MerkleTree.hashByteCount,
                    tile.hashes.starts(with: found)
                else { throw fault }
                expected += 1
            }
        }
        let rows = try db.firstRow("SELECT count(*) FROM tiles WHERE log = ?", [log.key]) { try $0.value(Int.self) } ?? 0
        guard rows == expected else { throw fault }
    }

    private func stored(_ level: Int, _ number: UInt64) throws -> [UInt8]? {
        try LogTiles.stored(log.key, LogTiles.Place(level: level, number: number), in: db)
    }

    private var fault: StoreFault { StoreFault(log: log.id, .tiles) }
}
