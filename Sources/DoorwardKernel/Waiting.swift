import DequeModule
package import DoorwardDomain
import HeapModule
import Synchronization

extension GatewayClock {
    /// Suspends for a time.
    ///
    /// - Returns: false if the task is cancelled.
    package func pause(_ duration: Duration) async -> Bool {
        (try? await sleep(until: monotonicNow().advanced(by: duration))) != nil
    }
}

/// A value that is set once, and that tasks can wait for. Only the first `fulfil` takes effect.
package final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiting: [CheckedContinuation<Value, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Sets the value. Thread-safe; never suspends.
    ///
    /// - Returns: false if the promise was already fulfilled; `value` is then discarded.
    @discardableResult
    package func fulfil(_ value: Value) -> Bool {
        let waiting = state.withLock { state -> [CheckedContinuation<Value, Never>]? in
            guard state.value == nil else { return nil }
            state.value = value
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting ?? [] { continuation.resume(returning: value) }
        return waiting != nil
    }

    /// The value, if it is already set.
    package var current: Value? { state.withLock { $0.value } }

    /// Whether a task waits for the value, for tests.
    package var isAwaited: Bool { state.withLock { !$0.waiting.isEmpty } }

    /// Waits for the value.
    package var value: Value {
        get async {
            if let current { return current }
            return await withCheckedContinuation { continuation in
                let ready = state.withLock { state -> Value? in
                    if state.value == nil { state.waiting.append(continuation) }
                    return state.value
                }
                if let ready { continuation.resume(returning: ready) }
            }
        }
    }
}

/// Wakes one task. A signal before the task waits is not lost; several signals count as one.
package final class Signal: Sendable {
    private let next = Mutex(Promise<Void>())

    package init() {}

    /// Wakes the task that waits, or the one that waits next.
    package func set() { next.withLock(\.self).fulfil(()) }

    /// Waits for a signal, also in a cancelled task. At most one task may wait.
    package func wait() async {
        await next.withLock(\.self).value
        next.withLock { $0 = Promise() }
    }

    /// Like `wait`, but at most until the task is cancelled.
    package func waitUnlessCancelled() async {
        await withTaskCancellationHandler {
            await wait()
        } onCancel: {
            set()
        }
    }
}

/// An asynchronous mutex: lets one task in at a time, in the order of arrival.
package final class AsyncMutex: Sendable {
    private struct State {
        var isTaken = false
        var waiting = Deque<Promise<Void>>()
    }

    private let state = Mutex(State())

    package init() {}

    /// Waits until all who came before have called `unlock`.
    package func lock() async {
        let promise = state.withLock { state -> Promise<Void>? in
            guard state.isTaken else {
                state.isTaken = true
                return nil
            }
            let promise = Promise<Void>()
            state.waiting.append(promise)
            return promise
        }
        await promise?.value
    }

    /// Lets the next task in. To be called once for each `lock`.
    package func unlock() {
        let next = state.withLock { state -> Promise<Void>? in
            let next = state.waiting.popFirst()
            state.isTaken = next != nil
            return next
        }
        next?.fulfil(())
    }
}

/// Runs actions at their deadlines. A single task sleeps until the earliest deadline, regardless of
/// the number of pending actions.
///
/// An action never runs before its deadline by the gateway's monotonic clock, even if the sleep ends early. An action may run
/// late, or concurrently with a `cancel`, so it must have no effect if the outcome is already decided.
package final class DeadlineQueue: Sendable {
    /// Identifies a scheduled action.
    package struct Ticket: Sendable {
        fileprivate let number: UInt64
    }

    fileprivate struct Entry: Comparable {
        let deadline: MonotonicInstant
        let number: UInt64

        /// Equal deadlines sort in the order of scheduling.
        static func < (a: Self, b: Self) -> Bool { (a.deadline, a.number) < (b.deadline, b.number) }
    }

    fileprivate struct State {
        /// The scheduled entries, and cancelled ones that have not been removed yet.
        var entries = Heap<Entry>()
        /// The actions that have neither run nor been cancelled.
        var actions: [UInt64: @Sendable () -> Void] = [:]
        var scheduled: UInt64 = 0
        var timer: Timer?
    }

    fileprivate struct Timer {
        let number: UInt64
        /// When the sleeping task continues: not later than the earliest deadline.
        var wakesAt: MonotonicInstant
        let task: Task<Void, Never>
    }

    /// Cancelled entries are removed when they outnumber the pending entries by more than this number.
    private static let maxCancelled = 64

    private let clock: any GatewayClock
    private let executor: (any TaskExecutor)?
    private let state = Mutex(State())

    /// - Parameter executor: runs the actions; `nil` for the global one.
    package init(clock: any GatewayClock, executor: (any TaskExecutor)? = nil) { (self.clock, self.executor) = (clock, executor) }

    deinit { state.withLock { $0.timer }?.task.cancel() }

    /// The number of actions that have neither run nor been cancelled.
    var pendingCount: Int { state.withLock { $0.actions.count } }

    /// The number of entries in memory, including cancelled ones.
    var entryCount: Int { state.withLock { $0.entries.count } }

    /// Schedules an action; it runs without delay if the deadline has passed.
    ///
    /// - Parameter action: called once, without holding the mutex, after all due actions with earlier deadlines.
    package func schedule(at deadline: MonotonicInstant, _ action: @escaping @Sendable () -> Void) -> Ticket {
        state.withLock { state in
            state.scheduled += 1
            let number = state.scheduled
            state.entries.insert(Entry(deadline: deadline, number: number))
            state.actions[number] = action
            // If the current timer wakes before this deadline, no other timer is needed: it
            // then sleeps again until the deadline.
            guard state.timer.map({ deadline < $0.wakesAt }) ?? true else { return Ticket(number: number) }
            state.timer?.task.cancel()
            state.timer = Timer(number: number, wakesAt: deadline, task: sleep(until: deadline, as: number))
            return Ticket(number: number)
        }
    }

    /// Cancels an action, unless it has run or is about to run.
    package func cancel(_ ticket: Ticket) {
        let action = state.withLock { state in
            let action = state.actions.removeValue(forKey: ticket.number)
            if state.entries.count > 2 * state.actions.count + Self.maxCancelled { state.removeCancelled() }
            return action
        }
        // Release the action's captures without holding the mutex.
        withExtendedLifetime(action) {}
    }

    /// Waits for the value of a promise, which `expire` sets at the deadline.
    package func value<Value>(
        of promise: Promise<Value>, until deadline: MonotonicInstant, expire: @escaping @Sendable () -> Void
    ) async -> Value {
        if let value = promise.current { return value }
        let ticket = schedule(at: deadline, expire)
        defer { cancel(ticket) }
        return await promise.value
    }

    /// Starts a task that sleeps until the earliest deadline and then calls the actions that are due.
    ///
    /// - Parameter number: identifies the task, which ends when a task with another number has replaced it.
    private func sleep(until first: MonotonicInstant, as number: UInt64) -> Task<Void, Never> {
        Task(executorPreference: executor) { [weak self, clock] in
            var next: MonotonicInstant? = first
            while let instant = next {
                guard (try? await clock.sleep(until: instant)) != nil else { return }
                next = self?.runDue(as: number)
            }
        }
    }

    /// Runs every action whose deadline has passed.
    ///
    /// - Returns: when to wake next; `nil` if nothing is pending or another timer has taken over.
    private func runDue(as number: UInt64) -> MonotonicInstant? {
        let (due, next) = state.withLock { state -> ([@Sendable () -> Void], MonotonicInstant?) in
            guard state.timer?.number == number else { return ([], nil) }
            let due = state.takeDue(at: clock.monotonicNow())
            if let earliest = state.entries.min?.deadline {
                state.timer?.wakesAt = earliest
                return (due, earliest)
            }
            state.timer = nil
            return (due, nil)
        }
        for action in due { action() }
        return next
    }
}

extension DeadlineQueue.State {
    /// Removes and returns the due actions in the order of their deadlines; also removes cancelled entries before the next one.
    fileprivate mutating func takeDue(at now: MonotonicInstant) -> [@Sendable () -> Void] {
        var due: [@Sendable () -> Void] = []
        while let first = entries.min {
            let isCancelled = actions[first.number] == nil
            guard isCancelled || first.deadline <= now else { break }
            entries.removeMin()
            if let action = actions.removeValue(forKey: first.number) { due.append(action) }
        }
        return due
    }

    fileprivate mutating func removeCancelled() {
        entries = Heap(entries.unordered.filter { actions[$0.number] != nil })
    }
}
