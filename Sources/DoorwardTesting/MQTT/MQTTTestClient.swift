package import DoorwardAdapterTesting
internal import DoorwardDomain
package import DoorwardMQTT
internal import Foundation
import Synchronization

/// An MQTT connection for tests. It records all its events, and tests can wait for an event.
package final class MQTTTestClient: Sendable {
    /// The connection, for publishing.
    package let connection: MQTTConnection
    private let recorder = Recorder<MQTTEvent>()

    /// Connects at once, and subscribes to `filters`.
    ///
    /// - Parameter clock: the connection's clock; `nil` for the machine's clock.
    package init(_ settings: MQTTSettings, _ filters: [String] = [], clock: VirtualClock? = nil) {
        let record = { @Sendable [recorder] (event: MQTTEvent) in recorder.record([event]) }
        connection =
            clock.map { MQTTConnection(settings, clock: $0, random: RandomSource(), receive: record) }
            ?? MQTTConnection(settings, receive: record)
        connection.subscribe(to: filters.compactMap { MQTTFilter($0) })
        connection.start()
    }

    /// Creates a connection to a broker on this machine, with short pauses between attempts to connect.
    ///
    /// - Parameter clock: the connection's clock; `nil` for the machine's. A `VirtualClock` advances only when the test advances
    ///   it, so a slow machine is not mistaken for a stalled broker. With the machine's clock, the connection rejects messages to
    ///   publish if a liveness probe is unanswered for one second, and reports the broker as stalled after five seconds. A
    ///   connection can reconnect only if its clock advances.
    package convenience init(
        port: Int, id: String = UUID().uuidString, _ filters: [String] = [], clock: VirtualClock? = VirtualClock()
    ) {
        var settings = MQTTSettings(host: "127.0.0.1", port: port, clientID: id)
        settings.initialBackoff = .milliseconds(20)
        settings.maximumBackoff = .milliseconds(50)
        // The library measures its keep alive in real time, which must not end a connection that uses virtual time. Virtual
        // time must not exceed the connect timeout while the broker is about to accept the connection.
        if clock != nil { (settings.keepAlive, settings.connectTimeout) = (.seconds(65_535), .seconds(3600)) }
        self.init(settings, filters, clock: clock)
    }

    /// All events received so far, in order.
    package var events: [MQTTEvent] { recorder.elements }

    /// The messages among `events`.
    package var messages: [MQTTMessage] { events.compactMap { if case .message(let message) = $0 { message } else { nil } } }

    /// Waits for the first matching event at or after index `start`.
    ///
    /// - Returns: the event, and the index for the next search.
    @discardableResult
    package func event(from start: Int = 0, where matches: (MQTTEvent) -> Bool) async -> (event: MQTTEvent, next: Int) {
        // The events of a connection have no end.
        while true { if let found = await recorder.first(from: start, where: matches) { return (found.value, found.next) } }
    }

    /// Waits until the connection is established.
    ///
    /// - Returns: the index for the next search.
    @discardableResult
    package func connected(from start: Int = 0) async -> Int {
        await event(from: start) { if case .connected = $0 { true } else { false } }.next
    }

    /// Waits until the connection is lost, or an attempt to connect fails.
    @discardableResult
    package func disconnected(from start: Int = 0) async -> (failure: MQTTFailure?, next: Int) {
        let (event, next) = await event(from: start) { if case .disconnected = $0 { true } else { false } }
        guard case .disconnected(let failure) = event else { return (nil, next) }
        return (failure, next)
    }

    /// Waits for the first message on a topic.
    package func message(on topic: String, from start: Int = 0) async -> MQTTMessage? {
        let (event, _) = await event(from: start) { if case .message(let message) = $0 { message.topic == topic } else { false } }
        guard case .message(let message) = event else { return nil }
        return message
    }
}

extension MQTTPublish {
    /// Creates a message with a text as payload.
    ///
    /// - Throws: `POSIXError` for an invalid topic.
    package init(_ topic: String, _ payload: String, _ qos: MQTTQoS = .atMostOnce, lifetime: Duration = .seconds(10))
        throws
    {
        guard let topic = MQTTTopic(topic) else { throw POSIXError(.EINVAL) }
        self.init(topic: topic, payload: Array(payload.utf8), qos: qos, lifetime: lifetime)
    }
}
