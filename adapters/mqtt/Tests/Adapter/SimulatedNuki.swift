import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Synchronization

/// Simulated Nuki locks with the vendor's MQTT API, on their own connection to the broker.
///
/// They behave as a test sets them, and record every command that arrives.
final class SimulatedNuki: Sendable {
    /// How a simulated lock responds to commands.
    enum Behavior: Sendable {
        case prompt, silent, jamming, refusing
        /// The lock moves its bolt, and reports the new state only when the test calls `reportState`.
        case late
    }

    private struct Lock {
        var state = 1
        var behavior = Behavior.prompt
        var commands: [Int] = []
        var isConnected = true
    }

    private struct State {
        var locks: [String: Lock] = [:]
        var trips = 0
    }

    private let connection: MQTTConnection
    /// The clock of the connection. It is advanced only while there is no connection: otherwise the broker could count as stalled
    /// on a slow machine, and the connection would reject the locks' messages.
    private let clock = VirtualClock()
    private let state: Mutex<State>
    private let reference = WeakReference()
    /// The number of the last connection whose subscriptions are in place, and of the last completed round trip.
    private let subscribedConnection = Count()
    private let roundTrips = Count()
    private let lastSubscribed = Mutex(0)

    init(port: Int) async {
        var settings = MQTTSettings(host: "127.0.0.1", port: port, clientID: "nukis")
        settings.initialBackoff = .milliseconds(20)
        settings.maximumBackoff = .milliseconds(50)
        settings.connectTimeout = .seconds(3600)
        // The library's keep-alive uses real time, so it must not expire during the test.
        settings.keepAlive = .seconds(65_535)
        state = Mutex(State())
        let reference = reference
        let connects = Mutex(0)
        connection = MQTTConnection(settings, clock: clock, random: RandomSource()) { event in
            switch event {
            case .connected:
                let number = connects.withLock { number in
                    number += 1
                    return number
                }
                // The message is retained, so that it also arrives if it is published before the subscription is in place.
                reference.nuki?.publishRetained("settle/standing", "\(number)")
            case .message(let message): reference.nuki?.handle(message)
            case .disconnected, .tooLong, .acknowledged, .subscribed, .subscriptionRefused, .subscriptionGranted: break
            }
        }
        reference.set(self)
        connection.subscribe(to: [MQTTFilter("nuki/+/lockAction"), MQTTFilter("settle/+")].compactMap { $0 })
        connection.start()
        await waitUntilSubscribed()
    }

    /// Waits until the locks' subscriptions are in place: at the start, and again after each restart of the broker.
    func waitUntilSubscribed() async {
        let before = lastSubscribed.withLock { $0 }
        // A failed connection attempt is repeated only when virtual time passes.
        while subscribedConnection.current <= before { await clock.pass(connection.isConnected ? .zero : .milliseconds(1)) }
        let now = subscribedConnection.current
        lastSubscribed.withLock { $0 = now }
    }

    /// Publishes a message, and waits until it comes back.
    func roundTrip() async {
        let trip = state.withLock { state in
            state.trips += 1
            return state.trips
        }
        publish("settle/trip", "\(trip)")
        _ = await roundTrips.value { $0 >= trip }
    }

    func stop() async { await connection.stop() }

    // MARK: Actions of a test

    /// Adds a lock, and publishes with the retain flag that it is connected and locked.
    func addLock(_ id: String) {
        state.withLock { $0.locks[id, default: Lock()] = Lock() }
        publishRetained("nuki/\(id)/connected", "true")
        publishRetained("nuki/\(id)/state", "1")
    }

    func set(_ behavior: Behavior, of id: String) { state.withLock { $0.locks[id, default: Lock()].behavior = behavior } }

    func behavior(of id: String) -> Behavior? { state.withLock { $0.locks[id]?.behavior } }

    func commands(at id: String) -> [Int] { state.withLock { $0.locks[id]?.commands ?? [] } }

    /// Publishes the state of the bolt.
    func reportState(_ id: String) { publish("nuki/\(id)/state", "\(state.withLock { $0.locks[id]?.state ?? 255 })") }

    /// Turns the bolt by hand. A connected lock publishes the event and the new state.
    func turnByHand(_ id: String) {
        let new = state.withLock { state -> Int? in
            let new = state.locks[id]?.state == 1 ? 3 : 1
            state.locks[id]?.state = new
            return state.locks[id]?.isConnected == true ? new : nil
        }
        guard let new else { return }
        publish("nuki/\(id)/lockActionEvent", "\(new == 1 ? 2 : 1),1,0,0,0")
        publish("nuki/\(id)/state", "\(new)")
    }

    /// Publishes with the retain flag whether the lock is connected.
    func setConnected(_ id: String, _ isConnected: Bool) {
        state.withLock { $0.locks[id]?.isConnected = isConnected }
        publishRetained("nuki/\(id)/connected", isConnected ? "true" : "false")
    }

    func publish(_ topic: String, _ text: String) {
        guard let message = try? MQTTPublish(topic, text) else { return }
        _ = try? connection.publish(message)
    }

    func publishRetained(_ topic: String, _ text: String) {
        guard let topic = MQTTTopic(topic) else { return }
        _ = try? connection.publishRetainable(MQTTRetainablePublish(topic: topic, payload: Array(text.utf8)))
    }

    // MARK: Received messages

    private func handle(_ message: MQTTMessage) {
        let levels = message.topic.split(separator: "/").map(String.init)
        let text = String(decoding: message.payload, as: UTF8.self)
        if message.topic == "settle/standing" { return subscribedConnection.raise(to: Int(text) ?? 0) }
        if message.topic == "settle/trip" { return roundTrips.raise(to: Int(text) ?? 0) }
        guard levels.count == 3, let action = Int(text), !message.isRetained else { return }
        let id = levels[1]
        let behavior = state.withLock { state in
            state.locks[id]?.commands.append(action)
            return state.locks[id]?.behavior
        }
        let target = action == 1 ? 3 : action == 2 ? 1 : 5
        switch behavior {
        case .refusing: publish("nuki/\(id)/commandResponse", "69")
        case .jamming: publish("nuki/\(id)/state", "254")
        case .silent, .late: state.withLock { $0.locks[id]?.state = target }
        case .prompt:
            state.withLock { $0.locks[id]?.state = target }
            publish("nuki/\(id)/commandResponse", "0")
            reportState(id)
        case nil: break
        }
    }
}

private final class WeakReference: Sendable {
    private struct Held: Sendable { weak var nuki: SimulatedNuki? }
    private let held = Mutex(Held())

    var nuki: SimulatedNuki? { held.withLock { $0.nuki } }
    func set(_ nuki: SimulatedNuki) { held.withLock { $0.nuki = nuki } }
}

/// A number that never decreases, and that a test can wait for.
final class Count: Sendable {
    private struct State {
        var value = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var current: Int { state.withLock { $0.value } }

    func raise(to value: Int) {
        let waiting = state.withLock { state in
            state.value = max(state.value, value)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func value(where isEnough: (Int) -> Bool) async -> Int {
        while true {
            let seen = state.withLock { $0.value }
            if isEnough(seen) { return seen }
            await withCheckedContinuation { continuation in
                let isOld = state.withLock { state in
                    guard state.value == seen else { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if isOld { continuation.resume() }
            }
        }
    }
}
