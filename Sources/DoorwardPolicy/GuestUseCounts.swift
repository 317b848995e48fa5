package import DoorwardDomain
import Synchronization

/// The number of taken uses of each guest access: a copy of the store's counters in memory.
///
/// All versions of the directory share one object, because each use would otherwise create a new version. A decision that reads a
/// count can therefore be outdated by the time it is written: the store decides whether a use is left.
package final class GuestUseCounts: Sendable {
    /// The changes of uses in one transaction of the store.
    package struct Changes: Sendable {
        /// The accesses of which a use is taken.
        package var taken: [GuestAccessID] = []
        /// The accesses to which a use is returned.
        package var returned: [GuestAccessID] = []
        /// The accesses that are removed with their counts.
        package var removed: [GuestAccessID] = []

        package init() {}

        /// Whether the transaction changes no count.
        package var isEmpty: Bool { taken.isEmpty && returned.isEmpty && removed.isEmpty }
    }

    private struct State {
        var taken: [GuestAccessID: Int] = [:]
        /// Transactions in flight that change counts.
        var inFlight = 0
        /// How many times a transaction that changes counts began or ended.
        var generation = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of uses taken, including those that commands have reserved; 0 if there are none.
    package func taken(of id: GuestAccessID) -> Int { state.withLock { $0.taken[id, default: 0] } }

    /// The value to pass to `replace`. Read it before reading the store.
    package var generation: Int { state.withLock { $0.generation } }

    /// Notes that a transaction is about to be written.
    package func begin(_ changes: Changes) {
        guard !changes.isEmpty else { return }
        state.withLock { ($0.inFlight, $0.generation) = ($0.inFlight + 1, $0.generation + 1) }
    }

    /// Notes the end of a transaction, and applies its changes if it was written.
    package func end(_ changes: Changes, isWritten: Bool) {
        guard !changes.isEmpty else { return }
        state.withLock { state in
            (state.inFlight, state.generation) = (state.inFlight - 1, state.generation + 1)
            guard isWritten else { return }
            for id in changes.removed { state.taken[id] = nil }
            for id in changes.taken { state.taken[id, default: 0] += 1 }
            for id in changes.returned {
                let left = state.taken[id, default: 0] - 1
                state.taken[id] = left > 0 ? left : nil
            }
        }
    }

    /// Replaces the counts by those read from the store.
    ///
    /// - Returns: false, without a change, if a transaction was in flight while the store was read, as `stored` may or may not
    ///   include it.
    package func replace(with stored: [GuestAccessID: Int], ifGenerationIs generation: Int) -> Bool {
        state.withLock { state in
            guard state.inFlight == 0, state.generation == generation else { return false }
            state.taken = stored
            return true
        }
    }
}

/// What is known about uses beyond the counts, when a command is decided.
package struct CommandUses: Sendable {
    /// The guest access of which the command has reserved a use, which is among the taken ones.
    package var reserved: GuestAccessID?
    /// The guest accesses of which the store has refused to take a use: another command has taken the last one meanwhile.
    package var exhausted: [GuestAccessID]

    package init(reserved: GuestAccessID? = nil, exhausted: [GuestAccessID] = []) {
        (self.reserved, self.exhausted) = (reserved, exhausted)
    }
}

extension TenancyDirectory {
    /// The number of uses that are left of a guest access; `nil` for any number.
    package func usesLeft(of access: GuestAccess) -> Int? {
        access.maxUses.map { max(0, $0 - useCounts.taken(of: access.id)) }
    }

    /// The guest access of which a command must reserve a use under `rule`, with the number of uses that it permits; `nil` if the
    /// rule does not count the operation.
    package func countedUse(of operation: LockOperation, under rule: Rule) -> (id: GuestAccessID, max: Int)? {
        guard operation.isOpening, case .guestAccess(let id) = rule, let max = guestAccess(id)?.maxUses else { return nil }
        return (id, max)
    }

    /// Whether no use of a guest access is left for a command.
    func isExhausted(_ access: GuestAccess, for uses: CommandUses) -> Bool {
        guard let max = access.maxUses else { return false }
        if uses.exhausted.contains(access.id) { return true }
        return useCounts.taken(of: access.id) - (uses.reserved == access.id ? 1 : 0) >= max
    }
}
