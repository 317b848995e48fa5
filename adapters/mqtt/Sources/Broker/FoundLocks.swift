internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT
internal import Synchronization

/// The locks that discovery has found on one broker, with the times when they were found.
final class FoundLocks: Sendable {
    fileprivate struct State {
        var discovery: Discovery
        var times: [TopicText: Times] = [:]
        /// The times from the previous connection, of the locks that are not announced yet on this connection.
        var earlier: [TopicText: Times] = [:]
        /// The resolved profile and address of each lock, by its id.
        var ways: [TopicText: ResolvedTransport] = [:]
        /// The ids of the locks by their command endpoints.
        var ids: [CommandEndpoint: Set<TopicText>] = [:]
        /// The names of the locks that have a hardware id, by this id. They are kept when the
        /// connection ends.
        var names: [TopicText: Names] = [:]
    }

    /// The resolved profile and address of a discovered lock.
    fileprivate struct ResolvedTransport {
        /// All command endpoints of the lock, under any of its names; empty if the lock's profile or address cannot be used.
        var places: Set<CommandEndpoint> = []
        /// The capabilities of the lock; `nil` if its profile or address cannot be used.
        var capabilities: LockCapabilities?
        /// The endpoint in `places` under the lock's current name; `nil` if the lock's id is not a
        /// hardware id.
        var named: CommandEndpoint?
        /// The topic uses of the lock, which may conflict with those of other locks.
        var uses: Set<TopicUse> = []

        init(_ lock: FoundLock, _ library: ProfileLibrary) {
            guard let dialect = library[lock.profile].flatMap({ try? Dialect($0, variables: lock.variables) }) else { return }
            let others = lock.otherCommandTopics.compactMap { MQTTTopic($0) }.map { CommandEndpoint($0) }
            (places, capabilities, uses) = (dialect.places.union(others), dialect.capabilities, dialect.uses)
            if lock.isKnownByHardware { named = CommandEndpoint(dialect.commandTopic) }
        }
    }

    /// A lock's command topics under its current name and under its former names.
    fileprivate struct Names {
        /// Maximum number of former names remembered per lock.
        static let most = 16
        var now: CommandEndpoint
        var former: [CommandEndpoint] = []

        /// - Parameter place: the command topic under the name that the bridge lists now.
        mutating func note(_ place: CommandEndpoint) {
            guard place != now else { return }
            former = (former.filter { $0 != place } + [now]).suffix(Self.most)
            now = place
        }
    }

    fileprivate struct Times {
        let first: Timestamp
        var last: Timestamp
    }

    /// A discovered lock, with the times when it was found.
    struct Entry {
        let lock: FoundLock
        let places: Set<CommandEndpoint>
        /// The capabilities of the lock; `nil` if its profile or address cannot be used.
        let capabilities: LockCapabilities?
        let uses: Set<TopicUse>
        let firstSeen: Timestamp
        let lastSeen: Timestamp
    }

    /// The change that one discovery message makes to one lock.
    struct Told {
        let id: TopicText
        /// All command endpoints of the lock; for a lock that is gone, the former ones.
        let places: Set<CommandEndpoint>
        let isGone: Bool
        /// The endpoint in `places` under the lock's current name; `nil` if the lock's id is not a
        /// hardware id, or if the lock is gone.
        var named: CommandEndpoint?
        /// The command endpoint under the lock's previous name, if this message has changed the name; else `nil`.
        var former: CommandEndpoint?
    }

    let filters: [MQTTFilter]
    private let clock: any GatewayClock
    private let profiles: Set<String>
    private let library: ProfileLibrary
    private let onChange: @Sendable ([Told]) -> Void
    private let state: Mutex<State>

