package import DoorwardDomain
package import DoorwardPolicy
import HeapModule
import Synchronization

/// Appends to the feed the changes that only the passing of time causes: a guest window or the hours of a schedule begin or
/// end, or the devices of a guest access become visible or invisible to the guest.
///
/// Decisions do not depend on this timer; they compare window and schedule with the clock themselves.
package final class WindowTimer: Sendable {
    fileprivate struct Edge: Comparable {
        let instant: Timestamp
        let access: GuestAccessID

        static func < (a: Self, b: Self) -> Bool { (a.instant, a.access) < (b.instant, b.access) }
    }

    fileprivate struct State {
        /// At least the next edge of each access: the next beginning or end of its window or its hours. May contain outdated edges.
        var edges = Heap<Edge>()
        /// The wall clock at the last check. If a later reading is earlier than this value, the clock was set back.
        var checkedUntil: Timestamp
        var wakeUp: (ticket: DeadlineQueue.Ticket, instant: Timestamp)?
    }

    /// The maximum time until the wall clock is read again, in case it was set forward.
    static let maxSleep = Duration.seconds(300)

    private let directory: CurrentDirectory
    private let feed: ChangeFeed
    private let clock: any GatewayClock
    private let deadlines: DeadlineQueue
    private let state: Mutex<State>

    /// Begins to wait with the first change.
    package init(directory: CurrentDirectory, feed: ChangeFeed, clock: any GatewayClock, executor: (any TaskExecutor)? = nil) {
        (self.directory, self.feed, self.clock) = (directory, feed, clock)
        deadlines = DeadlineQueue(clock: clock, executor: executor)
        state = Mutex(State(checkedUntil: clock.now()))
    }

    /// Replaces all edges by those of the current directory, and schedules the next wake-up.
    package func restart() {
        let tenancy = directory.current
        state.withLock { state in
            state.checkedUntil = clock.now()
            state.collectEdges(of: tenancy)
            scheduleWakeUp(&state)
        }
    }

    /// Adds the next edges of the guest accesses in `changes`, which have taken effect, and of those whose schedule follows the
    /// zone of a changed property.
    ///
    /// - Parameter instant: a time no later than the one at which the changes took effect. Edges after `instant` appear in the
    ///   feed after these changes.
    package func note(_ changes: [TenancyChange], since instant: Timestamp) {
        let tenancy = directory.current
        let accesses = changes.flatMap { change -> [GuestAccessID] in
            switch change {
            case .putGuestAccess(let access): [access.id]
            case .putProperty(let property): tenancy.guestAccessIDs(followingZoneOf: property.id)
            default: []
            }
        }
        guard !accesses.isEmpty else { return }
        state.withLock { state in
            for access in accesses { state.addNextEdge(of: access, after: instant, in: tenancy) }
            scheduleWakeUp(&state)
        }
    }

    /// Appends every guest access that has not ended to the feed, because the clock became trusted or untrusted: the decisions on
    /// all of them may have changed.
    func noteChangeOfTrust() {
        let tenancy = directory.current
        var changed: Set<GuestAccessID> = []
        tenancy.forEachNextEdge(after: clock.now()) { access, _ in changed.insert(access) }
        append(changed, in: tenancy)
        restart()
    }

    private func wakeUp() {
        let tenancy = directory.current
        let changed = state.withLock { state in
            state.wakeUp = nil
            let changed = state.takeChanged(at: clock.now(), in: tenancy)
            scheduleWakeUp(&state)
            return changed
        }
        append(changed, in: tenancy)
    }

    private func append(_ changed: Set<GuestAccessID>, in tenancy: TenancyDirectory) {
        feed.append(changed.flatMap { ChangedObject.objects(of: $0, in: tenancy) })
    }

    /// Schedules the wake-up for the next edge; immediately if it has already passed.
    private func scheduleWakeUp(_ state: inout State) {
        guard let next = state.edges.min?.instant else { return }
        let now = clock.now()
        let until = min(next, now.advanced(by: Self.maxSleep))
        if let wakeUp = state.wakeUp {
            guard until < wakeUp.instant else { return }
            deadlines.cancel(wakeUp.ticket)
        }
        let ticket = deadlines.schedule(at: clock.monotonicNow().advanced(by: until.duration(since: now))) { [weak self] in
            self?.wakeUp()
        }
        state.wakeUp = (ticket, until)
    }
}

extension WindowTimer.State {
    fileprivate mutating func collectEdges(of tenancy: TenancyDirectory) {
        var found: [WindowTimer.Edge] = []
        tenancy.forEachNextEdge(after: checkedUntil) { found.append(WindowTimer.Edge(instant: $1, access: $0)) }
        edges = Heap(found)
    }

    fileprivate mutating func addNextEdge(of access: GuestAccessID, after instant: Timestamp, in tenancy: TenancyDirectory) {
        guard let edge = tenancy.nextEdge(of: access, after: instant) else { return }
        edges.insert(WindowTimer.Edge(instant: edge, access: access))
    }

    /// Removes the edges up to now. Returns the accesses with an edge between the last check and
    /// now, even if the clock was set back in between.
    fileprivate mutating func takeChanged(at now: Timestamp, in tenancy: TenancyDirectory) -> Set<GuestAccessID> {
        var changed: Set<GuestAccessID> = []
        defer { checkedUntil = now }
        guard now >= checkedUntil else {
            // The clock was set back: windows that had ended are open again.
            tenancy.forEachNextEdge(after: now) { if $1 <= checkedUntil { changed.insert($0) } }
            checkedUntil = now
            collectEdges(of: tenancy)
            return changed
        }
        while let edge = edges.min, edge.instant <= now {
            edges.removeMin()
            // The access may have been changed since its edge was added.
            guard tenancy.nextEdge(of: edge.access, after: edge.instant.advanced(by: .milliseconds(-1))) == edge.instant,
                changed.insert(edge.access).inserted
            else { continue }
            addNextEdge(of: edge.access, after: now, in: tenancy)
        }
        return changed
    }
}
