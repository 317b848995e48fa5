internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT
internal import Logging
internal import Synchronization

/// Changes outside of a lock: in its broker's connection, its discovery and its attachment.
extension MQTTLock {
    /// Records that the broker's connection is lost: the lock's state becomes stale, and its availability unknown.
    func brokerDisconnected() {
        update { state in
            guard !state.isDetached else { return }
            conclude(&state, dialect.connectionLost)
            if let last = state.lastCommand { state.lastCommand = (last.id, .none) }
            clearDelivery(&state)
        }
    }

    /// Records whether discovery has reported that the lock was removed. A removed lock stays attached, and its known state is
    /// stale.
    func mark(isRemoved: Bool) {
        update { state in
            guard !state.isDetached, state.isRemoved != isRemoved else { return }
            state.isRemoved = isRemoved
            enqueueFaults(&state)
            if isRemoved { markStale(&state) }
        }
    }

    /// Reports what the lock is, if the last report was different.
    ///
    /// - Parameter found: what is announced at the lock's topic, by the id in discovery. It is called while the lock's state is held, so
    ///   that what is announced meanwhile is reported afterwards. Another lock may have the name of one that was renamed.
    func reportProduct(_ found: () -> [(id: TopicText, product: LockProduct)]) {
        update { state in
            guard !state.isDetached, let product = found().first(where: { state.renamedID ?? $0.id == $0.id })?.product,
                state.product != product
            else { return }
            state.product = product
            enqueue(.product(product), &state, after: state.lastCommand?.id)
        }
    }

    /// Marks the lock as renamed: discovery lists it under another name than that of its address. Another lock may have the old
    /// name now, so nothing is sent to the topic with the old name, and messages with that name are ignored.
    ///
    /// - Parameter id: the lock's id in discovery; `nil` when the lock has the name of its address again.
    func mark(renamed id: TopicText?) {
        update { state in
            guard !state.isDetached, state.renamedID != id else { return }
            state.renamedID = id
            conclude(&state, dialect.connectionLost)
            enqueueFaults(&state)
            guard id == nil else { return }
            session.resubscribe(self)
            requestState(&state, at: context.clock.monotonicNow())
        }
    }

    /// Marks the known state of the bolt as stale, and reports that.
    func markStale(_ state: inout State) {
        state.dialectState.markStale()
        guard state.dialectState.position != .unknown else { return }
        enqueue(
            .state(state.dialectState.position.lockState, quality: .stale, method: nil, operatorName: nil), &state,
            after: state.lastCommand?.id)
    }

    /// Subscribes to the lock's topics, and reports its faults.
    func activate() {
        session.add(self)
        reportFaults()
    }

    /// Detaches this object: it processes no more messages, and sends nothing.
    ///
    /// - Parameter reason: why the object is detached. Queued events are still delivered, unless the lock is no longer attached.
    ///   For a lock without a route, the last reports are an unknown availability and a stale state.
    func deactivate(_ reason: DetachReason) {
        // `handOver(to:)` removes this object after its replacement was added, so that shared subscriptions are kept.
        defer { if reason != .replaced { session.remove(self) } }
        update { state in
            state.isDetached = true
            state.pendingReports =
                reason == .detached ? [] : state.pendingReports.filter { if case .event = $0.fact { true } else { false } }
            abandonCommand(&state)
            guard reason == .noRoute else { return }
            enqueue(.availability(nil), &state, after: state.lastCommand?.id)
            markStale(&state)
        }
    }

    /// Replaces this object by a newer one for the same device.
    func handOver(to replacement: MQTTLock) {
        deactivate(.replaced)
        replacement.activate()
        session.remove(self)
    }

    /// Why a lock object is detached, and what replaces it.
    enum DetachReason {
        /// The lock is no longer attached.
        case detached
        /// Another `MQTTLock` of the same device.
        case replaced
        /// The lock stays attached, without a route to its broker.
        case noRoute
    }
}

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

/// The time after which a jam that may be passing counts.
extension MQTTLock {
    /// Reports a jam that may have been passing, and has lasted.
    func concludePassingJam(_ state: inout State) {
        if state.dialectState.passingJam != nil { conclude(&state, dialect.concludePassingJam) }
    }

    /// Sets the timer for a jam that may be passing, or cancels it when the jam is over.
    func setJamTimer(_ state: inout State) {
        guard state.dialectState.passingJam != nil, let pending = state.pendingCommand else { return state.jamTimer.cancel() }
        guard state.jamTimer.due == nil else { return }
        let due = context.clock.monotonicNow().advanced(by: PassingJam.settlingTime)
        state.jamTimer.set(min(due, pending.nearEnd), clock: context.clock, executor: context.executor) { [weak self] setting in
            self?.update { state in
                guard state.jamTimer.expire(setting) else { return }
                self?.concludePassingJam(&state)
            }
        }
    }
}
