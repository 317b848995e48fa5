internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT
internal import Synchronization

/// What discovery knows of one broker, and since when.
final class FoundLocks: Sendable {
    fileprivate struct State {
        var discovery: Discovery
        var times: [TopicText: Times] = [:]
        /// Of the connection before, for those that have not been told of over this one.
        var earlier: [TopicText: Times] = [:]
        /// What is known of the way to each lock, by its id.
        var ways: [TopicText: Way] = [:]
        /// The ids of those that obey at a place.
        var ids: [CommandPlace: Set<TopicText>] = [:]
        /// The names of the locks that are identified by their hardware, by their ids. They outlive connections.
        var names: [TopicText: Names] = [:]
    }

    /// A found lock's profile and address, bound.
    fileprivate struct Way {
        /// Everywhere that it obeys, under whatever name; none where it cannot be spoken to.
        var places: Set<CommandPlace> = []
        /// `nil` where it cannot be spoken to.
        var capabilities: LockCapabilities?
        /// The one of `places` under its current name; `nil` where its id is not that of its hardware.
        var named: CommandPlace?
        /// Its uses of topics, which may conflict with those of other locks.
        var uses: Set<TopicUse> = []

        init(_ lock: FoundLock, _ library: ProfileLibrary) {
            guard let dialect = library[lock.profile].flatMap({ try? Dialect($0, variables: lock.variables) }) else { return }
            let others = lock.otherCommandTopics.compactMap { MQTTTopic($0) }.map { CommandPlace($0) }
            (places, capabilities, uses) = (dialect.places.union(others), dialect.capabilities, dialect.uses)
            if lock.isKnownByHardware { named = CommandPlace(dialect.commandTopic) }
        }
    }

    /// A lock's command topics under its current name and under its former names.
    fileprivate struct Names {
        /// Former names remembered per lock, at the most.
        static let most = 16
        var now: CommandPlace
        var former: [CommandPlace] = []

        /// - Parameter place: the command topic under the name that the bridge lists now.
        mutating func note(_ place: CommandPlace) {
            guard place != now else { return }
            former = (former.filter { $0 != place } + [now]).suffix(Self.most)
            now = place
        }
    }

    fileprivate struct Times {
        let first: Timestamp
        var last: Timestamp
    }

    /// One lock that was found, with when it was.
    struct Entry {
        let lock: FoundLock
        let places: Set<CommandPlace>
        /// `nil` where it cannot be spoken to as it is.
        let capabilities: LockCapabilities?
        let uses: Set<TopicUse>
        let firstSeen: Timestamp
        let lastSeen: Timestamp
    }

    /// What a message says of one lock.
    struct Told {
        let id: TopicText
        /// Everywhere that it obeys, or did.
        let places: Set<CommandPlace>
        let isGone: Bool
        /// The one of `places` under its current name; `nil` where its id is not that of its hardware, or where it is gone.
        var named: CommandPlace?
        /// Its command topic under the name that it has just lost.
        var former: CommandPlace?
    }

    let filters: [MQTTFilter]
    private let clock: any GatewayClock
    private let profiles: Set<String>
    private let library: ProfileLibrary
    private let onChange: @Sendable ([Told]) -> Void
    private let state: Mutex<State>

    /// - Parameter onChange: told, for each message, of the locks that were found, changed or taken away by it.
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

    /// Takes a message in, if it is one of discovery's.
    ///
    /// - Returns: the gaps in discovery that are new since this message, one clause each.
    func hear(_ message: MQTTMessage) -> [String] {
        guard isAnnounced(on: message.topic) else { return [] }
        let now = clock.now()
        let (told, added) = state.withLock { state in
            let known = Set(state.discovery.notices)
            let told = state.discovery.hear(message).map { change in
                let id = TopicText(change.lock.id)
                let before = state.forget(id)
                state.note(change.lock, at: now)
                guard !change.lock.isGone else { return Told(id: id, places: before?.places ?? [], isGone: true) }
                let way = Way(change.lock, library)
                state.keep(way, of: id)
                let former = state.noteName(of: way, id)
                return Told(id: id, places: way.places, isGone: false, named: way.named, former: former)
            }
            return (told, state.discovery.notices.filter { !known.contains($0) })
        }
        if !told.isEmpty { onChange(told) }
        return added
    }

    /// The profiles have changed.
    func bindAnew() {
        state.withLock { state in
            (state.ways, state.ids) = ([:], [:])
            for lock in state.discovery.locks { state.keep(Way(lock, library), of: TopicText(lock.id)) }
        }
    }

    /// These places, and where locks that obey at one of them obey under their other names.
    func withSpellings(_ places: Set<CommandPlace>) -> Set<CommandPlace> {
        state.withLock { state in
            let ids = places.reduce(into: Set<TopicText>()) { $0.formUnion(state.ids[$1] ?? []) }
            return ids.reduce(into: places) { $0.formUnion(state.ways[$1]?.places ?? []) }
        }
    }

    /// The ids of the locks that take commands at one of these places.
    func ids(at places: Set<CommandPlace>) -> Set<TopicText> {
        state.withLock { state in places.reduce(into: []) { $0.formUnion(state.ids[$1] ?? []) } }
    }

    /// The id of the lock that was renamed from the name at a place; `nil` where no such lock is known, and where another lock
    /// has the name now.
    func renamed(from place: CommandPlace) -> TopicText? {
        state.withLock { state in
            // After a reconnect the names are known before the places are.
            guard !state.names.values.contains(where: { $0.now == place }) else { return nil }
            let there = state.ids[place] ?? []
            guard !there.contains(where: { state.names[$0].map { $0.now == place } ?? true }) else { return nil }
            let ids = there.isEmpty ? Set(state.names.filter { $0.value.former.contains(place) }.keys) : there
            return ids.min { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
        }
    }

    /// A new connection: the broker tells again of what it keeps, and what it no longer tells of is found no more.
    ///
    /// That says nothing of attached locks: a broker that has lost what it kept has taken none of them away.
    func beginAnew() {
        state.withLock { state in
            state.discovery = Discovery(profiles: profiles)
            (state.earlier, state.times) = (state.times, [:])
            (state.ways, state.ids) = ([:], [:])
        }
    }

    /// Those that are there.
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
    fileprivate mutating func keep(_ way: FoundLocks.Way, of id: TopicText) {
        ways[id] = way
        for place in way.places { ids[place, default: []].insert(id) }
    }

    /// - Returns: what was known of the way to the lock.
    fileprivate mutating func forget(_ id: TopicText) -> FoundLocks.Way? {
        let way = ways.removeValue(forKey: id)
        for place in way?.places ?? [] {
            ids[place]?.remove(id)
            if ids[place]?.isEmpty == true { ids[place] = nil }
        }
        return way
    }

    /// - Returns: the lock's command topic under the name that it has just lost.
    fileprivate mutating func noteName(of way: FoundLocks.Way, _ id: TopicText) -> CommandPlace? {
        guard let place = way.named else { return nil }
        // Forget the names of locks that are no longer found.
        if names.count > 2 * Discovery.mostLocks { names = names.filter { ways[$0.key] != nil } }
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
