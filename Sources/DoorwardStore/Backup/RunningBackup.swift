import Synchronization

/// Whether a backup is being written: one at a time is, and none of a store that closes.
final class RunningBackup: Sendable {
    private struct State {
        var isRunning = false
        var isStopped = false
    }

    private let state = Mutex(State())

    enum Admission {
        case begun
        case alreadyRunning
        /// The store closes.
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

    /// From now on none begins, and the one that runs gives up at its next step.
    func stop() { state.withLock { $0.isStopped = true } }

    var isRunning: Bool { state.withLock { $0.isRunning } }
    var isStopped: Bool { state.withLock { $0.isStopped } }
}
