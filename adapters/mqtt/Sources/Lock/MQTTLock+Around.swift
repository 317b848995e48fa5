internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT

/// Changes outside of a lock: in its broker's connection, its discovery and its attachment.
extension MQTTLock {
    /// Records that the broker's connection is lost: the lock's state becomes stale, and its availability unknown.
    func brokerDisconnected() {
        change { state in
            guard !state.isDetached else { return }
            let before = state.memory
            take(dialect.lose(&state.memory), after: before, &state)
            if let last = state.lastOrder { state.lastOrder = (last.id, .none) }
            forgetDelivery(&state)
        }
    }

    /// Records whether discovery has reported that the lock was removed. A removed lock stays attached, and its known state is
    /// stale.
    func mark(isGone: Bool) {
        change { state in
            guard !state.isDetached, state.isGone != isGone else { return }
            state.isGone = isGone
            deliver(.faults(Set(state.memory.faults.map(\.rawValue))), &state, after: state.lastOrder?.id)
            if isGone { doubt(&state) }
        }
    }

    /// Marks the lock as renamed: discovery lists it under another name than that of its address. Another lock may have the old
    /// name now, so nothing is sent to the topic with the old name, and messages with that name are ignored.
    ///
    /// - Parameter id: the lock's id in discovery; `nil` when the lock has the name of its address again.
    func mark(renamed id: TopicText?) {
        change { state in
            guard !state.isDetached, state.renamedID != id else { return }
            state.renamedID = id
            let before = state.memory
            take(dialect.lose(&state.memory), after: before, &state)
            deliver(.faults(Set(state.memory.faults.map(\.rawValue))), &state, after: state.lastOrder?.id)
            guard id == nil else { return }
            link.listenAnew(for: self)
            query(&state, at: surroundings.clock.monotonicNow())
        }
    }

    /// Marks the known state of the bolt as stale, and reports that.
    func doubt(_ state: inout State) {
        state.memory.markStale()
        guard state.memory.position != .unknown else { return }
        deliver(
            .state(state.memory.position.lockState, quality: .stale, method: nil, operatorName: nil), &state,
            after: state.lastOrder?.id)
    }

    /// Subscribes to the lock's topics, and reports its faults.
    func arrive() {
        link.add(self)
        reportFaults()
    }

    /// Detaches this object: it processes no more messages, and sends nothing.
    ///
    /// - Parameter heir: why the object is detached. Queued events are still delivered, unless the
    ///   lock is no longer attached. For a lock without a route, the last reports are an unknown
    ///   availability and a stale state.
    func leave(_ heir: Heir) {
        // `give(wayTo:)` removes this object after its replacement was added, so that shared subscriptions are kept.
        defer { if heir != .newer { link.remove(self) } }
        change { state in
            state.isDetached = true
            state.outbox = heir == .nobody ? [] : state.outbox.filter { if case .event = $0.fact { true } else { false } }
            giveUpOrder(&state)
            guard heir == .noWay else { return }
            deliver(.availability(nil), &state, after: state.lastOrder?.id)
            doubt(&state)
        }
    }

    /// Replaces this object by a newer one for the same device.
    func give(wayTo newer: MQTTLock) {
        leave(.newer)
        newer.arrive()
        link.remove(self)
    }

    /// Why a lock object is detached, and what replaces it.
    enum Heir {
        /// The lock is no longer attached.
        case nobody
        /// Another `MQTTLock` of the same device.
        case newer
        /// The lock stays attached, without a route to its broker.
        case noWay
    }
}
