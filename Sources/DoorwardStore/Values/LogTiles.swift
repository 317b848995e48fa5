internal import DoorwardAudit
internal import DoorwardDomain
internal import DoorwardKernel
import GRDB

/// Stores the nodes of a log's Merkle tree in tiles. A tile is one row with the hashes of 256 adjacent nodes. There are tiles
/// for every eighth level of the tree, beginning with the leaves.
///
/// A tile of leaf hashes is written once, when it is full. Until then, the hashes are stored only with their records. The root
/// of a full tile is stored as one hash in the tile of the next higher level, which is rewritten with each new hash. If records
/// of the last tile of leaf hashes were removed, the tile's row contains at least the hashes from the tile's beginning up to
/// the first record that was not removed.
struct LogTiles {
    /// The level and number of a row in `tiles`.
    struct Place: Hashable {
        let level: Int
        let number: UInt64
    }

    /// The number of hashes in a full tile.
    static let width: UInt64 = 256
    /// The number of tree levels between two levels of tiles.
    static let levelsPerTile = 8
    private static let hashBytes = MerkleTree.hashByteCount

    private let log: Int64
    private let db: Database
    private var tiles: [Place: [UInt8]] = [:]
    /// The number of tiles and records read so far.
    private(set) var rowsRead = 0

    init(log: Int64, in db: Database) { (self.log, self.db) = (log, db) }

    // MARK: Reading

    /// Returns the root of the complete subtree over the 2^`level` leaves from leaf `index` · 2^`level` on; `nil` if the
    /// subtree is incomplete or the store does not have its hashes.
    ///
    /// - Parameter size: the number of records in the log. A subtree that is incomplete at this size has no node.
    mutating func node(level: Int, index: UInt64, size: UInt64) throws -> [UInt8]? {
        guard (0..<64).contains(level), index < size >> UInt64(level) else { return nil }
        let (tileLevel, span) = (level / Self.levelsPerTile, UInt64(1) << UInt64(level % Self.levelsPerTile))
        guard let hashes = try nodes(tileLevel, index * span..<(index + 1) * span) else { return nil }
        return MerkleTree.root(ofLeafHashes: Self.split(hashes))
    }

    /// Returns the roots of several subtrees of a log, as of `node`; `nil` if one of them is absent.
    static func hashes(of nodes: [MerkleNode], in id: LogID, _ db: Database) throws -> [[UInt8]]? {
        guard let log = try StoredLog.find(id, in: db) else { return nodes.isEmpty ? [] : nil }
        var (tiles, hashes) = (LogTiles(log: log.key, in: db), [[UInt8]]())
        for node in nodes {
            guard let hash = try tiles.node(level: node.level, index: node.index, size: log.size) else { return nil }
            hashes.append(hash)
        }
        return hashes
    }

    /// Returns the hashes of adjacent nodes of one tile, in sequence.
    private mutating func nodes(_ level: Int, _ range: Range<UInt64>) throws -> [UInt8]? {
        let place = Place(level: level, number: range.lowerBound / Self.width)
        let first = place.number * Self.width
        let tile = try tile(at: place)
        let known = first + UInt64(tile.count / Self.hashBytes)
        let (low, high) = (Int(range.lowerBound - first) * Self.hashBytes, Int(range.upperBound - first) * Self.hashBytes)
        if range.upperBound <= known { return Array(tile[low..<high]) }
        guard level == 0 else { return nil }
        let stored = range.lowerBound < known ? Array(tile[low..<Int(known - first) * Self.hashBytes]) : []
        let rest = max(known, range.lowerBound)..<range.upperBound
        guard let leaves = try leaves(rest) else { return nil }
        return stored + leaves
    }

    /// Returns an empty array if there is no such row.
    private mutating func tile(at place: Place) throws -> [UInt8] {
        if let known = tiles[place] { return known }
        let hashes = try Self.stored(log, place, in: db) ?? []
        rowsRead += hashes.isEmpty ? 0 : 1
        tiles[place] = hashes
        return hashes
    }

