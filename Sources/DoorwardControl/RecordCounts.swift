package import DoorwardDomain

/// Selects records to be counted by time, and by one of their fields.
package struct RecordCountQuery: Hashable, Sendable {
    /// The field whose values are counted separately. A record without a value is not counted.
    package enum Grouping: String, CaseIterable, Sendable {
        /// The final state of a command.
        case outcome
        /// The reason for a denial.
        case reason
        /// The device concerned.
        case device = "deviceId"
    }

    /// Selects records that are in at least one of these scopes; a record in several of them is counted once.
    package var scopes: [RecordScope]
    /// Restricts the selection further.
    package var filter: RecordFilter
    /// The limits of the buckets, ascending: bucket `i` has the records from `limits[i]` on and before `limits[i + 1]`.
    package var limits: [Timestamp]
    /// The field whose values are counted.
    package var grouping: Grouping
    /// Counts the records after this position only; `nil` starts at the beginning.
    package var after: RecordPosition?
    /// The reader on whose behalf the store reads the records.
    package var reader = ListReader()

    package init(
        scopes: [RecordScope], filter: RecordFilter = RecordFilter(), limits: [Timestamp], by grouping: Grouping,
        after: RecordPosition? = nil
    ) {
        (self.scopes, self.filter, self.limits, self.grouping, self.after) = (scopes, filter, limits, grouping, after)
    }

    /// The records that are examined, oldest first: those of the scopes and the filter, within the limits.
    package var examined: RecordQuery {
        var query = RecordQuery(scopes: scopes, filter: filter, order: .oldestFirst, after: after, limit: .max)
        // Without two limits there is no bucket.
        let (from, until) = (limits.first ?? Timestamp(milliseconds: 0), limits.last ?? Timestamp(milliseconds: 0))
        query.filter.from = max(filter.from ?? from, from)
        query.filter.until = min(filter.until ?? until, until)
        query.reader = reader
        return query
    }
}

/// The numbers of records in the buckets of a query, or in a part of them.
package struct RecordCounts: Hashable, Sendable {
    /// For each bucket the number of records by the value of the field, as the API writes it; values without a record are absent.
    package private(set) var buckets: [[String: Int]]
    /// The position after which counting is to be continued; `nil` if all records have been counted.
    package var next: RecordPosition?

    private let limits: [Timestamp]
    /// The bucket of the record that was counted last.
    private var current = 0

    /// Counts of zero.
    ///
    /// - Parameter limits: those of the query.
    package init(limits: [Timestamp]) {
        self.limits = limits
        buckets = Array(repeating: [:], count: max(0, limits.count - 1))
    }

    /// Counts a record. Records must be added in ascending order of their time, and be within the limits.
    package mutating func add(_ value: String, at instant: Timestamp) {
        while current + 1 < buckets.count, limits[current + 1] <= instant { current += 1 }
        buckets[current][value, default: 0] += 1
    }

    /// Adds the counts of another part of the same buckets.
    package mutating func add(_ other: RecordCounts) {
        for (index, counts) in other.buckets.enumerated() { buckets[index].merge(counts, uniquingKeysWith: +) }
    }

    /// The number of values that have a count, in all buckets.
    package var valueCount: Int { buckets.reduce(0) { $0 + $1.count } }
}

extension RecordBody {
    /// The value of a field by which records are counted, as the API writes it; `nil` if the record has none.
    package func value(of grouping: RecordCountQuery.Grouping) -> String? {
        switch grouping {
        case .outcome: outcome?.rawValue
        case .reason: reason?.rawValue
        case .device: device?.deviceID.description
        }
    }
}
