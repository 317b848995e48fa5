/// What the writer remembers of the database, in step with savepoint and transaction: what a transaction of the store
/// sets is forgotten with its savepoint, and what a batch sets counts for the next one only after COMMIT.
struct LayeredCache<Key: Hashable, Value> {
    private var committed: [Key: Value] = [:]
    private var batch: [Key: Value] = [:]
    private var savepoint: [Key: Value] = [:]

    subscript(key: Key) -> Value? {
        get { savepoint[key] ?? batch[key] ?? committed[key] }
    }

    /// Everything that was set since the last COMMIT and not undone.
    var uncommitted: [Key: Value] { batch }

    mutating func set(_ key: Key, _ value: Value) { savepoint[key] = value }

    /// Remembers what was read and not changed.
    mutating func note(_ key: Key, _ value: Value) { committed[key] = value }

    mutating func releaseSavepoint() {
        guard !savepoint.isEmpty else { return }
        batch.merge(savepoint) { $1 }
        savepoint.removeAll(keepingCapacity: true)
    }

    mutating func undoSavepoint() { savepoint.removeAll(keepingCapacity: true) }

    /// After ROLLBACK.
    mutating func undoBatch() {
        savepoint.removeAll(keepingCapacity: true)
        batch.removeAll(keepingCapacity: true)
    }

    /// After COMMIT. Forgets everything rather than hold more than `limit` entries: what is needed is read again.
    mutating func commit(limit: Int) {
        committed.merge(batch) { $1 }
        batch.removeAll(keepingCapacity: true)
        if committed.count > limit { committed.removeAll() }
    }
}
