internal import DoorwardAPI
internal import FoundationEssentials

/// The growing end of an access log: what has come since one looked last.
///
/// It holds on to an instant, not to a cursor, so it outlives the gateway's restarts. Records of several logs may appear a
/// little out of the order of their times: what is near the end is asked for again, and known ones are left out.
package struct RecordTail: Sendable {
    private var query: AccessRecords.Query
    /// The records near the end, with their instants.
    private var known: [String: String] = [:]
    private var newest: String?

    /// How far back is asked for again.
    private static let overlap: TimeInterval = 2

    /// - Parameters:
    ///   - query: which records.
    ///   - entries: what is known already.
    package init(query: AccessRecords.Query, after entries: [AccessRecords.Entry]) {
        self.query = query
        self.query.isOldestFirst = true
        take(entries)
    }

    /// What is new, oldest first. After an error nothing is lost: the next call brings it.
    package mutating func next(from records: AccessRecords) async throws -> [AccessRecords.Entry] {
        var fresh: [AccessRecords.Entry] = []
        var cursor: String?
        repeat {
            let page = try await records.page(query, cursor: cursor)
            fresh += page.entries.filter { known[$0.record.id] == nil }
            cursor = page.content.nextCursor
        } while cursor != nil
        take(fresh)
        return fresh
    }

    private mutating func take(_ entries: [AccessRecords.Entry]) {
        for entry in entries { known[entry.record.id] = entry.record.at }
        guard let latest = known.values.max(), latest != newest else { return }
        newest = latest
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let date = try? Date(latest, strategy: style) else { return }
        // Instants of the wire have one form, in which their order is that of the texts.
        let edge = style.format(date.addingTimeInterval(-Self.overlap))
        query.from = max(edge, query.from ?? edge)
        known = known.filter { $0.value >= edge }
    }
}
