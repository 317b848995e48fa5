import DoorwardAPI
import DoorwardClient

/// Compares lists of locks that were fetched one after the other.
struct LockChanges: Sendable {
    private var known: [String: Wire.Device] = [:]
    /// Known locks that the last list did not contain. A list that changes while it is read may lack a lock that is still there, so
    /// that a lock counts as removed once two lists lack it.
    private var absent: Set<String> = []

    /// What is new in a list.
    struct News: Sendable {
        /// New locks, and locks of which something but the time of the last report changed, in the order of the list.
        var changed: [Devices.Entry] = []
        /// Locks that are gone, or that the caller no longer sees, in the order of their names.
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
