#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The position of a follower of access records: which records it has received. Store its text with what was made of the records,
/// and follow from it after a restart.
public struct RecordCursor: Codable, Hashable, Sendable, CustomStringConvertible {
    private struct Position: Codable, Hashable, Sendable {
        var seq: UInt64
        var at: Doorward.Instant
    }

    /// By log. A reader with a reduced view sees neither log nor number.
    private var logs: [String: Position] = [:]
    /// The records of a reduced view that are not older than `overlap` before the latest one.
    private var recent: [String: Doorward.Instant] = [:]
    private var latest: Doorward.Instant?
    private var start: Doorward.Instant?
    /// Records before this instant that are not those of a known log came before the following began.
    private var floor: Doorward.Instant?

    /// How far the records of different logs can be out of the order of their times.
    private static let overlap: Int64 = 60_000
    /// Logs that have been quiet for longer than this do not determine from when on records are read again.
    private static let maxReplay: Int64 = 86_400_000

    /// Before the first record.
    public init() {}

    /// Before the first record at or after an instant.
    public init(since instant: Doorward.Instant) { start = instant }

    /// After the newest records of a list.
    ///
    /// - Parameters:
    ///   - newest: the records in the order of the list, newest first.
    ///   - hasEarlier: whether the list has left out earlier records.
    ///   - since: the instant at which the list begins.
    package init(after newest: [Doorward.AccessRecord], hasEarlier: Bool, since: Doorward.Instant?) {
        (start, floor) = (since, since)
        for record in newest.reversed() { _ = insert(record) }
        if hasEarlier, let oldest = newest.last { floor = Doorward.Instant(milliseconds: oldest.at.milliseconds + 1) }
    }

    /// Reads the text of a cursor; `nil` for any other text.
    public init?(_ text: String) {
        guard let cursor = try? JSONDecoder().decode(RecordCursor.self, from: Data(text.utf8)) else { return nil }
        self = cursor
    }

    /// The text of the cursor.
    public var description: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// Notes a record.
    ///
    /// - Returns: whether it is new.
    mutating func insert(_ record: Doorward.AccessRecord) -> Bool {
        let log = record.logId
        if log.flatMap({ logs[$0] }) == nil, let floor, record.at < floor { return false }
        if let log, let seq = record.seq {
            if let position = logs[log], seq <= position.seq { return false }
            logs[log] = Position(seq: seq, at: record.at)
        } else {
            if let latest, record.at.milliseconds < latest.milliseconds - Self.overlap { return false }
            guard recent.updateValue(record.at, forKey: record.id) == nil else { return false }
        }
        if record.at > latest ?? record.at || latest == nil {
            latest = record.at
            let limit = record.at.milliseconds - Self.overlap
            if recent.count > 64 || !recent.isEmpty { recent = recent.filter { $0.value.milliseconds >= limit } }
        }
        return true
    }

    /// The time from which on records have to be read again; `nil` for all.
    var from: Doorward.Instant? {
        guard let latest else { return start }
        var oldest = logs.values.map(\.at.milliseconds).min() ?? latest.milliseconds
        if !recent.isEmpty { oldest = min(oldest, latest.milliseconds - Self.overlap) }
        return Doorward.Instant(milliseconds: max(oldest, latest.milliseconds - Self.maxReplay))
    }
}
