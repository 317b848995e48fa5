internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT
internal import Synchronization

/// The locks that discovery has found on one broker, with the times when they were found.
final class BrokerDiscovery: Sendable {
    fileprivate struct State {
        var discovery: Discovery
        var times: [TopicText: Times] = [:]
        /// The times from the previous connection, of the locks that are not announced yet on this connection.
        var previousTimes: [TopicText: Times] = [:]
        /// The resolved profile and address of each lock, by its id.
        var resolvedLocks: [TopicText: ResolvedLock] = [:]
        /// The ids of the locks by their command endpoints.
        var ids: [CommandEndpoint: Set<TopicText>] = [:]
        /// The names of the locks that have a hardware id, by this id. They are kept when the connection ends.
        var names: [TopicText: Names] = [:]
    }

    /// The resolved profile and address of a discovered lock.
    struct ResolvedLock {
        /// All command endpoints of the lock, under any of its names; empty if the lock's profile or address cannot be used.
        var endpoints: Set<CommandEndpoint> = []
        /// The capabilities of the lock; `nil` if its profile or address cannot be used.
        var capabilities: LockCapabilities?
        /// The endpoint in `endpoints` under the lock's current name; `nil` if the lock's id is not a hardware id.
        var currentEndpoint: CommandEndpoint?
        /// The topic uses of the lock, which may conflict with those of other locks.
        var uses: Set<TopicUse> = []
    }

    /// A lock's command topics under its current name and under its former names.
    fileprivate struct Names {
        /// Maximum number of former names remembered per lock.
        static let maxFormer = 16
        var current: CommandEndpoint
        var former: [CommandEndpoint] = []

        /// - Parameter endpoint: the command topic under the name that the bridge lists now.
        mutating func update(_ endpoint: CommandEndpoint) {
            guard endpoint != current else { return }
            former = (former.filter { $0 != endpoint } + [current]).suffix(Self.maxFormer)
            current = endpoint
        }
    }

    struct Times {
        let first: Timestamp
        let last: Timestamp
    }

    /// A discovered lock, with the times when it was found.
    struct Record {
        let lock: AnnouncedLock
        let resolved: ResolvedLock
        let times: Times
    }

    /// The change that one discovery message makes to one lock.
    struct DiscoveryUpdate {
        /// The lock as announced now, or as it was announced before it was removed.
        let lock: AnnouncedLock
        /// The resolved profile and address of `lock`.
        let resolved: ResolvedLock
        /// The command endpoint under the lock's previous name, if this message has changed the name; else `nil`.
        var previousEndpoint: CommandEndpoint?
    }

    let filters: [MQTTFilter]
    private let clock: any GatewayClock
    private let profiles: Set<String>
    private let library: ProfileLibrary
    private let onChange: @Sendable ([DiscoveryUpdate]) -> Void
    private let state: Mutex<State>

    /// - Parameter onChange: called once per message with the locks that it adds, changes or removes.
    init(
        _ broker: MQTTBroker, _ library: ProfileLibrary, clock: any GatewayClock,
        onChange: @escaping @Sendable ([DiscoveryUpdate]) -> Void
    ) {
        (self.library, self.clock, self.onChange) = (library, clock, onChange)
        profiles = Set(broker.profiles)
        let discovery = Discovery(profiles: profiles)
        filters = broker.isDiscovering ? discovery.filters : []
        state = Mutex(State(discovery: discovery))
    }

    /// The gaps in discovery, one clause each.
    var notices: [String] { state.withLock { $0.discovery.notices } }

    /// Whether discovery subscribes to a topic.
    func isDiscoveryTopic(_ topic: String) -> Bool { filters.contains { $0.matches(topic) } }

    /// Processes a message, if it is on a discovery topic.
    ///
    /// - Returns: the gaps in discovery that this message has caused, one clause each.
    func receive(_ message: MQTTMessage) -> [String] {
        guard isDiscoveryTopic(message.topic) else { return [] }
        let now = clock.now()
        let (updates, newNotices) = state.withLock { state in
            let known = Set(state.discovery.notices)
            let updates = state.discovery.receive(message).map { lock in
                let id = TopicText(lock.id)
                let before = state.remove(id)
                state.updateTimes(lock, at: now)
                guard !lock.isRemoved else { return DiscoveryUpdate(lock: lock, resolved: before ?? ResolvedLock()) }
                let resolved = ResolvedLock(lock, library)
                state.insert(resolved, of: id)
                return DiscoveryUpdate(lock: lock, resolved: resolved, previousEndpoint: state.updateName(of: resolved, id))
            }
            return (updates, state.discovery.notices.filter { !known.contains($0) })
        }
        if !updates.isEmpty { onChange(updates) }
        return newNotices
    }

    /// Resolves all locks again, after the profiles have changed.
    func resolveAll() {
        state.withLock { state in
            (state.resolvedLocks, state.ids) = ([:], [:])
            for lock in state.discovery.locks { state.insert(ResolvedLock(lock, library), of: TopicText(lock.id)) }
        }
    }

