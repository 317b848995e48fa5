internal import DoorwardDomain
internal import Logging
internal import Synchronization

/// Dropped messages of a lock that publishes above its rate limit.
extension MQTTLock {
    /// How long a lock must have stayed below the rate limit before its lost values are requested.
    private static let quietPeriod = Duration.seconds(1)

    /// Records a dropped message. From now on the known state may be wrong; it is requested when the lock has stayed below the
    /// limit.
    func recordDrop(isFirst: Bool, _ state: inout State, at now: MonotonicInstant) {
        if state.lastDrop == nil { refreshOnceBelowLimit() }
        state.lastDrop = now
        guard isFirst else { return }
        if state.nextRateLimitLog.map({ $0 <= now }) ?? true {
            state.nextRateLimitLog = now.advanced(by: .seconds(60))
            context.logger.warning(
                "a lock is rate limited: its messages are dropped, and its state is requested when it is below the limit again",
                metadata: ["device": "\(id)"])
        }
        markStale(&state)
    }

    private func refreshOnceBelowLimit() {
        let clock = context.clock
        Task(executorPreference: context.executor) { [weak self] in
            repeat {
                guard (try? await clock.sleep(until: clock.monotonicNow().advanced(by: Self.quietPeriod))) != nil else { return }
            } while self?.refreshIfBelowLimit() == false
        }
    }

    /// - Returns: false while the lock is still above the limit.
    private func refreshIfBelowLimit() -> Bool {
        state.withLock { state in
            guard !state.isDetached, let last = state.lastDrop else { return true }
            let now = context.clock.monotonicNow()
            guard now >= last.advanced(by: Self.quietPeriod) else { return false }
            state.lastDrop = nil
            // Subscribe again for a lock that cannot be queried: the broker may have retained its last messages.
            if dialect.stateRequests.isEmpty { session.resubscribe(self) } else { requestState(&state, at: now) }
            return true
        }
    }
}
