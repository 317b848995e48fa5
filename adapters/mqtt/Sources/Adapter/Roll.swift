internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardMQTT
internal import Synchronization

/// What tells one lock of all brokers from another.
struct LockKey: Hashable {
    let broker: String
    let topic: MQTTTopic

    init(broker: String, topic: MQTTTopic) { (self.broker, self.topic) = (broker, topic) }

    /// `nil` for a lock that was found and could not be spoken to.
    init?(_ found: FoundLock, on broker: String, _ library: ProfileLibrary) {
        guard let profile = library[found.profile], let dialect = try? Dialect(profile, variables: found.variables) else {
            return nil
        }
        self.init(broker: broker, topic: dialect.commandTopic)
    }
}

/// The locks that are attached, by id and by where they are told to move.
final class Roll: Sendable {
    enum Entry {
        case lock(MQTTLock)
        /// Its broker or profile is not there.
        case lost(AttachedLock)
    }

    private struct State {
        var entries: [DeviceID: Entry] = [:]
        var byKey: [LockKey: MQTTLock] = [:]
        var isStarted = false
    }

    private let state = Mutex(State())

    var isStarted: Bool { state.withLock { $0.isStarted } }

    /// - Returns: false when it had started.
    func start() -> Bool {
        state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
    }

    func stop() { state.withLock { $0.isStarted = false } }

    func add(_ lock: MQTTLock) {
        state.withLock { state in
            state.entries[lock.id] = .lock(lock)
            state.byKey[lock.key] = lock
        }
    }

    func addLost(_ lock: AttachedLock) { state.withLock { $0.entries[lock.id] = .lost(lock) } }

    func remove(_ id: DeviceID) -> MQTTLock? {
        state.withLock { state in
            guard case .lock(let lock) = state.entries.removeValue(forKey: id) else { return nil }
            if state.byKey[lock.key] === lock { state.byKey[lock.key] = nil }
            return lock
        }
    }

    func entry(_ id: DeviceID) -> Entry? { state.withLock { $0.entries[id] } }
    func lock(at key: LockKey) -> MQTTLock? { state.withLock { $0.byKey[key] } }

    /// Shows the attached locks among those of which one message has told as gone or there.
    func mark(_ told: [FoundLock], on broker: String, _ library: ProfileLibrary) {
        let keys = told.compactMap { found in LockKey(found, on: broker, library).map { (key: $0, isGone: found.isGone) } }
        let there = Set(keys.filter { !$0.isGone }.map(\.key))
        // One that is told of in another place instead is not gone.
        for (key, isGone) in keys where !isGone || !there.contains(key) { lock(at: key)?.mark(isGone: isGone) }
    }

    var all: [MQTTLock] {
        state.withLock { $0.entries.values.compactMap { if case .lock(let lock) = $0 { lock } else { nil } } }
    }

    var lost: [AttachedLock] {
        state.withLock { $0.entries.values.compactMap { if case .lost(let lock) = $0 { lock } else { nil } } }
    }
}
