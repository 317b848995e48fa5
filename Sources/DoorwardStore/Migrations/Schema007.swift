internal import DoorwardAudit
import GRDB

/// The seventh schema. For decision 0037 it adds counters of the uses of guest accesses, epochs and leases for preconditions, and
/// the gateway that executes a command. For decision 0038 it adds tiles of a log's leaf hashes, and the first `seq` of a log.
enum Schema007 {
    @Sendable static func apply(_ db: Database) throws {
        try db.execute(sql: counters)
        try db.execute(sql: logs)
        try fillTiles(db)
    }

    private static let counters = """
        CREATE TABLE guest_uses (
            guest_access_id BLOB PRIMARY KEY REFERENCES guest_accesses, taken INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE epochs (
            kind TEXT NOT NULL, owner_id BLOB NOT NULL, -- a portfolio or a user
            epoch INTEGER NOT NULL, PRIMARY KEY (kind, owner_id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE log_leases (
            log_id TEXT PRIMARY KEY, -- as in `logs`, which may not have it yet
            holder INTEGER NOT NULL, epoch INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE commands ADD COLUMN owner INTEGER NOT NULL DEFAULT 0; -- the number of the gateway that executes it
        """

    private static let logs = """
        ALTER TABLE person_keys ADD COLUMN since INTEGER NOT NULL DEFAULT 0; -- the `seq` of the first record that it is for
        ALTER TABLE logs ADD COLUMN first_seq INTEGER NOT NULL DEFAULT 0; -- records before it were removed
        CREATE TABLE tiles (
            log INTEGER NOT NULL, level INTEGER NOT NULL, -- of tiles: a hash in it is a tree node of level 8 * level
            number INTEGER NOT NULL, -- from 0; 256 nodes each
            hashes BLOB NOT NULL, PRIMARY KEY (log, level, number)
        ) STRICT, WITHOUT ROWID;
        """

    /// Fills the tiles from the stored leaf hashes, with one tile of each level in memory. In each log, filling stops at a gap or
    /// a malformed leaf hash: a check of the file reports that record, and the migration must not fail because of it.
    private static func fillTiles(_ db: Database) throws {
        let keys = try Int64.fetchAll(db, sql: "SELECT key FROM logs")
        for key in keys {
            var tiles = OpenTiles(log: key)
            let rows = try Row.fetchCursor(
                db, sql: "SELECT position, leaf_hash FROM entries WHERE position >= ? AND position < ? ORDER BY position",
                arguments: [EntryKey(logKey: key, seq: 0).rawValue, EntryKey(logKey: key + 1, seq: 0).rawValue])
            var seq: UInt64 = 0
            while let row = try rows.next() {
                var columns = ColumnReader(row)
                let (position, leaf): (Int64, [UInt8]) = (try columns.value(), try columns.bytes())
                guard EntryKey(rawValue: position).seq == seq, leaf.count == MerkleTree.hashByteCount else { break }
                try tiles.append(leaf, level: 0, in: db)
                seq += 1
            }
            try tiles.writeOpen(in: db)
        }
    }

    /// The last, incomplete tile of each level.
    private struct OpenTiles {
        let log: Int64
        private var levels: [(number: Int64, hashes: [UInt8])] = []

        init(log: Int64) { self.log = log }

        mutating func append(_ hash: [UInt8], level: Int, in db: Database) throws {
            if level == levels.count { levels.append((0, [])) }
            levels[level].hashes += hash
            guard levels[level].hashes.count == 256 * MerkleTree.hashByteCount else { return }
            let (number, hashes) = levels[level]
            try insert(level, number, hashes, in: db)
            levels[level] = (number + 1, [])
            let nodes = stride(from: 0, to: hashes.count, by: 32).map { Array(hashes[$0..<$0 + 32]) }
            try append(MerkleTree.root(ofLeafHashes: nodes), level: level + 1, in: db)
        }

        /// Writes the incomplete tiles of all levels above the leaves. A tile of leaf hashes is stored only when it is full.
        func writeOpen(in db: Database) throws {
            for (level, tile) in levels.enumerated().dropFirst() where !tile.hashes.isEmpty {
                try insert(level, tile.number, tile.hashes, in: db)
            }
        }

        private func insert(_ level: Int, _ number: Int64, _ hashes: [UInt8], in db: Database) throws {
            try db.run("INSERT INTO tiles (log, level, number, hashes) VALUES (?, ?, ?, ?)", [log, level, number, hashes])
        }
    }
}
