import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import GRDB
import Testing

@testable import DoorwardStore

/// The nodes of a log's Merkle tree are read from tiles and records. The tests compare them with
/// the definition of the tree, and count the rows that are read for them.
@Suite struct LogTilesTests {
    @Test("At every size from 0 to 600 the nodes equal those computed from the leaves")
    func everySize() throws {
        let queue = try TileTable.make()
        try queue.writeWithoutTransaction { db in
            let table = TileTable(db)
            for size in 0...600 {
                if size > 0 { try table.append(TileTable.leaf(size - 1), at: size - 1) }
                let isWhole = [255, 256, 257, 511, 512, 513, 600].contains(size)
                for level in 0..<12 {
                    let nodes = size >> level
                    // The last nodes, and nodes that do not exist.
                    let indexes = isWhole ? Array(0...nodes + 1) : [0, nodes - 2, nodes - 1, nodes, nodes + 1]
                    for index in indexes where index >= 0 {
                        let found = try table.node(level, index, size: size)
                        let expected = index < nodes ? TileTable.node(level, index) : nil
                        #expect(found == expected, "node \(index) of level \(level) at size \(size)")
                    }
                }
            }
        }
    }

    @Test("For every 256 leaves one tile of leaves and one row of the level above are written", arguments: [255, 256, 512, 1024])
    func writes(count: Int) throws {
        let queue = try TileTable.make()
        try queue.writeWithoutTransaction { db in
            let table = TileTable(db)
            let before = db.totalChangesCount
            for seq in 0..<count { try table.append(TileTable.leaf(seq), at: seq) }
            // Each full tile changes two rows: its own row and the row above it.
            #expect(db.totalChangesCount - before - count == count / 256 * 2)
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM tiles WHERE level = 0") == count / 256)
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM tiles WHERE level = 1") == (count < 256 ? 0 : 1))
        }
    }

    @Test("Level 2 is started when the first tile of level 1 is full")
    func secondLevel() throws {
        let queue = try TileTable.make()
        try queue.writeWithoutTransaction { db in
            // 255 tiles of leaves are full, and the 256th becomes full here. All have the same leaves.
            let table = TileTable(db)
            let leaves = (0..<256).map(TileTable.leaf)
            let root = MerkleTree.root(ofLeafHashes: leaves)
            try table.write(level: 1, 0, Array(repeating: root, count: 255))
            for seq in 0..<256 { try table.insert(leaves[seq], at: 255 * 256 + seq) }
            try LogTiles.close(1, at: 65_535, in: db)
            let above = MerkleTree.root(ofLeafHashes: Array(repeating: root, count: 256))
            #expect(try table.node(16, 0, size: 65_536) == above)
            #expect(try table.node(8, 255, size: 65_536) == root)
            #expect(try Int.fetchOne(db, sql: "SELECT length(hashes) FROM tiles WHERE level = 2") == 32)
        }
    }

    @Test(
        "A proof in a log of 10,000,000 records reads at most five tiles and the records after the last full tile",
        arguments: [0, 1, 255, 256, 65_535, 65_536, 4_999_999, 9_999_871, 9_999_872, 9_999_999])
    func proof(leaf: Int) throws {
        let size = 10_000_000
        let nodes = Self.proofNodes(of: leaf, in: size)
        let queue = try TileTable.make()
        try queue.writeWithoutTransaction { db in
            let table = TileTable(db)
            try table.fill(for: nodes, size: size)
            var tiles = LogTiles(log: 1, in: db)
            for (level, index) in nodes {
                let found = try tiles.node(level: level, index: UInt64(index), size: UInt64(size))
                #expect(found == table.expected(level, index), "node \(index) of level \(level)")
            }
            let records = size % 256
            // At most five tiles are read: in each of the three levels the tile on the leaf's path,
            // and in each of the two levels above the leaves also the last tile.
            #expect(tiles.rowsRead <= 5 + records, "\(tiles.rowsRead)")
            var whole = LogTiles(log: 1, in: db)
            for (level, index) in nodes where (index + 1) << level <= size - records {
                _ = try whole.node(level: level, index: UInt64(index), size: UInt64(size))
            }
            #expect(whole.rowsRead <= 5, "\(whole.rowsRead) rows for nodes in tiles")
        }
    }

