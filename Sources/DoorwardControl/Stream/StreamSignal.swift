import Synchronization

/// Wakes one task. A signal before the task waits is not lost; several signals count as one.
final class StreamSignal: Sendable {
    private enum State {
        case clear
        case set
        case awaited(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(State.clear)

    func set() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard case .awaited(let continuation) = state else {
                state = .set
                return nil
            }
            state = .clear
            return continuation
        }
        waiting?.resume()
    }

    /// Waits for a signal, or until the task is cancelled. At most one task may wait.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isSet = state.withLock { state in
                    if case .set = state {
                        state = .clear
                        return true
                    }
                    state = .awaited(continuation)
                    return false
                }
                // The cancellation may have come before the continuation was stored.
                if isSet { continuation.resume() } else if Task.isCancelled { set() }
            }
        } onCancel: {
            set()
        }
    }
}