    /// Returns these endpoints and their aliases: the endpoints of the same locks under other names.
    func withAliases(_ endpoints: Set<CommandEndpoint>) -> Set<CommandEndpoint> {
        state.withLock { state in
            let ids = endpoints.reduce(into: Set<TopicText>()) { $0.formUnion(state.ids[$1] ?? []) }
            return ids.reduce(into: endpoints) { $0.formUnion(state.resolvedLocks[$1]?.endpoints ?? []) }
        }
    }

    /// Returns the ids of the locks that have one of these command endpoints.
    func ids(at endpoints: Set<CommandEndpoint>) -> Set<TopicText> {
        state.withLock { state in endpoints.reduce(into: []) { $0.formUnion(state.ids[$1] ?? []) } }
    }

    /// What the announced locks with this command endpoint are, by their ids. Announcements with a problem, such as those that contradict
    /// each other, are left out.
    func products(at endpoint: CommandEndpoint) -> [(id: TopicText, product: LockProduct)] {
        state.withLock { state in
            (state.ids[endpoint] ?? []).compactMap { id in
                state.discovery.lock(id).flatMap { $0.problem == nil ? (id, $0.product) : nil }
            }
        }
    }

    /// Returns the id of the lock whose former name is that of this endpoint; `nil` if no such lock is known, or if another lock
    /// has the name now.
    func renamedLock(from endpoint: CommandEndpoint) -> TopicText? {
        state.withLock { state in
            // After a reconnect, `names` contains locks that are not in `ids` yet.
            guard !state.names.values.contains(where: { $0.current == endpoint }) else { return nil }
            let listed = state.ids[endpoint] ?? []
            guard !listed.contains(where: { state.names[$0].map { $0.current == endpoint } ?? true }) else { return nil }
            let ids = listed.isEmpty ? Set(state.names.filter { $0.value.former.contains(endpoint) }.keys) : listed
            return ids.min { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
        }
    }

    /// Starts discovery again on a new connection. The broker sends its retained messages again; a lock that none of them
    /// announces is no longer found.
    ///
    /// Does not mark attached locks as removed: if the broker has lost its retained messages, no lock was removed.
    func reset() {
        state.withLock { state in
            state.discovery = Discovery(profiles: profiles)
            (state.previousTimes, state.times) = (state.times, [:])
            (state.resolvedLocks, state.ids) = ([:], [:])
        }
    }

    /// The discovered locks.
    var records: [Record] {
        state.withLock { state in
            state.discovery.locks.compactMap { lock in
                let id = TopicText(lock.id)
                guard let times = state.times[id], let resolved = state.resolvedLocks[id] else { return nil }
                return Record(lock: lock, resolved: resolved, times: times)
            }
        }
    }
}

extension BrokerDiscovery.ResolvedLock {
    init(_ lock: AnnouncedLock, _ library: ProfileLibrary) {
        guard let dialect = library[lock.profile].flatMap({ try? Dialect($0, variables: lock.variables) }) else { return }
        let others = lock.otherCommandTopics.compactMap { MQTTTopic($0) }.map { CommandEndpoint($0) }
        (endpoints, capabilities, uses) = (dialect.endpoints.union(others), dialect.capabilities, dialect.uses)
        if lock.hasHardwareID { currentEndpoint = CommandEndpoint(dialect.commandTopic) }
    }
}

extension BrokerDiscovery.State {
    fileprivate mutating func insert(_ resolved: BrokerDiscovery.ResolvedLock, of id: TopicText) {
        resolvedLocks[id] = resolved
        for endpoint in resolved.endpoints { ids.insert(id, at: endpoint) }
    }

    /// - Returns: the resolved profile and address of the removed lock.
    fileprivate mutating func remove(_ id: TopicText) -> BrokerDiscovery.ResolvedLock? {
        let resolved = resolvedLocks.removeValue(forKey: id)
        for endpoint in resolved?.endpoints ?? [] { ids.remove(id, at: endpoint) }
        return resolved
    }

    /// - Returns: the command endpoint under the lock's previous name if the name has changed, else `nil`.
    fileprivate mutating func updateName(of resolved: BrokerDiscovery.ResolvedLock, _ id: TopicText) -> CommandEndpoint? {
        guard let endpoint = resolved.currentEndpoint else { return nil }
        // Forget the names of locks that are no longer found.
        if names.count > 2 * Discovery.maxLocks { names = names.filter { resolvedLocks[$0.key] != nil } }
        let before = names[id]?.current
        names[id, default: BrokerDiscovery.Names(current: endpoint)].update(endpoint)
        return before == endpoint ? nil : before
    }

    fileprivate mutating func updateTimes(_ lock: AnnouncedLock, at now: Timestamp) {
        let id = TopicText(lock.id)
        let before = previousTimes.removeValue(forKey: id)
        times[id] = lock.isRemoved ? nil : BrokerDiscovery.Times(first: (times[id] ?? before)?.first ?? now, last: now)
    }
}
