internal import DoorwardAdapterKit
internal import DoorwardDomain

/// The time after which a jam that may be passing counts.
extension MQTTLock {
    /// Reports a jam that may have been passing, and has lasted.
    func concludePassingJam(_ state: inout State) {
        guard state.dialectState.passingJam != nil else { return }
        let before = state.dialectState
        apply(dialect.concludePassingJam(&state.dialectState), after: before, &state)
    }

    /// Sets the timer for a jam that may be passing, or cancels it when the jam is over.
    func setJamTimer(_ state: inout State) {
        guard state.dialectState.passingJam != nil, let pending = state.pendingCommand else { return state.jamTimer.cancel() }
        guard state.jamTimer.due == nil else { return }
        let due = context.clock.monotonicNow().advanced(by: PassingJam.patience)
        state.jamTimer.set(min(due, pending.nearEnd), clock: context.clock, executor: context.executor) { [weak self] setting in
            self?.update { state in
                guard state.jamTimer.expire(setting) else { return }
                self?.concludePassingJam(&state)
            }
        }
    }
}
