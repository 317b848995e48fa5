internal import DoorwardDomain
import GRDB

/// Compares the posting lists and the time marks with the records that they are derived from. Memory is constant: the postings
/// derived from the records and those in the table are each reduced to a sum of hashes, and the sums are compared.
struct ProjectionCheck {
    /// An order-independent sum. Its two 64-bit hashes detect damage, not forgery.
    private struct Sum: Equatable {
        var (first, second): (UInt64, UInt64) = (0, 0)

        mutating func add(facet: Int64, value: [UInt8], position: Int64) {
            // FNV-1a (with the 64-bit offset basis and prime), then the finalizer of SplitMix64.
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
            for byte in value { mix(byte) }
            for shift in stride(from: 0, to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: position >> shift)) }
            mix(UInt8(truncatingIfNeeded: facet))
            first &+= Self.finalized(hash)
            second &+= Self.finalized(hash ^ 0x9E37_79B9_7F4A_7C15)
        }

        private static func finalized(_ value: UInt64) -> UInt64 {
            var value = value
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    private var expected = Sum()
    private var marks = 0

    /// Adds a projected entry.
    mutating func see(_ entry: IndexedEntry, in db: Database) throws {
        for list in entry.lists { expected.add(facet: list.facet, value: list.value, position: entry.position.rawValue) }
        guard entry.position.seq.isMultiple(of: Projector.entriesPerMark) else { return }
        var at: Int64?
        try db.step("SELECT at FROM time_marks WHERE position = ?", [entry.position.rawValue]) { at = $0.integer(0) }
        guard at == entry.at.milliseconds else { throw StoreFault(.projection("time_marks")) }
        marks += 1
    }

    /// Compares the sums with the tables. Call it after the last record of the last log.
    ///
    /// - Parameter logs: the key of each log, and the range of its projected records. Postings of removed records are ignored,
    ///   as lists ignore them too.
    func finish(_ logs: [(key: Int64, projected: Range<UInt64>)], in db: Database) throws {
        let projected = Dictionary(uniqueKeysWithValues: logs.map { ($0.key, $0.projected) })
        var found = Sum()
        try db.step("SELECT facet, value, log, first, last, count, deltas FROM postings", []) { row in
            let log = row.integer(2)
            let seqs = PostingBlock.seqs(first: row.integer(3), last: row.integer(4), count: row.integer(5), deltas: row.bytes(6))
            guard let seqs, let last = seqs.last, let range = projected[log], last < range.upperBound else {
                throw StoreFault(.projection("postings"))
            }
            for seq in seqs where seq >= range.lowerBound {
                found.add(facet: row.integer(0), value: row.bytes(1), position: EntryKey(logKey: log, seq: seq).rawValue)
            }
        }
        guard found == expected else { throw StoreFault(.projection("postings")) }
        var stored = try db.firstRow("SELECT count(*) FROM time_marks") { try $0.value(Int.self) } ?? 0
        for (log, range) in logs where range.lowerBound > 0 {
            let removed: [(any Bindable)?] = [
                EntryKey(logKey: log, seq: 0).rawValue, EntryKey(logKey: log, seq: range.lowerBound).rawValue,
            ]
            try db.step("SELECT count(*) FROM time_marks WHERE position >= ? AND position < ?", removed) {
                stored -= Int($0.integer(0))
            }
        }
        guard stored == marks else { throw StoreFault(.projection("time_marks")) }
    }
}