    /// - Parameter onChange: called once per message with the locks that it adds, changes or removes.
    init(
        _ broker: MQTTBroker, _ library: ProfileLibrary, clock: any GatewayClock, onChange: @escaping @Sendable ([Told]) -> Void
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
    func isAnnounced(on topic: String) -> Bool { filters.contains { $0.matches(topic) } }

    /// Processes a message, if it is on a discovery topic.
    ///
    /// - Returns: the gaps in discovery that this message has caused, one clause each.
    func receive(_ message: MQTTMessage) -> [String] {
        guard isAnnounced(on: message.topic) else { return [] }
        let now = clock.now()
        let (told, added) = state.withLock { state in
            let known = Set(state.discovery.notices)
            let told = state.discovery.receive(message).map { change in
                let id = TopicText(change.lock.id)
                let before = state.forget(id)
                state.note(change.lock, at: now)
                guard !change.lock.isGone else { return Told(id: id, places: before?.places ?? [], isGone: true) }
                let way = ResolvedTransport(change.lock, library)
                state.keep(way, of: id)
                let former = state.noteName(of: way, id)
                return Told(id: id, places: way.places, isGone: false, named: way.named, former: former)
            }
            return (told, state.discovery.notices.filter { !known.contains($0) })
        }
        if !told.isEmpty { onChange(told) }
        return added
    }

    /// Resolves all locks again, after the profiles have changed.
    func bindAnew() {
        state.withLock { state in
            (state.ways, state.ids) = ([:], [:])
            for lock in state.discovery.locks { state.keep(ResolvedTransport(lock, library), of: TopicText(lock.id)) }
        }
    }

    /// Returns these endpoints and their aliases: the endpoints of the same locks under other
    /// names.
    func withAliases(_ places: Set<CommandEndpoint>) -> Set<CommandEndpoint> {
        state.withLock { state in
            let ids = places.reduce(into: Set<TopicText>()) { $0.formUnion(state.ids[$1] ?? []) }
            return ids.reduce(into: places) { $0.formUnion(state.ways[$1]?.places ?? []) }
        }
    }

    /// Returns the ids of the locks that have one of these command endpoints.
    func ids(at places: Set<CommandEndpoint>) -> Set<TopicText> {
        state.withLock { state in places.reduce(into: []) { $0.formUnion(state.ids[$1] ?? []) } }
    }

    /// Returns the id of the lock whose former name is that of this endpoint; `nil` if no such lock is known, or if another lock
    /// has the name now.
    func renamed(from place: CommandEndpoint) -> TopicText? {
        state.withLock { state in
            // After a reconnect, `names` contains locks that are not in `ids` yet.
            guard !state.names.values.contains(where: { $0.now == place }) else { return nil }
            let there = state.ids[place] ?? []
            guard !there.contains(where: { state.names[$0].map { $0.now == place } ?? true }) else { return nil }
            let ids = there.isEmpty ? Set(state.names.filter { $0.value.former.contains(place) }.keys) : there
            return ids.min { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
        }
    }

    /// Starts discovery again on a new connection. The broker sends its retained messages again; a lock that none of them
    /// announces is no longer found.
    ///
    /// Does not mark attached locks as gone: if the broker has lost its retained messages, no lock was removed.
    func reset() {
        state.withLock { state in
            state.discovery = Discovery(profiles: profiles)
            (state.earlier, state.times) = (state.times, [:])
            (state.ways, state.ids) = ([:], [:])
        }
    }

    /// The discovered locks.
    var entries: [Entry] {
        state.withLock { state in
            state.discovery.locks.compactMap { lock in
                let id = TopicText(lock.id)
                guard let times = state.times[id], let way = state.ways[id] else { return nil }
                return Entry(
                    lock: lock, places: way.places, capabilities: way.capabilities, uses: way.uses, firstSeen: times.first,
                    lastSeen: times.last)
            }
        }
    }
}

extension FoundLocks.State {
    fileprivate mutating func keep(_ way: FoundLocks.ResolvedTransport, of id: TopicText) {
        ways[id] = way
        for place in way.places { ids[place, default: []].insert(id) }
    }

    /// - Returns: the resolved profile and address of the removed lock.
    fileprivate mutating func forget(_ id: TopicText) -> FoundLocks.ResolvedTransport? {
        let way = ways.removeValue(forKey: id)
        for place in way?.places ?? [] {
            ids[place]?.remove(id)
            if ids[place]?.isEmpty == true { ids[place] = nil }
        }
        return way
    }

    /// - Returns: the command endpoint under the lock's previous name if the name has changed, else `nil`.
    fileprivate mutating func noteName(of way: FoundLocks.ResolvedTransport, _ id: TopicText) -> CommandEndpoint? {
        guard let place = way.named else { return nil }
        // Forget the names of locks that are no longer found.
        if names.count > 2 * Discovery.maxLocks { names = names.filter { ways[$0.key] != nil } }
        let before = names[id]?.now
        names[id, default: FoundLocks.Names(now: place)].note(place)
        return before == place ? nil : before
    }

    fileprivate mutating func note(_ lock: FoundLock, at now: Timestamp) {
        let id = TopicText(lock.id)
        let before = earlier.removeValue(forKey: id)
        if lock.isGone {
            times[id] = nil
        } else {
            let first = times[id]?.first ?? before?.first ?? now
            times[id] = FoundLocks.Times(first: first, last: now)
        }
    }
}
