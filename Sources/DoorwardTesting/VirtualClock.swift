internal import Dispatch
package import DoorwardDomain
import Synchronization

/// A clock that moves only when a test moves it, so that no test waits.
///
/// Wall time and monotonic time advance together; `stepWall(by:)` moves the wall alone, as an administrator or NTP does.
/// Sleepers wake in the order of their instants, those of one instant in the order in which they fell asleep.
package final class VirtualClock: GatewayClock {
    private let state: Mutex<State>

    /// - Parameter start: what the wall clock shows at first; 2026-11-21T08:00:00.000Z unless said otherwise. The
    ///   monotonic clock starts at zero.
    package init(start: Timestamp = Timestamp(milliseconds: 1_795_248_000_000)) {
        state = Mutex(State(wallOffset: start.milliseconds * 1_000_000))
    }

    /// What `advance` and `stepWall` have made of the start, in whole milliseconds, rounded down.
    package func now() -> Timestamp { state.withLock { $0.wall } }

    /// From 0; moved by `advance` alone.
    package func monotonicNow() -> MonotonicInstant { state.withLock { MonotonicInstant(nanoseconds: $0.monotonic) } }

    /// Returns at once for an instant that is not in the future.
    package func sleep(until instant: MonotonicInstant) async throws {
        let ticket = state.withLock { $0.nextTicket() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let sleeper = Sleeper(instant: instant.nanoseconds, ticket: ticket, continuation: continuation)
                // The cancellation handler may have run before there was anything to cancel, hence the second question.
                let (now, watchers) = state.withLock { $0.admit(sleeper, isCancelled: Task.isCancelled) }
                if let now { continuation.resume(with: now) }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.remove(ticket: ticket) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    // MARK: What a test does with it

    /// Moves both clocks on by `duration` and wakes whoever sleeps until then, each at its own instant.
    package func advance(by duration: Duration) { advance(to: monotonicNow().advanced(by: duration)) }

    /// Moves both clocks on to `instant` of the monotonic clock; does nothing when that has passed.
    package func advance(to instant: MonotonicInstant) {
        while let sleeper = state.withLock({ $0.popSleeper(until: instant.nanoseconds) }) { sleeper.continuation.resume() }
        state.withLock { $0.monotonic = max($0.monotonic, instant.nanoseconds) }
    }

    /// Moves both clocks on by a little, and lets other threads and processes run: for whoever waits for something that they do in
    /// time of their own, a broker's answer, and that this clock must not overtake.
    package func pass(_ step: Duration = .microseconds(100)) async {
        advance(by: step)
        await withCheckedContinuation { continuation in DispatchQueue.global().async { continuation.resume() } }
    }

    /// Moves both clocks on to the instant of the next sleeper and wakes all who sleep until that very instant.
    ///
    /// - Returns: false when nobody sleeps; the clock then stands still.
    @discardableResult
    package func advanceToNextSleeper() -> Bool {
        guard let next = nextSleeper else { return false }
        advance(to: next)
        return true
    }

    /// When the next sleeper is due; `nil` when nobody sleeps.
    package var nextSleeper: MonotonicInstant? {
        state.withLock { $0.sleepers.last.map { MonotonicInstant(nanoseconds: $0.instant) } }
    }

    /// How many tasks sleep at this moment.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Suspends until at least `count` tasks sleep: a test on an ordinary executor awaits it before it advances.
    package func untilSleepers(_ count: Int) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isThere = state.withLock { state in
                if state.sleepers.count < count { state.watchers.append((count, continuation)) }
                return state.sleepers.count >= count
            }
            if isThere { continuation.resume() }
        }
    }

    /// Moves the wall clock alone, forwards or back. Nobody wakes of it.
    package func stepWall(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        state.withLock { $0.wallOffset += seconds * 1_000_000_000 + attoseconds / 1_000_000_000 }
    }
}

private struct Sleeper {
    let instant: Int64
    let ticket: UInt64
    let continuation: CheckedContinuation<Void, any Error>

    /// Whether this one wakes after `other`.
    func isLater(than other: Sleeper) -> Bool { (instant, ticket) > (other.instant, other.ticket) }
}

private struct State {
    /// Nanoseconds from the monotonic clock's zero.
    var monotonic: Int64 = 0
    /// What the wall clock showed at the monotonic clock's zero, in nanoseconds since 1970: enough until 2262.
    var wallOffset: Int64
    /// The one that wakes first is the last.
    var sleepers: [Sleeper] = []
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
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

    /// Lets the sleeper in, or answers at once what ends its sleep; and who waited for so many to sleep.
    mutating func admit(
        _ sleeper: Sleeper, isCancelled: Bool
    ) -> (now: Result<Void, any Error>?, watchers: [CheckedContinuation<Void, Never>]) {
        if isCancelled { return (.failure(CancellationError()), []) }
        if sleeper.instant <= monotonic { return (.success(()), []) }
        let position = sleepers.firstIndex { sleeper.isLater(than: $0) } ?? sleepers.endIndex
        sleepers.insert(sleeper, at: position)
        let due = watchers.filter { $0.count <= sleepers.count }.map(\.continuation)
        if !due.isEmpty { watchers.removeAll { $0.count <= sleepers.count } }
        return (nil, due)
    }

    mutating func remove(ticket: UInt64) -> Sleeper? {
        sleepers.firstIndex { $0.ticket == ticket }.map { sleepers.remove(at: $0) }
    }

    /// The next sleeper that is due by `limit`, with the clock moved on to its instant.
    mutating func popSleeper(until limit: Int64) -> Sleeper? {
        guard let next = sleepers.last, next.instant <= limit else { return nil }
        sleepers.removeLast()
        monotonic = max(monotonic, next.instant)
        return next
    }
}