    /// Returns the leaf hashes of the records; `nil` if one of them is missing.
    private mutating func leaves(_ seqs: Range<UInt64>) throws -> [UInt8]? {
        let hashes = try Self.leaves(log, seqs, in: db)
        rowsRead += hashes.count / Self.hashBytes
        return hashes.count == seqs.count * Self.hashBytes ? hashes : nil
    }

    static func split(_ hashes: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: hashes.count, by: hashBytes).map { Array(hashes[$0..<$0 + hashBytes]) }
    }

    /// Returns `nil` if there is no such row.
    static func stored(_ log: Int64, _ place: Place, in db: Database) throws -> [UInt8]? {
        try db.firstRow(
            "SELECT hashes FROM tiles WHERE log = ? AND level = ? AND number = ?", [log, place.level, Int64(place.number)]
        ) { $0.bytes(0) }
    }

    private static func leaves(_ log: Int64, _ seqs: Range<UInt64>, in db: Database) throws -> [UInt8] {
        var hashes: [UInt8] = []
        hashes.reserveCapacity(seqs.count * hashBytes)
        try db.step(
            "SELECT leaf_hash FROM entries WHERE position >= ? AND position < ? ORDER BY position",
            [EntryKey(logKey: log, seq: seqs.lowerBound).rawValue, EntryKey(logKey: log, seq: seqs.upperBound).rawValue]
        ) { hashes += $0.bytes(0) }
        return hashes
    }

    // MARK: Writing

    /// If the record at `seq` completes a tile, writes the tile and adds its root to the tile
    /// above. Call it after appending a record.
    ///
    /// If a hash is missing because the file is damaged, the tile is not written, and the append still succeeds. A check of the
    /// file reports the damage.
    static func close(_ log: Int64, at seq: UInt64, in db: Database) throws {
        guard seq % width == width - 1 else { return }
        let place = Place(level: 0, number: seq / width)
        var hashes = try stored(log, place, in: db) ?? []
        hashes += try leaves(log, seq + 1 - width + UInt64(hashes.count / hashBytes)..<seq + 1, in: db)
        guard hashes.count == Int(width) * hashBytes else { return }
        try write(log, place, hashes, in: db)
        try append(MerkleTree.root(ofLeafHashes: split(hashes)), log, level: 1, index: place.number, in: db)
    }

    /// Writes the leaf hashes of records that are about to be removed into their tiles, as far as they are not there yet.
    ///
    /// - Throws: `ConstraintViolation` if a hash is missing because the file is damaged: removing the records would make this
    ///   permanent.
    static func keepLeaves(_ log: Int64, _ removed: Range<UInt64>, in db: Database) throws {
        for number in removed.lowerBound / width...(removed.upperBound - 1) / width {
            let (place, first) = (Place(level: 0, number: number), number * width)
            let end = min(first + width, removed.upperBound)
            var hashes = try stored(log, place, in: db) ?? []
            let known = first + UInt64(hashes.count / hashBytes)
            guard known < end else { continue }
            hashes += try leaves(log, known..<end, in: db)
            guard hashes.count == Int(end - first) * hashBytes else {
                throw ConstraintViolation(.inconsistent("a truncation of a log whose tree lacks hashes"))
            }
            try write(log, place, hashes, in: db)
        }
    }

    private static func append(_ node: [UInt8], _ log: Int64, level: Int, index: UInt64, in db: Database) throws {
        let place = Place(level: level, number: index / width)
        var hashes = try stored(log, place, in: db) ?? []
        guard hashes.count == Int(index % width) * hashBytes else { return }
        hashes += node
        try write(log, place, hashes, in: db)
        guard index % width == width - 1 else { return }
        try append(MerkleTree.root(ofLeafHashes: split(hashes)), log, level: level + 1, index: place.number, in: db)
    }

    private static func write(_ log: Int64, _ place: Place, _ hashes: [UInt8], in db: Database) throws {
        try db.run(
            "INSERT OR REPLACE INTO tiles (log, level, number, hashes) VALUES (?, ?, ?, ?)",
            [log, place.level, Int64(place.number), hashes])
    }
}
