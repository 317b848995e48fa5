import DequeModule
import Synchronization

/// A value that is set once and awaited by at most one task. Only the first `fulfil` takes effect.
package final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case awaited(CheckedContinuation<Value, Never>)
        case fulfilled(Value)
    }

    private let state = Mutex(State.empty)

    package init() {}

    /// Sets the value. Thread-safe; never suspends.
    ///
    /// - Returns: false if the promise was already fulfilled; `value` is then discarded.
    @discardableResult
    package func fulfil(_ value: Value) -> Bool {
        let (won, waiting) = state.withLock { state -> (Bool, CheckedContinuation<Value, Never>?) in
            switch state {
            case .empty:
                state = .fulfilled(value)
                return (true, nil)
            case .awaited(let continuation):
                state = .fulfilled(value)
                return (true, continuation)
            case .fulfilled:
                return (false, nil)
            }
        }
        waiting?.resume(returning: value)
        return won
    }

    /// The value, if it is already set.
    package var current: Value? {
        state.withLock { if case .fulfilled(let value) = $0 { value } else { nil } }
    }

    /// Waits for the value. At most one task may wait.
    package var value: Value {
        get async {
            if let current { return current }
            return await withCheckedContinuation { continuation in
                let ready = state.withLock { state -> Value? in
                    if case .fulfilled(let value) = state { return value }
                    state = .awaited(continuation)
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
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
