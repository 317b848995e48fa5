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

    /// Puts `directory` in force.
    package init(_ directory: TenancyDirectory = TenancyDirectory()) { published = Mutex(Snapshot(directory)) }

    /// The tenancy as it is in force now.
    package var snapshot: Snapshot { published.withLock { $0 } }

    /// A copy of the tenancy as it is in force now; `snapshot` for what runs with every request.
    package var current: TenancyDirectory { snapshot.directory }

    /// The tenancy as it is in force now, and what the caller holds in it.
    package func resolve(_ caller: Caller) -> (tenancy: TenancyDirectory, subject: Subject) {
        let tenancy = current
        return (tenancy, tenancy.subject(of: caller.principal))
    }

    /// Puts `directory` in force for every decision that starts from now on.
    func publish(_ directory: TenancyDirectory) {
        let next = Snapshot(directory)
        // The old snapshot may be the last of its kind: it is freed after the lock, not under it.
        let last = published.withLock { snapshot in
            defer { snapshot = next }
            return snapshot
        }
        _ = last
    }
}
