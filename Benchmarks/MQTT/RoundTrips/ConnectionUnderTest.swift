import BenchmarkSupport
import DoorwardMQTT
import Foundation
import Synchronization

/// An `MQTTConnection` that sends commands like the bare program: each report on a topic triggers the next command on that topic.
final class ConnectionUnderTest: Sendable {
    private struct State {
        var sent = 0
        var sentAt: [UInt64]
        var durations: [UInt64] = []
        var begin: UInt64 = 0
        var end: UInt64 = 0
    }

    private let port: Int
    private let inFlight: Int
    private let count: Int
    private let state: Mutex<State>
    private let topics: [MQTTTopic]
    private let isDone = DispatchSemaphore(value: 0)
    private let connection = Mutex<MQTTConnection?>(nil)

    init(port: Int, inFlight: Int, count: Int) {
        (self.port, self.inFlight, self.count) = (port, inFlight, count)
        topics = (0..<inFlight).compactMap { MQTTTopic("bench/\($0)/set") }
        state = Mutex(State(sentAt: Array(repeating: 0, count: inFlight)))
    }

    /// Connects, measures, and closes the connection.
    func run() -> RoundTrips {
        let settings = MQTTSettings(host: "127.0.0.1", port: port, clientID: UUID().uuidString)
        let connection = MQTTConnection(settings) { [self] event in
            if case .message(let message) = event { receive(message) }
        }
        self.connection.withLock { $0 = connection }
        connection.subscribe(to: ["bench/+/state", "bench/ready"].compactMap { MQTTFilter($0) })
        connection.start()
        isDone.wait()
        self.connection.withLock { $0 = nil }
        Task { await connection.stop() }
        return state.withLock { state in
            let p99 = percentile(0.99, of: &state.durations)
            let seconds = Double(state.end - state.begin) / 1e9
            return RoundTrips(
                rate: Double(count) / seconds, p50: Double(percentile(0.5, of: &state.durations)), p99: Double(p99))
        }
    }

    private func receive(_ message: MQTTMessage) {
        guard let connection = connection.withLock({ $0 }) else { return }
        if message.topic == "bench/ready" {
            state.withLock { $0.begin = Stopwatch.now() }
            for number in 0..<inFlight { sendCommand(number, connection) }
            return
        }
        let parts = message.topic.utf8.split(separator: UInt8(ascii: "/"))
        guard parts.count == 3, let number = Int(String(Substring(parts[1]))), topics.indices.contains(number) else { return }
        let isLast = state.withLock { state in
            guard state.durations.count < count else { return false }
            state.end = Stopwatch.now()
            state.durations.append(state.end - state.sentAt[number])
            return state.durations.count == count
        }
        if isLast { isDone.signal() } else { sendCommand(number, connection) }
    }

    private func sendCommand(_ number: Int, _ connection: MQTTConnection) {
        let isDue = state.withLock { state in
            guard state.sent < count else { return false }
            state.sent += 1
            state.sentAt[number] = Stopwatch.now()
            return true
        }
        guard isDue else { return }
        do throws(MQTTSendError) {
            try connection.publish(MQTTPublish(topic: topics[number], payload: Array("UNLOCK".utf8), lifetime: .seconds(10)))
        } catch {
            // End the program: a lost command is never followed by a report, so the measurement would never finish.
            FileHandle.standardError.write(Data("a command could not be sent: \(error)\n".utf8))
            exit(1)
        }
    }
}
