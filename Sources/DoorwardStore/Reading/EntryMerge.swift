import GRDB

/// Merges several streams of entries in the order of (`at`, `logId`, `seq`) or its reverse.
///
/// All streams have been examined up to the last entry returned, so a page can end at any entry and the next page can continue
/// after it.
struct EntryMerge {
    private let isAscending: Bool
    /// Streams with a buffered entry, in the reverse order of their first entries: the last stream contains the next entry.
    private var streams: [EntryStream] = []
    /// The stream of the last returned entry, if its next run must be read before the next entry is returned.
    private var unread: EntryStream?

    /// Reads the first run of each stream, regardless of the budget.
    init(_ streams: [EntryStream], isAscending: Bool, in db: Database, _ budget: inout ReadBudget) throws {
        self.isAscending = isAscending
        var filled: [EntryStream] = []
        for var stream in streams where stream.hasMore {
            try stream.fill(from: db, &budget)
            if stream.first != nil { filled.append(stream) }
        }
        filled.sort { a, b in
            guard let first = a.first, let second = b.first else { return b.first != nil }
            return Self.precedes(second, first, isAscending)
        }
        self.streams = filled
    }

    /// Whether every entry has been returned.
    var isAtEnd: Bool { streams.isEmpty && unread == nil }

    /// Returns the next entry; `nil` at the end, or if the budget is spent.
    mutating func next(in db: Database, _ budget: inout ReadBudget) throws -> EntryStream.Entry? {
        while var stream = unread {
            guard !budget.isSpent else { return nil }
            try stream.fill(from: db, &budget)
            unread = stream.first == nil && stream.hasMore ? stream : nil
            insert(stream)
        }
        guard var stream = streams.popLast(), let entry = stream.first else { return nil }
        stream.skip()
        if stream.first == nil, stream.hasMore { unread = stream } else { insert(stream) }
        return entry
    }

    private mutating func insert(_ stream: EntryStream) {
        guard let first = stream.first else { return }
        var range = 0..<streams.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let isLater = streams[middle].first.map { Self.precedes(first, $0, isAscending) } ?? true
            range = isLater ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        streams.insert(stream, at: range.lowerBound)
    }

    private static func precedes(_ a: EntryStream.Entry, _ b: EntryStream.Entry, _ isAscending: Bool) -> Bool {
        let (left, right) = isAscending ? (a, b) : (b, a)
        return (left.at, left.log.name, left.position) < (right.at, right.log.name, right.position)
    }
}
