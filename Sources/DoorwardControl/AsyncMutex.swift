import DequeModule
import Synchronization

/// An asynchronous mutex: lets one task in at a time, in the order of arrival.
final class AsyncMutex: Sendable {
    private struct State {
        var isTaken = false
        var waiting = Deque<Promise<Void>>()
    }

    private let state = Mutex(State())

    func lock() async {
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

    func unlock() {
        let next = state.withLock { state -> Promise<Void>? in
            let next = state.waiting.popFirst()
            state.isTaken = next != nil
            return next
        }
        next?.fulfil(())
    }
}
