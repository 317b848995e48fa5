internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT

/// Changes outside of a lock: in its broker's connection, its discovery and its attachment.
extension MQTTLock {
    /// Records that the broker's connection is lost: the lock's state becomes stale, and its availability unknown.
    func brokerDisconnected() {
        update { state in
            guard !state.isDetached else { return }
            let before = state.dialectState
            apply(dialect.connectionLost(&state.dialectState), after: before, &state)
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
            enqueue(.faults(Set(state.dialectState.faults.map(\.rawValue))), &state, after: state.lastCommand?.id)
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
            let before = state.dialectState
            apply(dialect.connectionLost(&state.dialectState), after: before, &state)
            enqueue(.faults(Set(state.dialectState.faults.map(\.rawValue))), &state, after: state.lastCommand?.id)
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