    @Test(
        "The nodes of a proof, together with the leaf, cover all leaves of the tree", arguments: [1, 2, 3, 7, 255, 256, 257, 600])
    func proofNodes(size: Int) {
        let leaves = (0..<size).map(TileTable.leaf)
        for leaf in [0, size / 3, size - 1] {
            // Each node of the path covers some of the other leaves; together with the leaf they cover all of them.
            var seen = IndexSet(integer: leaf)
            for (level, index) in Self.proofNodes(of: leaf, in: size) {
                seen.insert(integersIn: index << level..<(index + 1) << level)
            }
            #expect(seen.count == leaves.count)
        }
    }

    /// Returns the complete subtrees of which the audit path of a leaf consists (RFC 6962, section 2.1.1).
    private static func proofNodes(of leaf: Int, in size: Int) -> [(level: Int, index: Int)] {
        func parts(_ range: Range<Int>) -> [(level: Int, index: Int)] {
            guard !range.isEmpty else { return [] }
            let level = Int.bitWidth - 1 - range.count.leadingZeroBitCount
            return [(level, range.lowerBound >> level)] + parts(range.lowerBound + 1 << level..<range.upperBound)
        }
        func path(_ range: Range<Int>) -> [(level: Int, index: Int)] {
            guard range.count > 1 else { return [] }
            let split = range.lowerBound + 1 << (Int.bitWidth - 1 - (range.count - 1).leadingZeroBitCount)
            let (left, right) = (range.lowerBound..<split, split..<range.upperBound)
            return leaf < split ? path(left) + parts(right) : path(right) + parts(left)
        }
        return path(0..<size)
    }

    // MARK: Damage

    @Test("A tile with a missing leaf is not written, and later records can still be appended")
    func missingLeaf() throws {
        let queue = try TileTable.make()
        try queue.writeWithoutTransaction { db in
            let table = TileTable(db)
            for seq in 0..<600 where seq != 300 { try table.append(TileTable.leaf(seq), at: seq) }
            #expect(try String.fetchAll(db, sql: "SELECT level || ':' || number FROM tiles ORDER BY 1") == ["0:0", "1:0"])
            #expect(try table.node(0, 300, size: 600) == nil)
            #expect(try table.node(2, 75, size: 600) == nil)
            #expect(try table.node(8, 1, size: 600) == nil)
            #expect(try table.node(0, 301, size: 600) == TileTable.leaf(301))
            #expect(try table.node(8, 0, size: 600) == TileTable.node(8, 0))
        }
    }

    @Test("Leaf hashes missing in a truncated tile are read from the records; nodes of higher levels are not found")
    func damagedTile() throws {
        let queue = try TileTable.make()
        try queue.writeWithoutTransaction { db in
            let table = TileTable(db)
            for seq in 0..<512 { try table.append(TileTable.leaf(seq), at: seq) }
            for hashes in ["substr(hashes, 1, 320)", "substr(hashes, 1, 321)", "x''"] {
                try db.execute(sql: "UPDATE tiles SET hashes = \(hashes) WHERE level = 0 AND number = 1")
                #expect(try table.node(0, 256, size: 512) == TileTable.leaf(256))
                #expect(try table.node(0, 511, size: 512) == TileTable.leaf(511))
                #expect(try table.node(7, 2, size: 512) == TileTable.node(7, 2), "partly from the tile, partly from records")
            }
            try db.execute(sql: "UPDATE tiles SET hashes = substr(hashes, 1, 32) WHERE level = 1")
            #expect(try table.node(8, 0, size: 512) == TileTable.node(8, 0))
            #expect(try table.node(8, 1, size: 512) == nil)
            #expect(try table.node(9, 0, size: 512) == nil)
        }
    }

    // MARK: Store and check

