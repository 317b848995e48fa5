internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// The commands that a selection means, newest first and each once, by their ids.
struct CommandMerge {
    private struct Key: Comparable {
        let at: Timestamp
        let id: CommandID

        static func < (a: Self, b: Self) -> Bool { (a.at, a.id) < (b.at, b.id) }
    }

    /// What one index finds and is still to come, as far as it was read.
    private struct Stream {
        let match: CommandSelection.Match
        var run: ArraySlice<Key>
        var isRead: Bool
    }

    /// Commands of all streams together that are read ahead, about.
    private static let readAhead = 4096

    private let selection: CommandSelection
    private let runLength: Int
    /// The one that was given last: another stream may hold it too.
    private var last: Key?
    /// Those with a command left, in the order of their newest: the last one's comes next.
    private var streams: [Stream] = []

    init(_ selection: CommandSelection, in db: Database) throws {
        self.selection = selection
        let matches = selection.streams
        runLength = max(1, min(256, Self.readAhead / max(1, matches.count)))
        for match in matches {
            let run = try Self.run(of: match, selection, before: nil, runLength, in: db)
            if !run.isEmpty { streams.append(Stream(match: match, run: run, isRead: run.count < runLength)) }
        }
        streams.sort { a, b in
            guard let first = a.run.first, let second = b.run.first else { return b.run.first != nil }
            return first < second
        }
    }

    /// The next older command; `nil` after the oldest.
    mutating func next(in db: Database) throws -> CommandID? {
        while let key = try nextKey(in: db) {
            guard key != last else { continue }
            last = key
            return key.id
        }
        return nil
    }

    private mutating func nextKey(in db: Database) throws -> Key? {
        guard var stream = streams.popLast(), let key = stream.run.popFirst() else { return nil }
        if stream.run.isEmpty, !stream.isRead {
            stream.run = try Self.run(of: stream.match, selection, before: key, runLength, in: db)
            stream.isRead = stream.run.count < runLength
        }
        if let newest = stream.run.first { streams.insert(stream, at: place(of: newest)) }
        return key
    }

    /// Where a stream with this newest command belongs, found by halving.
    private func place(of key: Key) -> Int {
        var range = 0..<streams.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let isOlder = streams[middle].run.first.map { $0 < key } ?? true
            range = isOlder ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    private static func run(
        of match: CommandSelection.Match, _ selection: CommandSelection, before key: Key?, _ length: Int, in db: Database
    ) throws -> ArraySlice<Key> {
        let (condition, arguments) = selection.condition
        let older = key == nil ? "" : " AND (requested_at, id) < (?, ?)"
        let bound: StatementArguments = key.map { [$0.at.milliseconds, $0.id.blob] } ?? []
        return try db.rows(
            """
            SELECT requested_at, id FROM commands WHERE \(match.sql)\(older)\(condition)
            ORDER BY requested_at DESC, id DESC LIMIT ?
            """, match.arguments + bound + arguments + [length]
        ) { Key(at: try $0.instant(), id: try $0.id()) }[...]
    }
}
