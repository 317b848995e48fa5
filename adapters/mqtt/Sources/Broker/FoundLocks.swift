internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT
internal import Synchronization

/// What discovery knows of one broker, and since when.
final class FoundLocks: Sendable {
    private struct State {
        var discovery: Discovery
        var times: [String: Times] = [:]
    }

    private struct Times {
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
    private let onChange: @Sendable (FoundLock) -> Void
    private let state: Mutex<State>

    /// - Parameter onChange: told of every lock that was found, changed or taken away.
    init(_ broker: MQTTBroker, clock: any GatewayClock, onChange: @escaping @Sendable (FoundLock) -> Void) {
        (self.clock, self.onChange) = (clock, onChange)
        let discovery = Discovery(profiles: Set(broker.profiles))
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
                if lock.isGone {
                    state.times[lock.id] = nil
                } else {
                    state.times[lock.id, default: Times(first: now, last: now)].last = now
                }
                return lock
            }
        }
        for lock in changed { onChange(lock) }
    }

    /// Those that are there.
    var entries: [Entry] {
        state.withLock { state in
            state.discovery.locks.filter { !$0.isGone }.compactMap { lock in
                state.times[lock.id].map { Entry(lock: lock, firstSeen: $0.first, lastSeen: $0.last) }
            }
        }
    }
}
