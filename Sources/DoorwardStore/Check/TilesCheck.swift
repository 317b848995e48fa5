internal import DoorwardAudit
internal import DoorwardDomain
import GRDB

/// Compares the tiles of one log with its leaf hashes, with one tile of each level in memory.
struct TilesCheck {
    private let log: Int64
    private let id: LogID
    private let firstSeq: UInt64
    private let db: Database
    /// The last tile of each level, as computed from the leaf hashes.
    private var levels: [(number: UInt64, hashes: [UInt8])] = []
    /// The number of rows expected so far.
    private var expected = 0
    private static let tileBytes = Int(LogTiles.width) * MerkleTree.hashByteCount

    init(log: Int64, id: LogID, firstSeq: UInt64, db: Database) {
        (self.log, self.id, self.firstSeq, self.db) = (log, id, firstSeq, db)
    }

    /// Passes each leaf hash of the removed records to `receive`. Only the tiles still contain these hashes.
    mutating func removedLeaves(_ receive: ([UInt8]) -> Void) throws {
        for number in 0..<(firstSeq + LogTiles.width - 1) / LogTiles.width {
            let count = Int(min(LogTiles.width, firstSeq - number * LogTiles.width))
            let tile = try LogTiles.stored(log, LogTiles.Place(level: 0, number: number), in: db) ?? []
            let leaves = LogTiles.split(Array(tile.prefix(tile.count / MerkleTree.hashByteCount * MerkleTree.hashByteCount)))
            guard leaves.count >= count else { throw fault }
            for leaf in leaves.prefix(count) {
                receive(leaf)
                try see(leaf)
            }
        }
    }

    /// Adds the next leaf hash of the log.
    mutating func see(_ leaf: [UInt8]) throws { try append(leaf, level: 0) }

    private mutating func append(_ hash: [UInt8], level: Int) throws {
        if level == levels.count { levels.append((0, [])) }
        levels[level].hashes += hash
        guard levels[level].hashes.count == Self.tileBytes else { return }
        let (number, hashes) = levels[level]
        guard try stored(level, number) == hashes else { throw fault }
        expected += 1
        levels[level] = (number + 1, [])
        try append(MerkleTree.root(ofLeafHashes: LogTiles.split(hashes)), level: level + 1)
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
                let removed = firstSeq > tile.number * LogTiles.width ? Int(firstSeq - tile.number * LogTiles.width) : 0
                guard level == 0, removed > 0, found.count >= removed * MerkleTree.hashByteCount,
                    tile.hashes.starts(with: found)
                else { throw fault }
                expected += 1
            }
        }
        let rows = try db.firstRow("SELECT count(*) FROM tiles WHERE log = ?", [log]) { try $0.value(Int.self) } ?? 0
        guard rows == expected else { throw fault }
    }

    private func stored(_ level: Int, _ number: UInt64) throws -> [UInt8]? {
        try LogTiles.stored(log, LogTiles.Place(level: level, number: number), in: db)
    }

    private var fault: StoreFault { StoreFault(log: id, .tiles) }
}
