import Dispatch
import DoorwardMQTT
import Foundation
import Glibc
import Synchronization

/// Log of every message that the fleet received or published, one JSON object per line. Each line is written to the file at once,
/// so that a test can prove what was sent and what was not.
final class MessageLog: Sendable {
    enum Direction: String, Sendable {
        /// The fleet received the message from the broker.
        case received = "in"
        /// The fleet passed the message to the connection.
        case published = "out"
    }

    /// The time of a message.
    struct Moment: Sendable {
        /// Milliseconds since 1970.
        let wall: Int64
        /// Nanoseconds of the machine's `CLOCK_MONOTONIC`, so that other programs on the machine can compare times.
        let monotonic: Int64

        static func now() -> Moment {
            // The uptime of Dispatch is `CLOCK_MONOTONIC` on Linux.
            Moment(wall: Int64(Date().timeIntervalSince1970 * 1000), monotonic: Int64(DispatchTime.now().uptimeNanoseconds))
        }
    }

    struct CannotOpen: Error, CustomStringConvertible {
        let path: String
        let reason: String
        var description: String { "--frames \(path) cannot be written: \(reason)" }
    }

    private let file: Mutex<FileHandle>

    /// Truncates the file.
    init(path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CannotOpen(path: path, reason: String(cString: strerror(errno))) }
        file = Mutex(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
    }

    func append(_ message: Message, _ direction: Direction, client: String, at moment: Moment) {
        let line = Self.line(message, direction, client: client, at: moment)
        // If the disk is full, the fleet keeps running and the log ends.
        file.withLock { try? $0.write(contentsOf: Data((line + "\n").utf8)) }
    }

    /// Returns the line for one message. A payload that is not UTF-8 is written as `payloadBase64` instead of `payload`.
    static func line(_ message: Message, _ direction: Direction, client: String, at moment: Moment) -> String {
        let payload: JSON =
            if let text = String(validating: message.payload, as: UTF8.self) {
                ["payload": .text(text)]
            } else {
                ["payloadBase64": .text(Data(message.payload).base64EncodedString())]
            }
        return (["wallMs": .raw(String(moment.wall)), "monotonicNs": .raw(String(moment.monotonic))] as JSON)
            .with(["direction": .text(direction.rawValue), "client": .text(client), "topic": .text(message.topic)])
            .with(payload)
            .with(["qos": .whole(message.qos), "retain": .flag(message.isRetained)]).description
    }
}

/// Messages waiting for a connection that is busy, in order. They are discarded when the connection breaks.
struct Outbox {
    private var waiting: ArraySlice<Message> = []

    var isEmpty: Bool { waiting.isEmpty }

    mutating func append(_ message: Message) { waiting.append(message) }

    mutating func removeAll() { waiting = [] }

    /// Publishes as many messages as the connection accepts.
    ///
    /// - Parameter publish: publishes one message.
    mutating func drain(_ publish: (Message) throws(MQTTSendError) -> Void) {
        while let message = waiting.first {
            do throws(MQTTSendError) {
                try publish(message)
                waiting.removeFirst()
            } catch {
                if error != .busy { removeAll() }
                return
            }
        }
        // A slice keeps the memory of the elements that were removed from it.
        removeAll()
    }
}

/// The state of one connection of the fleet, owned by the runner.
struct ClientConnection {
    let settings: MQTTSettings
    let filters: [MQTTFilter]
    /// The connection; `nil` after it has been cut.
    var mqtt: MQTTConnection?
    /// The number of the present connection. Events of earlier connections are ignored.
    var generation = 0
    var outbox = Outbox()
    /// Whether the client is connected, subscribed and announced, as acknowledged by the broker.
    var isReady = false
    /// The frame whose acknowledgement shows that the client is ready.
    var probe: MQTTPublishNumber?
    /// Whether the probe is still to be sent, after all waiting messages.
    var needsProbe = false
}
