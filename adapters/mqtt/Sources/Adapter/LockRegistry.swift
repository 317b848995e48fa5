internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT
internal import Synchronization

/// A command endpoint, which identifies a lock, or a topic use, on a broker.
struct OnBroker<Key: Hashable>: Hashable {
    let broker: String
    let key: Key
}

/// The attached locks, by id and by command endpoint.
final class LockRegistry: Sendable {
    enum Entry {
        case lock(MQTTLock)
        /// A lock whose address does not fit the configuration.
        case unresolved(AttachedLock)
    }

    fileprivate struct State {
        var entries: [DeviceID: Entry] = [:]
        /// The attached locks by their command endpoints. An endpoint has several locks if they were attached before they were
        /// known to be the same lock; the one attached last comes last.
        var byEndpoint: [OnBroker<CommandEndpoint>: [MQTTLock]] = [:]
        /// The locks by their broker and their topic uses, to find conflicts.
        var byUse: [OnBroker<TopicUse>: [MQTTLock]] = [:]
        var isStarted = false
    }

    private let state = Mutex(State())

    var isStarted: Bool { state.withLock { $0.isStarted } }

    /// - Returns: false if it was already started.
    func start() -> Bool {
        state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
    }

    func stop() { state.withLock { $0.isStarted = false } }

    /// Adds a lock. It replaces the lock with the same id in a single step.
    ///
    /// - Returns: the lock that it replaces.
    func add(_ lock: MQTTLock) -> MQTTLock? {
        state.withLock { state in
            let before = state.remove(lock.id)
            state.entries[lock.id] = .lock(lock)
            for endpoint in lock.brokerEndpoints { state.byEndpoint[endpoint, default: []].append(lock) }
            for use in lock.brokerUses { state.byUse[use, default: []].append(lock) }
            return before
        }
    }

    /// Records a lock whose address does not fit the configuration.
    ///
    /// - Returns: the lock that it replaces.
    func addUnresolved(_ lock: AttachedLock) -> MQTTLock? {
        state.withLock { state in
            defer { state.entries[lock.id] = .unresolved(lock) }
            return state.remove(lock.id)
        }
    }

    func remove(_ id: DeviceID) -> MQTTLock? { state.withLock { $0.remove(id) } }

    func entry(_ id: DeviceID) -> Entry? { state.withLock { $0.entries[id] } }

    /// Returns the locks that have one of these command endpoints.
    func locks(at endpoints: Set<CommandEndpoint>, on broker: String) -> [MQTTLock] {
        state.withLock { state in
            guard !state.byEndpoint.isEmpty else { return [] }
            var seen: Set<DeviceID> = []
            return endpoints.flatMap { state.byEndpoint[OnBroker(broker: broker, key: $0)] ?? [] }.filter {
                seen.insert($0.id).inserted
            }
        }
    }

    /// Returns the attached locks with a topic use that conflicts with one of `uses`, one element for each conflict.
    func conflicts(with uses: Set<TopicUse>, on broker: String) -> [(id: DeviceID, topic: TopicText, problem: VariableProblem)] {
        state.withLock { state in
            guard !state.byUse.isEmpty else { return [] }
            return uses.flatMap { use in
                use.conflictingUses.flatMap { other in
                    (state.byUse[OnBroker(broker: broker, key: other.use)] ?? []).map {
                        (id: $0.id, topic: use.topic, problem: other.problem)
                    }
                }
            }
        }
    }

    /// Marks attached locks as removed or present, according to the entries of one discovery message, and reports what they are.
    func apply(_ updates: [BrokerDiscovery.DiscoveryUpdate], on broker: String) {
        let listed = updates.filter { !$0.lock.isRemoved }
        let listedEndpoints = listed.reduce(into: Set<CommandEndpoint>()) { $0.formUnion($1.resolved.endpoints) }
        // A lock that the same message lists under another endpoint is not removed.
        for update in updates where !update.lock.isRemoved || update.resolved.endpoints.isDisjoint(with: listedEndpoints) {
            for lock in locks(at: update.resolved.endpoints, on: broker) { lock.mark(isRemoved: update.lock.isRemoved) }
        }
        for update in listed { updateRenameMark(update, on: broker) }
        // Announcements that contradict each other do not show what the lock is.
        for update in listed where update.lock.problem == nil {
            for lock in locks(at: update.resolved.endpoints, on: broker) {
                lock.reportProduct { [(TopicText(update.lock.id), update.lock.product)] }
            }
        }
    }

    /// Marks a lock as renamed if its bridge lists it under another name than that of its command topic. Removes the mark when
    /// both names are the same again.
    private func updateRenameMark(_ update: BrokerDiscovery.DiscoveryUpdate, on broker: String) {
        guard let current = update.resolved.currentEndpoint else { return }
        let (id, endpoints) = (TopicText(update.lock.id), update.resolved.endpoints)
        for lock in locks(at: endpoints.union([update.previousEndpoint].compactMap(\.self)), on: broker) {
            if lock.commandEndpoint == current {
                // Another lock may have taken this name. Remove the mark only if the lock with the marked id has the name again.
                if lock.renamedID == id { lock.mark(renamed: nil) }
            } else if update.previousEndpoint == lock.commandEndpoint || endpoints.contains(lock.commandEndpoint),
                lock.renamedID == nil
            {
                lock.mark(renamed: id)
            }
        }
    }

    /// Returns an attached lock that is marked as renamed and has one of these ids in discovery.
    func renamedLock(withAnyOf ids: Set<TopicText>, on broker: String) -> MQTTLock? {
        all.first { lock in lock.brokerEndpoints.first?.broker == broker && lock.renamedID.map(ids.contains) == true }
    }

    var all: [MQTTLock] {
        state.withLock { $0.entries.values.compactMap { if case .lock(let lock) = $0 { lock } else { nil } } }
    }

    /// The locks whose address does not fit the configuration.
    var unresolved: [AttachedLock] {
        state.withLock { $0.entries.values.compactMap { if case .unresolved(let lock) = $0 { lock } else { nil } } }
    }
}

extension LockRegistry.State {
    fileprivate mutating func remove(_ id: DeviceID) -> MQTTLock? {
        guard case .lock(let lock) = entries.removeValue(forKey: id) else { return nil }
        for endpoint in lock.brokerEndpoints { byEndpoint.remove(lock, at: endpoint) }
        for use in lock.brokerUses { byUse.remove(lock, at: use) }
        return lock
    }
}

extension Dictionary where Value == [MQTTLock] {
    fileprivate mutating func remove(_ lock: MQTTLock, at key: Key) {
        self[key]?.removeAll { $0 === lock }
        if self[key]?.isEmpty == true { self[key] = nil }
    }
}
