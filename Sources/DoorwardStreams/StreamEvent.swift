package import DoorwardDomain
internal import DoorwardKernel
package import DoorwardPolicy

/// An event of a stream, and the position of the stream after it.
package struct StreamEvent: Sendable {
    /// The content, independent of the transport.
    package enum Content: Sendable {
        /// The first event. A stream is resumed if no name has to be reset.
        case stream(id: String, isResumed: Bool)
        /// Rendered objects of a name.
        case snapshot(name: String, type: StreamType, objects: [[UInt8]], isLast: Bool)
        /// All objects of the name have been sent.
        case ready(name: String)
        /// A rendered object that is new or has changed, under all names that select it.
        case change(names: [String], type: StreamType, object: [UInt8])
        /// An object that these names do not select any more.
        case removed(names: [String], type: StreamType, id: String)
        /// The caller has lost the right to everything that the name selected.
        case revoked(name: String)
        /// The name cannot be subscribed to; the code is that of an error of the API.
        case refused(name: String, code: String)
        /// The name cannot be resumed; a snapshot follows.
        case reset(name: String)
        /// The stream is complete up to this time of the gateway.
        case position(at: Timestamp)
        /// The last event.
        case closing(StreamEnd, retryAfter: Duration)
    }

    /// The content.
    package let content: Content
    /// The position, which the event's id contains.
    package let position: StreamPosition
}

extension StreamEvent.Content {
    /// The name of the event.
    package var word: String {
        switch self {
        case .stream: "stream"
        case .snapshot: "snapshot"
        case .ready: "ready"
        case .change: "change"
        case .removed: "removed"
        case .revoked: "revoked"
        case .refused: "refused"
        case .reset: "reset"
        case .position: "position"
        case .closing: "closing"
        }
    }

    /// Writes the fields of the event's JSON object.
    package func write(into writer: inout JSONWriter) {
        switch self {
        case .stream(let id, let isResumed):
            writer.field("streamId", id)
            writer.field("resumed", isResumed)
        case .snapshot(let name, let type, let objects, let isLast):
            writer.field("name", name)
            writer.field("type", type.rawValue)
            writer.field("objects") { $0.array(objects) { $0.rendered($1) } }
            writer.field("last", isLast)
        case .ready(let name), .revoked(let name), .reset(let name): writer.field("name", name)
        case .change(let names, let type, let object):
            writer.field("names", names)
            writer.field("type", type.rawValue)
            writer.field("object") { $0.rendered(object) }
        case .removed(let names, let type, let id):
            writer.field("names", names)
            writer.field("type", type.rawValue)
            writer.field("id", id)
        case .refused(let name, let code):
            writer.field("name", name)
            writer.field("code", code)
            writer.field("details") { $0.object { _ in } }
        case .position(let at): writer.field("at", at)
        case .closing(let reason, let retryAfter):
            writer.field("reason", reason.rawValue)
            writer.field("retryAfterMs", retryAfter.wholeMilliseconds)
        }
    }
}

/// Why a stream ended. Raw values are those of the API.
package enum StreamEnd: String, Sendable {
    /// The session or API key has ended, or its user was disabled or removed.
    case sessionEnded = "session_ended"
    /// The gateway is stopping.
    case shuttingDown = "shutting_down"
}

/// A position of a stream, from which it can be resumed.
package struct StreamPosition: Hashable, Sendable {
    /// The run of the gateway: positions of the state of another run are unknown.
    package let generation: UInt64
    /// The stream, among those of one run.
    package let stream: UInt64
    /// The number of the event in the stream.
    package let number: UInt64
    /// When the event was created, on the monotonic clock of the run.
    package let createdAt: MonotonicInstant
    /// The position in the logs.
    package let records: LogPositions

    package init(generation: UInt64, stream: UInt64, number: UInt64, createdAt: MonotonicInstant, records: LogPositions) {
        (self.generation, self.stream, self.number) = (generation, stream, number)
        (self.createdAt, self.records) = (createdAt, records)
    }
}

/// The positions of a stream in several logs, in a form of fixed size.
///
/// The logs that were read last have an exact position. If a caller reads more logs than that, the position in each further log is
/// the time of the latest record of all of them: after a resumption some of its last records can then be sent twice, but none is
/// left out.
package struct LogPositions: Hashable, Sendable {
    /// The position in one log.
    package struct Entry: Hashable, Sendable {
        /// The log, shortened to 32 bits: it only has to differ from the other logs of the same caller.
        package let log: UInt32
        /// The number of the next record.
        package let next: UInt64

        package init(log: UInt32, next: UInt64) { (self.log, self.next) = (log, next) }
    }

    /// The maximum number of logs with an exact position.
    package static let maxEntries = 8
    /// How far the records of different logs can be out of the order of their timestamps.
    static let overlap = Duration.seconds(10)

    /// At most `maxEntries`, in no order.
    package let entries: [Entry]
    /// The latest timestamp of the records that were sent.
    package let latest: Timestamp
    /// Whether every name of records was complete.
    package let isComplete: Bool

    package init(entries: [Entry] = [], latest: Timestamp = Timestamp(milliseconds: 0), isComplete: Bool = false) {
        (self.entries, self.latest, self.isComplete) = (entries, latest, isComplete)
    }

    func next(in log: LogID) -> UInt64? { entries.first { $0.log == log.shortened }?.next }
}

extension LogID {
    /// The random part of a portfolio's id; 0 for the gateway's log.
    var shortened: UInt32 {
        switch self {
        case .gateway: 0
        case .portfolio(let id): UInt32(truncatingIfNeeded: id.low)
        }
    }
}
