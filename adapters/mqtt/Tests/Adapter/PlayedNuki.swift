import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Synchronization

/// Simulated Nuki locks with the vendor's MQTT API, on their own connection to the broker.
///
/// They behave as a test sets them, and record every command that arrives.
final class PlayedNuki: Sendable {
    /// How a simulated lock responds to commands.
    enum Manner: Sendable {
        case prompt, silent, jamming, refusing
        /// The lock moves its bolt, and reports the new state only when the test calls `speak`.
        case late
    }

    private struct Lock {
        var state = 1
        var manner = Manner.prompt
        var orders: [Int] = []
        var isThere = true
    }

    private struct State {
        var locks: [String: Lock] = [:]
        var trips = 0
    }

    private let connection: MQTTConnection
    /// The clock of the connection. It is advanced only while there is no connection: otherwise the
    /// broker could count as stalled on a slow machine, and the connection would reject the locks'
    /// messages.
    private let clock = VirtualClock()
    private let state: Mutex<State>
    private let ear = WeakReference()
    /// The number of the last connection whose subscriptions are in place, and of the last completed round trip.
    private let standing = Count()
    private let returned = Count()
    private let listened = Mutex(0)

    init(port: Int) async {
        var settings = MQTTSettings(host: "127.0.0.1", port: port, clientID: "nukis")
        settings.initialBackoff = .milliseconds(20)
        settings.maximumBackoff = .milliseconds(50)
        settings.connectTimeout = .seconds(3600)
        // The library's keep-alive uses real time, so it must not expire during the test.
        settings.keepAlive = .seconds(65_535)
        state = Mutex(State())
        let ear = ear
        let connects = Mutex(0)
        connection = MQTTConnection(settings, clock: clock, random: RandomSource()) { event in
            switch event {
            case .connected:
                let number = connects.withLock { number in
                    number += 1
                    return number
                }
                // The message is retained, so that it also arrives if it is published before the
                // subscription is in place.
                ear.nuki?.keep("settle/standing", "\(number)")
            case .message(let message): ear.nuki?.take(message)
            case .disconnected, .tooLong, .acknowledged, .subscribed, .subscriptionRefused, .subscriptionGranted: break
            }
        }
        ear.listen(self)
        connection.subscribe(to: [MQTTFilter("nuki/+/lockAction"), MQTTFilter("settle/+")].compactMap { $0 })
        connection.start()
        await listen()
    }

    /// Waits until the locks' subscriptions are in place: at the start, and again after each restart of the broker.
    func listen() async {
        let before = listened.withLock { $0 }
        // A failed connection attempt is repeated only when virtual time passes.
        while standing.current <= before { await clock.pass(connection.isConnected ? .zero : .milliseconds(1)) }
        let now = standing.current
        listened.withLock { $0 = now }
    }

    /// Publishes a message, and waits until it comes back.
    func roundTrip() async {
        let trip = state.withLock { state in
            state.trips += 1
            return state.trips
        }
        say("settle/trip", "\(trip)")
        _ = await returned.value { $0 >= trip }
    }

    func stop() async { await connection.stop() }

    // MARK: Actions of a test

    /// Adds a lock, and publishes with the retain flag that it is connected and locked.
    func appear(_ id: String) {
        state.withLock { $0.locks[id, default: Lock()] = Lock() }
        keep("nuki/\(id)/connected", "true")
        keep("nuki/\(id)/state", "1")
    }

    func set(_ manner: Manner, of id: String) { state.withLock { $0.locks[id, default: Lock()].manner = manner } }

    func manner(of id: String) -> Manner? { state.withLock { $0.locks[id]?.manner } }

    func orders(at id: String) -> [Int] { state.withLock { $0.locks[id]?.orders ?? [] } }

    /// Publishes the state of the bolt.
    func speak(_ id: String) { say("nuki/\(id)/state", "\(state.withLock { $0.locks[id]?.state ?? 255 })") }

    /// Turns the bolt by hand. A connected lock publishes the event and the new state.
    func turn(_ id: String) {
        let new = state.withLock { state -> Int? in
            let new = state.locks[id]?.state == 1 ? 3 : 1
            state.locks[id]?.state = new
            return state.locks[id]?.isThere == true ? new : nil
        }
        guard let new else { return }
        say("nuki/\(id)/lockActionEvent", "\(new == 1 ? 2 : 1),1,0,0,0")
        say("nuki/\(id)/state", "\(new)")
    }

    /// Publishes with the retain flag whether the lock is connected.
    func reach(_ id: String, _ isThere: Bool) {
        state.withLock { $0.locks[id]?.isThere = isThere }
        keep("nuki/\(id)/connected", isThere ? "true" : "false")
    }

    func say(_ topic: String, _ text: String) {
        guard let frame = try? MQTTPublish(topic, text) else { return }
        _ = try? connection.publish(frame)
    }

    func keep(_ topic: String, _ text: String) {
        guard let topic = MQTTTopic(topic) else { return }
        _ = try? connection.publishRetainable(MQTTRetainablePublish(topic: topic, payload: Array(text.utf8)))
    }

    // MARK: Received messages

    private func take(_ message: MQTTMessage) {
        let levels = message.topic.split(separator: "/").map(String.init)
        let text = String(decoding: message.payload, as: UTF8.self)
        if message.topic == "settle/standing" { return standing.raise(to: Int(text) ?? 0) }
        if message.topic == "settle/trip" { return returned.raise(to: Int(text) ?? 0) }
        guard levels.count == 3, let action = Int(text), !message.isRetained else { return }
        let id = levels[1]
        let manner = state.withLock { state in
            state.locks[id]?.orders.append(action)
            return state.locks[id]?.manner
        }
        let target = action == 1 ? 3 : action == 2 ? 1 : 5
        switch manner {
        case .refusing: say("nuki/\(id)/commandResponse", "69")
        case .jamming: say("nuki/\(id)/state", "254")
        case .silent, .late: state.withLock { $0.locks[id]?.state = target }
        case .prompt:
            state.withLock { $0.locks[id]?.state = target }
            say("nuki/\(id)/commandResponse", "0")
            speak(id)
        case nil: break
        }
    }
}

private final class WeakReference: Sendable {
    private struct Held: Sendable { weak var nuki: PlayedNuki? }
    private let held = Mutex(Held())

    var nuki: PlayedNuki? { held.withLock { $0.nuki } }
    func listen(_ nuki: PlayedNuki) { held.withLock { $0.nuki = nuki } }
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
