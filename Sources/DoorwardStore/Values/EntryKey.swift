/// The position of an entry in the table that contains all logs: the log's key times 2^40, plus the entry's `seq` in the log.
///
/// A position can represent 2^23 logs with 2^40 records each.
struct EntryKey: Hashable, Comparable {
    let rawValue: Int64

    private static let seqBits: Int64 = 40

    init(rawValue: Int64) { self.rawValue = rawValue }

    init(logKey: Int64, seq: UInt64) { rawValue = logKey << Self.seqBits | Int64(seq) }

    var logKey: Int64 { rawValue >> Self.seqBits }

    var seq: UInt64 { UInt64(rawValue & ((1 << Self.seqBits) - 1)) }

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
