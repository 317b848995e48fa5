import DoorwardAPI
import DoorwardClient

/// Compares successive lists of locks.
struct LockChanges: Sendable {
    private var known: [String: Wire.Device] = [:]
    /// Known locks that the last list did not contain. A list that changes while its pages are fetched may lack a lock that still
    /// exists, so a lock counts as removed only when two successive lists lack it.
    private var absent: Set<String> = []

    /// The differences between a list and the previous list.
    struct News: Sendable {
        /// New locks, and locks with any change except the time of the last report, in the order of the list.
        var changed: [Devices.Entry] = []
        /// Locks that were removed, or that the caller may no longer see, sorted by name.
        var removed: [Wire.Device] = []

        var isEmpty: Bool { changed.isEmpty && removed.isEmpty }
    }

    mutating func take(_ entries: [Devices.Entry]) -> News {
        var (news, listed) = (News(), Set<String>())
        for entry in entries where listed.insert(entry.lock.id).inserted {
            var lock = entry.lock
            lock.lastSeen = nil
            if known.updateValue(lock, forKey: lock.id) != lock { news.changed.append(entry) }
        }
        let missing = Set(known.keys).subtracting(listed)
        news.removed = missing.intersection(absent).compactMap { known.removeValue(forKey: $0) }
            .sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        absent = missing.subtracting(news.removed.map(\.id))
        return news
    }
}
