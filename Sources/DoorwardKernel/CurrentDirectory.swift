package import DoorwardPolicy
import Synchronization

/// The current directory of the tenancy. Readers take a snapshot and keep it for the duration of their decision; a change
/// replaces the directory as a whole, and never modifies a snapshot in use.
package final class CurrentDirectory: Sendable {
    /// One immutable version of the directory. Retaining a snapshot increments one reference count; copying `directory`
    /// increments one for each of its collections.
    package final class Snapshot: Sendable {
        /// Never changes. Read it in place: each copy retains every collection.
        package let directory: TenancyDirectory
        /// The lists that were read from this version.
        let lists = ListCache()
        /// The rendered abilities of users in this version.
        package let abilities = AbilityCache()

        package init(_ directory: TenancyDirectory) { self.directory = directory }
    }

    private let currentSnapshot: Mutex<Snapshot>
    private let feed: ChangeFeed
    private let uses: GuestUseCounts

    /// - Parameters:
    ///   - feed: receives each change.
    ///   - uses: the taken uses of guest accesses, which every version of the directory refers to.
    package init(
        _ directory: TenancyDirectory = TenancyDirectory(), feed: ChangeFeed, uses: GuestUseCounts = GuestUseCounts()
    ) {
        currentSnapshot = Mutex(Snapshot(directory.counting(uses)))
        (self.feed, self.uses) = (feed, uses)
    }

    /// The current version of the tenancy.
    package var snapshot: Snapshot { currentSnapshot.withLock { $0 } }

    /// The current version of the tenancy, and the feed position up to which it contains all tenancy changes.
    package var positioned: (snapshot: Snapshot, position: FeedPosition) { currentSnapshot.withLock { ($0, feed.position) } }

    /// A copy of the current tenancy; use `snapshot` in code that runs for every request.
    package var current: TenancyDirectory { snapshot.directory }

    /// The current tenancy, and the caller's rights in it.
    package func resolve(_ caller: Caller) -> (tenancy: TenancyDirectory, subject: Subject) {
        let tenancy = current
        return (tenancy, tenancy.subject(of: caller.principal))
    }

    /// Makes `directory` the current one for every decision that starts from now on. Called by one task at a time.
    ///
    /// - Parameter changes: the changes since the previous directory; `nil` if they are unknown.
    package func publish(_ directory: TenancyDirectory, after changes: [TenancyChange]?) {
        let next = Snapshot(directory.counting(uses))
        let before = snapshot.directory
        let changed = changes.map { $0.flatMap { $0.objects(in: before) } }
        // This may be the last reference to the old snapshot: free it after the mutex is released, not while holding the mutex.
        let last = currentSnapshot.withLock { snapshot in
            defer { snapshot = next }
            // Append while holding the mutex, so that the position in `positioned` matches the directory.
            if let changed { feed.append(changed) } else { feed.invalidate() }
            return snapshot
        }
        _ = last
    }
}

extension TenancyDirectory {
    /// The same directory, with the counts of taken uses that the store's writes update.
    fileprivate func counting(_ uses: GuestUseCounts) -> TenancyDirectory {
        var directory = self
        directory.useCounts = uses
        return directory
    }
}