    @Test("The tiles of a log match its records, whatever the sizes of the transactions are and whichever are refused")
    func anySizes() async throws {
        let database = try TemporaryDatabase()
        var store = try database.open()
        var script = StoreScript(seed: 81)
        _ = try await store.commit(script.tenancy)
        for count in [200, 55, 1, 1, 300, 211, 1, 40] {
            let records = (0..<count).map { _ in PendingRecord(script.event(on: script.door)) }
            _ = try await store.commit(StoreTransaction(records: records))
            let refused = StoreTransaction(requires: [.usesLeft(of: script.fixture.id(), max: 0)], records: records)
            _ = try? await store.commit(refused)
            _ = try? await store.commit(StoreTransaction(records: records))
            _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.gatewayEvent())]))
            if count == 300 {
                try await store.close()
                store = try database.open()
            }
        }
        try await store.close()
        #expect(try database.count("SELECT count(*) FROM tiles") == 4, "three tiles of leaves and one above them")
        #expect(try StoreCheck.run(path: database.path).isWhole)
    }

    @Test(
        "The check names a log whose tiles do not match its records",
        arguments: [
            "UPDATE tiles SET hashes = zeroblob(8192) WHERE level = 0 AND number = 1", "DELETE FROM tiles WHERE number = 1",
            "UPDATE tiles SET hashes = substr(hashes, 1, 8160) WHERE level = 0 AND number = 0",
            "DELETE FROM tiles WHERE level = 1",
            "UPDATE tiles SET hashes = hashes || zeroblob(32) WHERE level = 1", "UPDATE tiles SET level = 2 WHERE level = 1",
            "INSERT INTO tiles VALUES (1, 0, 2, zeroblob(32))", "INSERT INTO tiles VALUES (1, 2, 0, zeroblob(32))",
            "UPDATE logs SET first_seq = 300; DELETE FROM entries WHERE position & 1099511627775 < 300; DELETE FROM tiles",
            "UPDATE logs SET first_seq = 560; DELETE FROM entries WHERE position & 1099511627775 < 560",
        ])
    func check(sql: String) async throws {
        let database = try await Self.filled(600)
        #expect(try StoreCheck.run(path: database.path).isWhole)
        try database.edit(sql.replacing("hashes || zeroblob(32)", with: "CAST(hashes || zeroblob(32) AS BLOB)"))
        let fault = try StoreCheck.run(path: database.path).fault
        #expect(fault?.problem.code == "tiles")
        #expect(fault?.log == .gateway)
        #expect(fault?.description == "log gateway: the stored tiles of its Merkle tree do not match its records.")
    }

    /// Returns a closed database whose gateway's log has `count` records.
    private static func filled(_ count: Int) async throws -> TemporaryDatabase {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 82)
        _ = try await store.commit(StoreTransaction(records: (0..<count).map { _ in PendingRecord(script.gatewayEvent()) }))
        try await store.close()
        return database
    }
}

/// The tables of one log, with leaf hashes made by the test instead of records.
private struct TileTable {
    private let db: Database

    init(_ db: Database) { self.db = db }

    static func make() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try Schema.current.migrate(queue)
        return queue
    }

    static func leaf(_ number: Int) -> [UInt8] { MerkleTree.leafHash(Array("\(number)".utf8)) }

    /// Computes the node by the definition of the tree.
    static func node(_ level: Int, _ index: Int) -> [UInt8] {
        MerkleTree.root(ofLeafHashes: (index << level..<(index + 1) << level).map(leaf))
    }

    func append(_ leaf: [UInt8], at seq: Int) throws {
        try insert(leaf, at: seq)
        try LogTiles.close(1, at: UInt64(seq), in: db)
    }

    func insert(_ leaf: [UInt8], at seq: Int) throws {
        let id = RecordID(high: 1, low: UInt64(seq))
        try db.run(
            "INSERT INTO entries (position, at, record_id, bytes, leaf_hash) VALUES (?, 0, ?, x'', ?)",
            [EntryKey(logKey: 1, seq: UInt64(seq)).rawValue, id, leaf])
    }

    func write(level: Int, _ number: Int, _ hashes: [[UInt8]]) throws {
        try db.run(
            "INSERT OR REPLACE INTO tiles (log, level, number, hashes) VALUES (1, ?, ?, ?)",
            [level, number, Array(hashes.joined())])
    }

    func node(_ level: Int, _ index: Int, size: Int) throws -> [UInt8]? {
        var tiles = LogTiles(log: 1, in: db)
        return try tiles.node(level: level, index: UInt64(index), size: UInt64(size))
    }

    // MARK: A large log that contains only the data to read

    /// Returns a hash that represents a node of a level of tiles.
    private static func made(_ tileLevel: Int, _ index: Int) -> [UInt8] {
        MerkleTree.leafHash(Array("\(tileLevel) \(index)".utf8))
    }

    /// Writes the tiles that contain these nodes, and the last records.
    func fill(for nodes: [(level: Int, index: Int)], size: Int) throws {
        for (level, index) in nodes {
            let tileLevel = level / 8
            let number = (index << (level % 8)) / 256
            let end = min((number + 1) * 256, size >> (8 * tileLevel))
            if tileLevel == 0, end < (number + 1) * 256 { continue }
            try write(level: tileLevel, number, (number * 256..<end).map { Self.made(tileLevel, $0) })
        }
        for seq in size / 256 * 256..<size { try insert(Self.made(0, seq), at: seq) }
    }

    func expected(_ level: Int, _ index: Int) -> [UInt8] {
        let span = 1 << (level % 8)
        return MerkleTree.root(ofLeafHashes: (index * span..<(index + 1) * span).map { Self.made(level / 8, $0) })
    }
}
