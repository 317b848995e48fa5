internal import Dispatch
public import DoorwardDomain
import Synchronization

/// A clock that advances only when a test advances it, so that tests do not wait for real time.
///
/// Wall time and monotonic time advance together; `stepWall(by:)` changes only the wall clock, as an administrator or NTP does.
/// Sleepers wake in the order of their deadlines. Sleepers with the same deadline wake in the order in which they began to sleep.
public final class VirtualClock: GatewayClock {
    private let state: Mutex<State>

    /// - Parameter start: the initial wall time; 2026-11-21T08:00:00.000Z by default. The monotonic clock starts at zero.
    public init(start: Timestamp = Timestamp(milliseconds: 1_795_248_000_000)) {
        state = Mutex(State(wallOffset: start.milliseconds * 1_000_000))
    }

    /// The wall time, in whole milliseconds, rounded down.
    public func now() -> Timestamp { state.withLock { $0.wall } }

    /// The monotonic time, which begins at 0. `stepWall(by:)` does not change it.
    public func monotonicNow() -> MonotonicInstant { state.withLock { MonotonicInstant(nanoseconds: $0.monotonic) } }

    /// Suspends until the monotonic clock reaches `instant`. Returns at once if `instant` is not in the future.
    public func sleep(until instant: MonotonicInstant) async throws {
        let ticket = state.withLock { $0.nextTicket() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let sleeper = Sleeper(instant: instant.nanoseconds, ticket: ticket, continuation: continuation)
                // The cancellation handler may have run before the sleeper existed, so cancellation is checked again.
                let (now, waiters) = state.withLock { $0.register(sleeper, isCancelled: Task.isCancelled) }
                if let now { continuation.resume(with: now) }
                for waiter in waiters { waiter.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.remove(ticket: ticket) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    // MARK: Control by tests

    /// Advances both clocks by `duration`, and wakes each sleeper that becomes due at its own deadline.
    public func advance(by duration: Duration) { advance(to: monotonicNow().advanced(by: duration)) }

    /// Advances both clocks until the monotonic clock shows `instant`. Does nothing if `instant` has passed.
    public func advance(to instant: MonotonicInstant) {
        while let sleeper = state.withLock({ $0.advance(to: instant.nanoseconds) }) { sleeper.continuation.resume() }
    }

    /// Advances both clocks by a small step, and lets other threads and processes run. Tests call
    /// this function repeatedly while they wait for an event in real time, such as a broker's
    /// response. The small steps keep this clock from reaching a timeout first.
    public func pass(_ step: Duration = .microseconds(100)) async {
        advance(by: step)
        await withCheckedContinuation { continuation in DispatchQueue.global().async { continuation.resume() } }
    }

    /// Advances both clocks to the deadline of the next sleeper and wakes all sleepers with that deadline.
    ///
    /// - Returns: false, without advancing the clocks, if there is no sleeper.
    @discardableResult
    public func advanceToNextSleeper() -> Bool {
        guard let next = nextSleeper else { return false }
        advance(to: next)
        return true
    }

    /// The deadline of the next sleeper; `nil` if there is none.
    public var nextSleeper: MonotonicInstant? {
        state.withLock { $0.sleepers.last.map { MonotonicInstant(nanoseconds: $0.instant) } }
    }

    /// Number of sleeping tasks.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Suspends until at least `count` tasks sleep. A test on an ordinary executor must await this before it advances the clock.
    public func waitForSleepers(_ count: Int) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isReached = state.withLock { state in
                if state.sleepers.count < count { state.waiters.append((count, continuation)) }
                return state.sleepers.count >= count
            }
            if isReached { continuation.resume() }
        }
    }

    /// Sets only the wall clock forward or back by `duration`. No sleeper wakes.
    public func stepWall(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        state.withLock { $0.wallOffset += seconds * 1_000_000_000 + attoseconds / 1_000_000_000 }
    }
}

private struct Sleeper {
    let instant: Int64
    let ticket: UInt64
    let continuation: CheckedContinuation<Void, any Error>

    /// Whether this sleeper wakes after `other`.
    func isLater(than other: Sleeper) -> Bool { (instant, ticket) > (other.instant, other.ticket) }
}

private struct State {
    /// The monotonic time in nanoseconds.
    var monotonic: Int64 = 0
    /// The wall time when the monotonic clock was at zero, in nanoseconds since 1970. The type suffices until the year 2262.
    var wallOffset: Int64
    /// The sleepers, sorted so that the next one to wake is last.
    var sleepers: [Sleeper] = []
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    private var tickets: UInt64 = 0

    init(wallOffset: Int64) { self.wallOffset = wallOffset }

    var wall: Timestamp {
        let nanoseconds = monotonic + wallOffset
        return Timestamp(milliseconds: nanoseconds >= 0 ? nanoseconds / 1_000_000 : (nanoseconds - 999_999) / 1_000_000)
    }

    mutating func nextTicket() -> UInt64 {
        tickets += 1
        return tickets
    }

    /// Registers a sleeper. If the sleep has already ended, does not register it and returns its
    /// result. Also returns the watchers that waited for the new number of sleepers.
    mutating func register(
        _ sleeper: Sleeper, isCancelled: Bool
    ) -> (now: Result<Void, any Error>?, waiters: [CheckedContinuation<Void, Never>]) {
        if isCancelled { return (.failure(CancellationError()), []) }
        if sleeper.instant <= monotonic { return (.success(()), []) }
        let position = sleepers.firstIndex { sleeper.isLater(than: $0) } ?? sleepers.endIndex
        sleepers.insert(sleeper, at: position)
        let due = waiters.filter { $0.count <= sleepers.count }.map(\.continuation)
        if !due.isEmpty { waiters.removeAll { $0.count <= sleepers.count } }
        return (nil, due)
    }

    mutating func remove(ticket: UInt64) -> Sleeper? {
        sleepers.firstIndex { $0.ticket == ticket }.map { sleepers.remove(at: $0) }
    }

    /// Removes the next sleeper that is due by `limit`, and moves the clock to its deadline; moves it to `limit` if there is none. Both
    /// in one step, so that a sleeper that begins meanwhile is not passed over.
    mutating func advance(to limit: Int64) -> Sleeper? {
        guard let next = sleepers.last, next.instant <= limit else {
            monotonic = max(monotonic, limit)
            return nil
        }
        sleepers.removeLast()
        monotonic = max(monotonic, next.instant)
        return next
    }
}
