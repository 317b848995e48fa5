public import DoorwardClient
import Synchronization

/// A clock for the client library that advances only when a test advances it.
public final class VirtualLiveClock: LiveClock {
    private struct Sleeper {
        let ticket: Int
        let deadline: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var uptime = Duration.zero
        var start: Int64
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var tickets = 0
        var wakeUps = 0
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state: Mutex<State>

    /// - Parameter start: the initial wall time in milliseconds since 1970.
    public init(start: Int64 = 1_795_248_000_000) { state = Mutex(State(start: start)) }

    /// The wall time.
    public var now: Doorward.Instant {
        state.withLock { state in
            let (seconds, attoseconds) = state.uptime.components
            return Doorward.Instant(milliseconds: state.start + seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        }
    }

    /// The time since some start.
    public var uptime: Duration { state.withLock { $0.uptime } }

    /// The number of sleeps that ended because their time had come.
    public var wakeUps: Int { state.withLock { $0.wakeUps } }
    /// The number of tasks that sleep.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }
    /// The deadlines of the tasks that sleep.
    public var deadlines: [Duration] { state.withLock { $0.sleepers.map(\.deadline).sorted() } }

    /// Suspends until the time is reached. Throws `CancellationError`.
    public func sleep(until instant: Duration) async throws {
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let (result, due) = register(Sleeper(ticket: ticket, deadline: instant, continuation: continuation))
                if let result { continuation.resume(with: result) }
                for waiter in due { waiter.resume() }
            }
        } onCancel: {
            cancel(ticket)
        }
    }

    private func register(_ sleeper: Sleeper) -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) {
        state.withLock { state in
            if state.cancelled.remove(sleeper.ticket) != nil { return (.failure(CancellationError()), []) }
            if sleeper.deadline <= state.uptime { return (.success(()), []) }
            state.sleepers.append(sleeper)
            let count = state.sleepers.count
            let due = state.waiters.filter { $0.count <= count }.map(\.continuation)
            state.waiters.removeAll { $0.count <= count }
            return (nil, due)
        }
    }

    private func cancel(_ ticket: Int) {
        let sleeper: Sleeper? = state.withLock { state in
            guard let index = state.sleepers.firstIndex(where: { $0.ticket == ticket }) else {
                state.cancelled.insert(ticket)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }

    /// Advances both times, and wakes each task whose deadline is reached.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.uptime += duration
            let limit = state.uptime
            let due = state.sleepers.filter { $0.deadline <= limit }.sorted {
                ($0.deadline, $0.ticket) < ($1.deadline, $1.ticket)
            }
            state.sleepers.removeAll { $0.deadline <= limit }
            state.wakeUps += due.count
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Suspends until at least this many tasks sleep.
    public func waitForSleepers(_ count: Int) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isReached = state.withLock { state in
                if state.sleepers.count < count { state.waiters.append((count, continuation)) }
                return state.sleepers.count >= count
            }
            if isReached { continuation.resume() }
        }
    }
}
