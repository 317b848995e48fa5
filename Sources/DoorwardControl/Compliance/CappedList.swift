/// The first rows of a list, and the number of all of them: a report keeps a bounded number of rows, and states how many it left
/// out.
package struct CappedList<Row: Sendable>: Sendable {
    /// The first rows, in the order in which they were added.
    package private(set) var rows: [Row] = []
    /// The number of rows that were added.
    package private(set) var count = 0
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// The number of rows that were left out.
    package var omitted: Int { count - rows.count }

    mutating func add(_ row: Row) {
        count += 1
        if rows.count < limit { rows.append(row) }
    }

    /// Changes a row that was kept; does nothing for one that was left out.
    ///
    /// - Parameter index: the value of `count` before the row was added.
    mutating func update(_ index: Int, _ change: (inout Row) -> Void) {
        if rows.indices.contains(index) { change(&rows[index]) }
    }
}

/// Counts by key, for a bounded number of keys. What belongs to further keys is counted together.
package struct CappedTally<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The values of the keys that were seen first.
    package private(set) var values: [Key: Value] = [:]
    /// The number of records of further keys; 0 if there were none.
    package private(set) var uncounted = 0
    private let limit: Int
    private let empty: Value

    init(limit: Int, empty: Value) { (self.limit, self.empty) = (limit, empty) }

    mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
        if values[key] == nil, values.count >= limit {
            uncounted += 1
            return
        }
        var value = values[key] ?? empty
        change(&value)
        values[key] = value
    }
}
