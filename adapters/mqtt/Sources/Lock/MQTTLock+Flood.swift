internal import DoorwardDomain
internal import Logging
internal import Synchronization

/// Dropped messages of a lock that publishes above its rate limit.
extension MQTTLock {
    /// How long a lock must have stayed below the rate limit before its lost values are requested.
    private static let calm = Duration.seconds(1)

    /// Records a dropped message. From now on the known state may be wrong; it is requested when the lock has stayed below the
    /// limit.
    func missed(isFirst: Bool, _ state: inout State, at now: MonotonicInstant) {
        if state.lastDrop == nil { askOnceCalm() }
        state.lastDrop = now
        guard isFirst else { return }
        if state.nextFloodNote.map({ $0 <= now }) ?? true {
            state.nextFloodNote = now.advanced(by: .seconds(60))
            surroundings.logger.warning(
                "a lock is rate limited: its messages are dropped, and its state is requested when it is below the limit again",
                metadata: ["device": "\(id)"])
        }
        doubt(&state)
    }

    private func askOnceCalm() {
        let clock = surroundings.clock
        Task(executorPreference: surroundings.executor) { [weak self] in
            repeat {
                guard (try? await clock.sleep(until: clock.monotonicNow().advanced(by: Self.calm))) != nil else { return }
            } while self?.askIfCalm() == false
        }
    }

    /// - Returns: false while the lock is still above the limit.
    private func askIfCalm() -> Bool {
        state.withLock { state in
            guard !state.isDetached, let last = state.lastDrop else { return true }
            let now = surroundings.clock.monotonicNow()
            guard now >= last.advanced(by: Self.calm) else { return false }
            state.lastDrop = nil
            // Subscribe again for a lock that cannot be queried: the broker may have retained its last messages.
            if dialect.questions.isEmpty { link.listenAnew(for: self) } else { query(&state, at: now) }
            return true
        }
    }
}
