import DoorwardMQTT
import Foundation
import Synchronization

/// An MQTT client that receives every message, and publishes commands for a test.
final class RecordingClient: Sendable {
    private struct State {
        var messages: [MQTTMessage] = []
        var connections = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// Collects the events from the connection's thread.
    private final class EventRecorder: Sendable {
        let state = Mutex(State())

        func receive(_ event: MQTTEvent) {
            let waiting = state.withLock { state in
                switch event {
                case .message(let message): state.messages.append(message)
                case .connected: state.connections += 1
                default: break
                }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        func waitForChange(from messages: Int, _ connections: Int) async {
            await withCheckedContinuation { continuation in
                let isOld = state.withLock { state in
                    guard state.messages.count == messages, state.connections == connections else { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if isOld { continuation.resume() }
            }
        }
    }

    private let recorder = EventRecorder()
    private let connection: MQTTConnection

    init(port: Int) {
        var settings = MQTTSettings(host: "127.0.0.1", port: port, clientID: "watcher-\(UUID().uuidString)")
        (settings.initialBackoff, settings.maximumBackoff) = (.milliseconds(20), .milliseconds(50))
        let recorder = recorder
        connection = MQTTConnection(settings) { recorder.receive($0) }
        connection.subscribe(to: [MQTTFilter("#")].compactMap { $0 })
        connection.start()
    }

    var messages: [MQTTMessage] { recorder.state.withLock(\.messages) }

    func connected(times: Int = 1) async {
        while case let (messages, connections) = recorder.state.withLock({ ($0.messages.count, $0.connections) }),
            connections < times
        {
            await recorder.waitForChange(from: messages, connections)
        }
    }

    /// Waits for a message with this topic that contains the text, and returns the first one from index `start` on.
    @discardableResult
    func message(_ topic: String, _ text: String = "", from start: Int = 0) async -> MQTTMessage {
        while true {
            let (messages, connections) = recorder.state.withLock { ($0.messages, $0.connections) }
            let found = messages.dropFirst(start).first {
                $0.topic == topic && (text.isEmpty || String(decoding: $0.payload, as: UTF8.self).contains(text))
            }
            if let found { return found }
            await recorder.waitForChange(from: messages.count, connections)
        }
    }

    func publish(_ topic: String, _ payload: String) async throws {
        guard let topic = MQTTTopic(topic) else { throw POSIXError(.EINVAL) }
        let command = MQTTPublish(topic: topic, payload: Array(payload.utf8), lifetime: .seconds(10))
        while true {
            do throws(MQTTSendError) {
                try connection.publish(command)
                return
            } catch {
                // A broker on a slow machine may not respond for a second: try again.
                guard error == .busy else { throw error }
                await Task.yield()
            }
        }
    }

    func stop() async { await connection.stop() }
}
