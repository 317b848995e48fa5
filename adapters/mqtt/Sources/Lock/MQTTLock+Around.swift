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

    /// Marks whether discovery still lists the lock. A lock that is gone stays attached; its known state is stale.
    func mark(isGone: Bool) {
        change { state in
            guard !state.isDetached, state.isGone != isGone else { return }
            state.isGone = isGone
            deliver(.faults(Set(state.memory.faults.map(\.rawValue))), &state, after: state.lastOrder?.id)
            if isGone { doubt(&state) }
        }
    }

    /// Marks the lock as renamed where discovery lists it under another name than its address has. Under the old name another
    /// lock may take commands and publish: nothing is sent to that topic, and no message of that name is taken as this lock's.
    ///
    /// - Parameter id: its id in discovery; `nil` when it has its name again.
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
    /// - Parameter heir: the reason. Queued events are still delivered, but not those of a lock that is no longer attached; for a
    ///   lock without a route the last reports are an unknown availability and a stale state.
    func leave(_ heir: Heir) {
        // The replacement removes its predecessor later, so that shared subscriptions stay in place.
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
