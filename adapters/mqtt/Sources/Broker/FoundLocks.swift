internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT
internal import Synchronization

/// What discovery knows of one broker, and since when.
final class FoundLocks: Sendable {
    fileprivate struct State {
        var discovery: Discovery
        var times: [String: Times] = [:]
        /// Of the connection before, for those that have not been told of over this one.
        var earlier: [String: Times] = [:]
        /// What is known of the way to each lock, by its id.
        var ways: [String: Way] = [:]
        /// The ids of those that obey at a place.
        var ids: [CommandPlace: Set<String>] = [:]
    }

    /// A found lock's profile and address, bound.
    fileprivate struct Way {
        /// Everywhere that it obeys, under whatever name; none where it cannot be spoken to.
        var places: Set<CommandPlace> = []
        /// `nil` where it cannot be spoken to.
        var capabilities: LockCapabilities?

        init(_ lock: FoundLock, _ library: ProfileLibrary) {
            guard let dialect = library[lock.profile].flatMap({ try? Dialect($0, variables: lock.variables) }) else { return }
            let others = lock.otherCommandTopics.compactMap { MQTTTopic($0) }.map { CommandPlace($0) }
            (places, capabilities) = (dialect.places.union(others), dialect.capabilities)
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
        let firstSeen: Timestamp
        let lastSeen: Timestamp
    }

    /// What a message says of one lock.
    struct Told {
        /// Everywhere that it obeys, or did.
        let places: Set<CommandPlace>
        let isGone: Bool
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

    /// Takes a message in, if it is one of discovery's.
    func hear(_ message: MQTTMessage) {
        guard filters.contains(where: { $0.matches(message.topic) }) else { return }
        let now = clock.now()
        let told = state.withLock { state in
            state.discovery.hear(message).map { change in
                let before = state.forget(change.lock.id)
                state.note(change.lock, at: now)
                guard !change.lock.isGone else { return Told(places: before?.places ?? [], isGone: true) }
                let way = Way(change.lock, library)
                state.keep(way, of: change.lock.id)
                return Told(places: way.places, isGone: false)
            }
        }
        if !told.isEmpty { onChange(told) }
    }

    /// The profiles have changed.
    func bindAnew() {
        state.withLock { state in
            (state.ways, state.ids) = ([:], [:])
            for lock in state.discovery.locks { state.keep(Way(lock, library), of: lock.id) }
        }
    }

    /// These places, and where locks that obey at one of them obey under their other names.
    func withSpellings(_ places: Set<CommandPlace>) -> Set<CommandPlace> {
        state.withLock { state in
            let ids = places.reduce(into: Set<String>()) { $0.formUnion(state.ids[$1] ?? []) }
            return ids.reduce(into: places) { $0.formUnion(state.ways[$1]?.places ?? []) }
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
                guard let times = state.times[lock.id], let way = state.ways[lock.id] else { return nil }
                return Entry(
                    lock: lock, places: way.places, capabilities: way.capabilities, firstSeen: times.first, lastSeen: times.last)
            }
        }
    }
}

extension FoundLocks.State {
    fileprivate mutating func keep(_ way: FoundLocks.Way, of id: String) {
        ways[id] = way
        for place in way.places { ids[place, default: []].insert(id) }
    }

    /// - Returns: what was known of the way to the lock.
    fileprivate mutating func forget(_ id: String) -> FoundLocks.Way? {
        let way = ways.removeValue(forKey: id)
        for place in way?.places ?? [] {
            ids[place]?.remove(id)
            if ids[place]?.isEmpty == true { ids[place] = nil }
        }
        return way
    }

    fileprivate mutating func note(_ lock: FoundLock, at now: Timestamp) {
        let before = earlier.removeValue(forKey: lock.id)
        if lock.isGone {
            times[lock.id] = nil
        } else {
            let first = times[lock.id]?.first ?? before?.first ?? now
            times[lock.id] = FoundLocks.Times(first: first, last: now)
        }
    }
}
