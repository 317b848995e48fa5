import Synchronization

/// Tracks whether a backup is running: at most one runs at a time, and none starts after `stop`.
final class RunningBackup: Sendable {
    private struct State {
        var isRunning = false
        var isStopped = false
    }

    private let state = Mutex(State())

    enum Admission {
        case begun
        case alreadyRunning
        /// The store is closing.
        case stopped
    }

    func begin() -> Admission {
        state.withLock { state in
            if state.isStopped { return .stopped }
            if state.isRunning { return .alreadyRunning }
            state.isRunning = true
            return .begun
        }
    }

    func end() { state.withLock { $0.isRunning = false } }

    /// Prevents new backups, and stops the running one at its next step.
    func stop() { state.withLock { $0.isStopped = true } }

    var isRunning: Bool { state.withLock { $0.isRunning } }
    var isStopped: Bool { state.withLock { $0.isStopped } }
}
