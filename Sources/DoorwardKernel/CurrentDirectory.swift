package import DoorwardDomain
package import DoorwardPolicy
package import Logging
package import Metrics
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
        let lists = VersionCache<ListKey, any Sendable>(maxCount: 64)
        /// The names of the items of these lists.
        let names = VersionCache<ListKey, SearchableNames>(maxCount: 64)
        /// The rendered abilities of users, as far as they depend only on the user and on this version. Every change of a lock can change
        /// abilities, so each stream compares them; the streams of a user share this result.
        package let abilities = VersionCache<UserID, [UInt8]>(maxCount: 1024)

        package init(_ directory: TenancyDirectory) { self.directory = directory }
    }

    private let currentSnapshot: Mutex<Snapshot>
    private let feed: ChangeFeed
    private let uses: GuestUseCounts

    /// - Parameters:
    ///   - feed: receives each change.
    ///   - uses: the taken uses of guest accesses, which every version of the directory refers to.
    package init(_ directory: TenancyDirectory = TenancyDirectory(), feed: ChangeFeed, uses: GuestUseCounts = GuestUseCounts()) {
        currentSnapshot = Mutex(Snapshot(directory.counting(uses)))
        (self.feed, self.uses) = (feed, uses)
    }

    /// The current version of the tenancy.
    package var snapshot: Snapshot { currentSnapshot.withLock { $0 } }

    /// A copy of the current tenancy; use `snapshot` in code that runs for every request.
    package var current: TenancyDirectory { snapshot.directory }

    /// The current tenancy, and the caller's rights in it.
    package func resolve(_ caller: Caller) -> (tenancy: TenancyDirectory, subject: Subject) {
        let tenancy = current
        return (tenancy, tenancy.subject(of: caller.principal))
    }

    /// - Throws: `.denied` unless the caller may manage the gateway itself.
    package func requireAdministration(by caller: Caller) throws(GatewayError) {
        let (tenancy, subject) = resolve(caller)
        try tenancy.require(.adaptersManage, of: subject, on: .gateway)
    }

    /// Makes `directory` the current one for every decision that starts from now on. Called by one task at a time.
    ///
    /// - Parameter changes: the changes since the previous directory; `nil` if they are unknown.
    package func publish(_ directory: TenancyDirectory, after changes: [TenancyChange]?) {
        let (before, next) = (snapshot, Snapshot(directory.counting(uses)))
        let changed = changes.map { $0.flatMap { $0.objects(in: before.directory) } }
        // This may be the last reference to the old snapshot: free it after the mutex is released, not while holding the mutex.
        withExtendedLifetime(before) { currentSnapshot.withLock { $0 = next } }
        // After the directory is current: a reader that takes the position first and the snapshot second misses no change.
        if let changed { feed.append(changed) } else { feed.invalidate() }
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

/// Values that depend only on one version of the directory, and are freed with it.
package final class VersionCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let maxCount: Int
    private let values = Mutex<[Key: Value]>([:])

    /// - Parameter maxCount: the number of values that are kept; beyond it, all are dropped.
    package init(maxCount: Int) { self.maxCount = maxCount }

    /// The value of a key. `make` is called only if it is not known, and not under the mutex, because it takes long.
    package func value(of key: Key, _ make: () -> Value) -> Value {
        if let known = values.withLock({ $0[key] }) { return known }
        let made = make()
        values.withLock { values in
            if values.count >= maxCount { values.removeAll() }
            values[key] = made
        }
        return made
    }
}

/// The services that all use cases of a gateway share.
package struct Kernel: Sendable {
    /// The current tenancy.
    package let directory: CurrentDirectory
    /// Writes to the store, and reads from it.
    package let storeGuard: StoreGuard
    /// Changes the tenancy.
    package let writer: TenancyWriter
    /// The clock of all use cases.
    package let clock: TrustedClock
    /// The source of ids, keys and tokens.
    package let random: RandomSource
    /// The feed of changes of the tenancy, the locks' status, the logs and the commands.
    package let feed: ChangeFeed
    /// Runs background work and command executions; `nil` for the global one. Tests inject one that controls the order of steps.
    package let executor: (any TaskExecutor)?
    /// The operator's log.
    package let logger: Logger
    /// Makes the metrics of all use cases.
    package let metrics: any MetricsFactory

    package init(
        directory: CurrentDirectory, storeGuard: StoreGuard, writer: TenancyWriter, clock: TrustedClock, random: RandomSource,
        feed: ChangeFeed, executor: (any TaskExecutor)?, logger: Logger, metrics: any MetricsFactory
    ) {
        (self.directory, self.storeGuard, self.writer) = (directory, storeGuard, writer)
        (self.clock, self.random, self.feed) = (clock, random, feed)
        (self.executor, self.logger, self.metrics) = (executor, logger, metrics)
    }
}
