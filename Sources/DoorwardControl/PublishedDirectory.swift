package import DoorwardPolicy
import Synchronization

/// The directory that is in force. Readers take the current one and keep it for as long as their decision lasts; a change
/// replaces it whole, and never alters one that somebody holds.
package final class PublishedDirectory: Sendable {
    /// One reference to count for each reader, however many collections a directory is made of.
    private final class Snapshot: Sendable {
        let directory: TenancyDirectory
        init(_ directory: TenancyDirectory) { self.directory = directory }
    }

    private let snapshot: Mutex<Snapshot>

    /// Puts `directory` in force.
    package init(_ directory: TenancyDirectory = TenancyDirectory()) { snapshot = Mutex(Snapshot(directory)) }

    /// The tenancy as it is in force now: a copy that no later change touches. Costs one reference.
    package var current: TenancyDirectory { snapshot.withLock { $0 }.directory }

    /// The tenancy as it is in force now, and what the caller holds in it.
    package func resolve(_ caller: Caller) -> (tenancy: TenancyDirectory, subject: Subject) {
        let tenancy = current
        return (tenancy, tenancy.subject(of: caller.principal))
    }

    /// Puts `directory` in force for every decision that starts from now on.
    func publish(_ directory: TenancyDirectory) {
        let next = Snapshot(directory)
        // The old snapshot may be the last of its kind: it is freed after the lock, not under it.
        let last = snapshot.withLock { snapshot in
            defer { snapshot = next }
            return snapshot
        }
        _ = last
    }
}
