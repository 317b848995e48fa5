package import DoorwardPolicy
import Synchronization

/// The directory that is in force. Readers take the current one and keep it for as long as their decision lasts; a change
/// replaces it whole, and never alters one that is in use.
package final class PublishedDirectory: Sendable {
    /// One version of the directory. Holding it costs one reference, where a copy of `directory` costs one for each of the
    /// collections that it is made of.
    package final class Snapshot: Sendable {
        /// No later change touches it. Read it in place: each copy counts a reference to every collection.
        package let directory: TenancyDirectory

        package init(_ directory: TenancyDirectory) { self.directory = directory }
    }

    private let published: Mutex<Snapshot>
    private let feed: ChangeFeed

    /// - Parameter feed: is told of each change.
    package init(_ directory: TenancyDirectory = TenancyDirectory(), feed: ChangeFeed) {
        published = Mutex(Snapshot(directory))
        self.feed = feed
    }

    /// The tenancy as it is in force now.
    package var snapshot: Snapshot { published.withLock { $0 } }

    /// The tenancy as it is in force now, and the position of the feed up to which it contains every change of the tenancy.
    package var positioned: (snapshot: Snapshot, position: FeedPosition) { published.withLock { ($0, feed.position) } }

    /// A copy of the tenancy as it is in force now; `snapshot` for what runs with every request.
    package var current: TenancyDirectory { snapshot.directory }

    /// The tenancy as it is in force now, and what the caller holds in it.
    package func resolve(_ caller: Caller) -> (tenancy: TenancyDirectory, subject: Subject) {
        let tenancy = current
        return (tenancy, tenancy.subject(of: caller.principal))
    }

    /// Puts `directory` in force for every decision that starts from now on. Called by one task at a time.
    ///
    /// - Parameter changes: what it differs in from the one before; `nil` when that is not known.
    func publish(_ directory: TenancyDirectory, after changes: [TenancyChange]?) {
        let next = Snapshot(directory)
        let before = snapshot.directory
        let changed = changes.map { $0.flatMap { $0.objects(in: before) } }
        // The old snapshot may be the last of its kind: it is freed after the lock, not under it.
        let last = published.withLock { snapshot in
            defer { snapshot = next }
            // Under the lock, so that no position is known for a directory that is older or newer.
            if let changed { feed.append(changed) } else { feed.invalidate() }
            return snapshot
        }
        _ = last
    }
}
