/// The writer's cache of database values, in step with savepoints and transactions: values set by a store transaction are dropped
/// with its savepoint, and those set by a batch are kept only after COMMIT.
struct LayeredCache<Key: Hashable, Value> {
    private var committed: [Key: Value] = [:]
    private var batch: [Key: Value] = [:]
    private var savepoint: [Key: Value] = [:]

    subscript(key: Key) -> Value? {
        get { savepoint[key] ?? batch[key] ?? committed[key] }
    }

    /// The values set by released savepoints since the last COMMIT.
    var uncommitted: [Key: Value] { batch }

    mutating func set(_ key: Key, _ value: Value) { savepoint[key] = value }

    /// Caches a value that was read and not changed.
    mutating func note(_ key: Key, _ value: Value) { committed[key] = value }

    mutating func releaseSavepoint() {
        guard !savepoint.isEmpty else { return }
        batch.merge(savepoint) { $1 }
        savepoint.removeAll(keepingCapacity: true)
    }

    mutating func undoSavepoint() { savepoint.removeAll(keepingCapacity: true) }

    /// Call it after ROLLBACK.
    mutating func undoBatch() {
        savepoint.removeAll(keepingCapacity: true)
        batch.removeAll(keepingCapacity: true)
    }

    /// Call it after COMMIT. Empties the cache if it would exceed `limit` entries; values are then read again.
    mutating func commit(limit: Int) {
        committed.merge(batch) { $1 }
        batch.removeAll(keepingCapacity: true)
        if committed.count > limit { committed.removeAll() }
    }
}
