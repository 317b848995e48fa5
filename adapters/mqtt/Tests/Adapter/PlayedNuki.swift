import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Synchronization

/// Locks of one make on a connection of their own, as the vendor's MQTT API has them: what the adapter's promises are tried on.
///
/// They do what a test tells them, and keep every order that arrived.
final class PlayedNuki: Sendable {
    /// How one of them takes orders.
    enum Manner: Sendable {
        case prompt, silent, jamming, refusing
        /// Says so when the test lets it.
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
        /// The last word of its own that came back to it.
        var echo = 0
    }

    private let connection: MQTTConnection
    private let state: Mutex<State>
    private let ear = PlayedEar()

    init(port: Int) async {
        var settings = MQTTSettings(host: "127.0.0.1", port: port, clientID: "nukis")
        settings.firstPause = .milliseconds(20)
        settings.longestPause = .milliseconds(50)
        state = Mutex(State())
        let ear = ear
        connection = MQTTConnection(settings) { event in
            if case .message(let message) = event { ear.nuki?.take(message) }
        }
        ear.listen(self)
        connection.want([MQTTFilter("nuki/+/lockAction"), MQTTFilter("settle/+")].compactMap { $0 })
        connection.start()
        await listen()
    }

    /// Waits until what is said on the broker comes to these locks.
    func listen() async {
        let before = state.withLock { $0.echo }
        while state.withLock({ $0.echo }) == before {
            say("settle/echo", "\(before + 1)")
            await Task.yield()
        }
    }

    func stop() async { await connection.stop() }

    // MARK: What a test does

    /// Makes a lock known to the broker: the retained words of one that is in reach and locked.
    func appear(_ id: String) {
        state.withLock { $0.locks[id, default: Lock()] = Lock() }
        keep("nuki/\(id)/connected", "true")
        keep("nuki/\(id)/state", "1")
    }

    func set(_ manner: Manner, of id: String) { state.withLock { $0.locks[id, default: Lock()].manner = manner } }

    func manner(of id: String) -> Manner? { state.withLock { $0.locks[id]?.manner } }

    func orders(at id: String) -> [Int] { state.withLock { $0.locks[id]?.orders ?? [] } }

    /// Says where it is.
    func speak(_ id: String) { say("nuki/\(id)/state", "\(state.withLock { $0.locks[id]?.state ?? 255 })") }

    /// The bolt is turned from inside.
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

    /// Its last will, or its coming back.
    func reach(_ id: String, _ isThere: Bool) {
        state.withLock { $0.locks[id]?.isThere = isThere }
        keep("nuki/\(id)/connected", isThere ? "true" : "false")
    }

    func say(_ topic: String, _ text: String) {
        guard let frame = try? MQTTFrame(topic, text) else { return }
        _ = try? connection.publish(frame)
    }

    func keep(_ topic: String, _ text: String) {
        guard let topic = MQTTTopic(topic) else { return }
        _ = try? connection.announce(MQTTAnnouncement(topic: topic, payload: Array(text.utf8)))
    }

    // MARK: What comes

    private func take(_ message: MQTTMessage) {
        let levels = message.topic.split(separator: "/").map(String.init)
        let text = String(decoding: message.payload, as: UTF8.self)
        if levels[0] == "settle" { return state.withLock { $0.echo = Int(text) ?? $0.echo } }
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

private final class PlayedEar: Sendable {
    private struct Held: Sendable { weak var nuki: PlayedNuki? }
    private let held = Mutex(Held())

    var nuki: PlayedNuki? { held.withLock { $0.nuki } }
    func listen(_ nuki: PlayedNuki) { held.withLock { $0.nuki = nuki } }
}
