internal import DoorwardDomain
package import DoorwardMQTT
import Foundation
import Synchronization

/// A connection and all that has happened at it, for whoever waits for something to happen.
package final class Listening: Sendable {
    private struct State {
        var events: [MQTTEvent] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// What is listened to, for whoever wants to speak as well.
    package let connection: MQTTConnection
    private let heard: Heard

    /// What the connection's thread hands over.
    private final class Heard: Sendable {
        private let state = Mutex(State())

        var events: [MQTTEvent] { state.withLock { $0.events } }

        func hear(_ event: MQTTEvent) {
            let waiting = state.withLock { state in
                state.events.append(event)
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        func more(than count: Int) async {
            await withCheckedContinuation { continuation in
                let isOld = state.withLock { state in
                    guard state.events.count == count else { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if isOld { continuation.resume() }
            }
        }
    }

    /// Connects at once, and wants these topics.
    ///
    /// - Parameter clock: the connection's clock; `nil` for the machine's.
    package init(_ settings: MQTTSettings, _ filters: [String] = [], clock: VirtualClock? = nil) {
        let heard = Heard()
        self.heard = heard
        connection =
            if let clock {
                MQTTConnection(settings, clock: clock, random: RandomSource()) { heard.hear($0) }
            } else {
                MQTTConnection(settings) { heard.hear($0) }
            }
        connection.want(filters.compactMap { MQTTFilter($0) })
        connection.start()
    }

    /// A connection to a broker on this machine that tries again soon.
    ///
    /// - Parameter clock: the connection's clock; `nil` for the machine's. It stands still unless the test moves it, so that a slow
    ///   machine does not count as a silent broker: the connection would refuse frames after one second, and give the broker up
    ///   after five. A connection that is to be made again needs a clock that moves.
    package convenience init(
        port: Int, id: String = UUID().uuidString, _ filters: [String] = [], clock: VirtualClock? = VirtualClock()
    ) {
        var settings = MQTTSettings(host: "127.0.0.1", port: port, clientID: id)
        settings.firstPause = .milliseconds(20)
        settings.longestPause = .milliseconds(50)
        // The library counts its keep-alive in real time, which must end nothing while virtual time decides. Virtual time must not
        // overtake a broker that is about to let the connection in.
        if clock != nil { (settings.keepAlive, settings.patience) = (.seconds(65_535), .seconds(3600)) }
        self.init(settings, filters, clock: clock)
    }

    /// All so far, the first first.
    package var events: [MQTTEvent] { heard.events }

    /// The messages among `events`.
    package var messages: [MQTTMessage] { events.compactMap { if case .message(let message) = $0 { message } else { nil } } }

    /// Waits for the first event, of those from `start` on, that matches.
    ///
    /// - Returns: the event, and where the next search begins.
    @discardableResult
    package func event(from start: Int = 0, where matches: (MQTTEvent) -> Bool) async -> (event: MQTTEvent, next: Int) {
        while true {
            let events = events
            if let index = events.indices.dropFirst(start).first(where: { matches(events[$0]) }) {
                return (events[index], index + 1)
            }
            await heard.more(than: events.count)
        }
    }

    /// Waits until the connection stands; returns where the next search begins.
    @discardableResult
    package func connected(from start: Int = 0) async -> Int {
        await event(from: start) { if case .connected = $0 { true } else { false } }.next
    }

    /// Waits until the connection is gone, or could not be made.
    @discardableResult
    package func disconnected(from start: Int = 0) async -> (failure: MQTTFailure?, next: Int) {
        let (event, next) = await event(from: start) { if case .disconnected = $0 { true } else { false } }
        guard case .disconnected(let failure) = event else { return (nil, next) }
        return (failure, next)
    }

    /// The first message on a topic.
    package func message(on topic: String, from start: Int = 0) async -> MQTTMessage? {
        let (event, _) = await event(from: start) { if case .message(let message) = $0 { message.topic == topic } else { false } }
        guard case .message(let message) = event else { return nil }
        return message
    }
}

extension MQTTEvent {
    /// Whether it is a live message of a topic that says exactly this.
    package func says(_ payload: [UInt8], on topic: String) -> Bool {
        guard case .message(let message) = self else { return false }
        return message.topic == topic && message.payload == payload && !message.isRetained
    }
}

extension MQTTFrame {
    /// A frame of text.
    ///
    /// - Throws: `POSIXError` for what is no topic.
    package init(_ topic: String, _ payload: String, _ quality: MQTTQuality = .atMostOnce, lifetime: Duration = .seconds(10))
        throws
    {
        guard let topic = MQTTTopic(topic) else { throw POSIXError(.EINVAL) }
        self.init(topic: topic, payload: Array(payload.utf8), quality: quality, lifetime: lifetime)
    }
}
