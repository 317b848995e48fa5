import DoorwardAPI
import DoorwardClient

/// Compares successive lists of locks.
struct LockChanges: Sendable {
    private var known: [String: Wire.Device] = [:]

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
        news.removed = Set(known.keys).subtracting(listed).compactMap { known.removeValue(forKey: $0) }
            .sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        return news
    }
}
