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
    }

    fileprivate struct Times {
        let first: Timestamp
        var last: Timestamp
    }

    /// One lock that was found, with when it was.
    struct Entry {
        let lock: FoundLock
        let firstSeen: Timestamp
        let lastSeen: Timestamp
    }

    let filters: [MQTTFilter]
    private let clock: any GatewayClock
    private let profiles: Set<String>
    private let onChange: @Sendable ([FoundLock]) -> Void
    private let state: Mutex<State>

    /// - Parameter onChange: told, for each message, of the locks that were found, changed or taken away by it.
    init(_ broker: MQTTBroker, clock: any GatewayClock, onChange: @escaping @Sendable ([FoundLock]) -> Void) {
        (self.clock, self.onChange) = (clock, onChange)
        profiles = Set(broker.profiles)
        let discovery = Discovery(profiles: profiles)
        filters = broker.isDiscovering ? discovery.filters : []
        state = Mutex(State(discovery: discovery))
    }

    /// Takes a message in, if it is one of discovery's.
    func hear(_ message: MQTTMessage) {
        guard filters.contains(where: { $0.matches(message.topic) }) else { return }
        let now = clock.now()
        let changed = state.withLock { state in
            let changes = state.discovery.hear(message)
            return changes.map { change in
                let lock = change.lock
                state.note(lock, at: now)
                return lock
            }
        }
        if !changed.isEmpty { onChange(changed) }
    }

    /// A new connection: the broker tells again of what it keeps, and what it no longer tells of is found no more.
    ///
    /// That says nothing of attached locks: a broker that has lost what it kept has taken none of them away.
    func beginAnew() {
        state.withLock { state in
            state.discovery = Discovery(profiles: profiles)
            (state.earlier, state.times) = (state.times, [:])
        }
    }

    /// Those that are there.
    var entries: [Entry] {
        state.withLock { state in
            state.discovery.locks.compactMap { lock in
                state.times[lock.id].map { Entry(lock: lock, firstSeen: $0.first, lastSeen: $0.last) }
            }
        }
    }
}

extension FoundLocks.State {
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
