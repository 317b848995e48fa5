internal import DoorwardDomain
import GRDB

/// Reads the positions of a posting list in one log, in the log's order or its reverse. Unprojected positions are read from
/// memory, the others block by block.
struct PostingReading {
    private let list: PostingList
    private let log: Int64
    private let isAscending: Bool
    /// Unprojected positions, ascending. All of them are after the positions in the blocks.
    private let unprojected: [Int64]
    /// The remaining positions of the last block read, in reading order.
    private var block: ArraySlice<Int64> = []

    init(_ list: PostingList, log: Int64, unprojected: [Int64], isAscending: Bool) {
        (self.list, self.log, self.unprojected, self.isAscending) = (list, log, unprojected, isAscending)
    }

    /// Returns the next positions in `range`: `count` of them, or fewer at the end of the range. The range of each call begins
    /// where the positions of the previous call ended. After a `rewind`, the range may begin earlier.
    mutating func next(_ count: Int, within range: Range<Int64>, in db: Database) throws -> [Int64] {
        let recent = unprojected.filter(range.contains)
        if !isAscending {
            let found = Array(recent.reversed().prefix(count))
            return try found + projected(count - found.count, range, in: db)
        }
        let found = try projected(count, range, in: db)
        return found + recent.prefix(count - found.count)
    }

    /// Discards the positions read ahead, so that the next call may begin before the end of the previous one.
    mutating func rewind() { block = [] }

    private mutating func projected(_ count: Int, _ range: Range<Int64>, in db: Database) throws -> [Int64] {
        var (found, rest): ([Int64], Range<Int64>) = ([], range)
        while found.count < count, !rest.isEmpty {
            block = block.drop { !rest.contains($0) }
            if block.isEmpty { block = try nextBlock(rest, in: db) }
            guard !block.isEmpty else { break }
            let taken = block.prefix(count - found.count).prefix { rest.contains($0) }
            guard let last = taken.last else { break }
            found += taken
            block = block.dropFirst(taken.count)
            rest = isAscending ? last + 1..<rest.upperBound : rest.lowerBound..<last
        }
        return found
    }

    /// Selects the start of the last block that begins at or before a `seq`. That block may contain the `seq`.
    private static let blockBefore =
        "(SELECT max(first) FROM postings WHERE facet = ? AND value = ? AND log = ? AND first <= ?)"

    /// Finds the first block, in reading order, that has positions in `range`, and returns these positions.
    private func nextBlock(_ range: Range<Int64>, in db: Database) throws -> ArraySlice<Int64> {
        let (low, high) = (EntryKey(rawValue: range.lowerBound).seq, EntryKey(rawValue: range.upperBound - 1).seq)
        let key: [(any Bindable)?] = [list.facet, list.value, log]
        let (sql, arguments): (String, [(any Bindable)?]) =
            isAscending
            ? (
                "first >= coalesce(\(Self.blockBefore), 0) AND first <= ? AND last >= ? ORDER BY first LIMIT 1",
                key + [Int64(low), Int64(high), Int64(low)]
            )
            : ("first <= ? ORDER BY first DESC LIMIT 1", [Int64(high)])
        var positions: [Int64] = []
        try db.step(
            "SELECT first, last, count, deltas FROM postings WHERE facet = ? AND value = ? AND log = ? AND \(sql)",
            key + arguments
        ) { row in
            let seqs = PostingBlock.seqs(first: row.integer(0), last: row.integer(1), count: row.integer(2), deltas: row.bytes(3))
            guard let seqs else { throw UnreadableColumn(column: "deltas") }
            positions = seqs.map { EntryKey(logKey: log, seq: $0).rawValue }.filter(range.contains)
        }
        return isAscending ? positions[...] : positions.reversed()[...]
    }
}
