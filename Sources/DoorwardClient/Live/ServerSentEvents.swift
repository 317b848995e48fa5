/// An event of a stream of Server-Sent Events.
public struct ServerSentEvent: Equatable, Sendable {
    /// The type; `message` if the stream names none.
    public let type: String
    /// The lines of data, joined by newlines.
    public let data: String
    /// The last event id that the stream has stated, in this or an earlier event; empty if it has not.
    public let lastEventID: String

    public init(type: String, data: String, lastEventID: String) {
        (self.type, self.data, self.lastEventID) = (type, data, lastEventID)
    }
}

/// Parses Server-Sent Events as the HTML standard defines (https://html.spec.whatwg.org/multipage/server-sent-events.html, section
/// 9.2.6), from bytes that arrive in any pieces.
public struct ServerSentEventParser: Sendable {
    /// The milliseconds to wait before a reconnection; `nil` until the stream has stated them.
    public private(set) var retry: Int?
    /// Whether a line or an event is larger than `maxBytes`. What follows is not parsed: the connection must be closed.
    public private(set) var isTooLarge = false

    private let maxBytes: Int
    private var line: [UInt8] = []
    private var isAtStart = true
    private var lastWasCR = false
    private var data: [UInt8] = []
    private var type = ""
    private var eventID = ""
    private var lastEventID: String

    /// - Parameters:
    ///   - lastEventID: the id with which the stream was resumed.
    ///   - maxBytes: the largest event that is accepted, so that a server cannot fill the memory.
    public init(lastEventID: String = "", maxBytes: Int = 32 << 20) {
        (self.lastEventID, eventID, self.maxBytes) = (lastEventID, lastEventID, maxBytes)
    }

    /// Parses the next bytes.
    ///
    /// - Returns: the events that end in these bytes. An event that is not complete when the stream ends is to be discarded.
    public mutating func parse(_ bytes: some Sequence<UInt8>) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes where !isTooLarge {
            switch byte {
            case UInt8(ascii: "\n"):
                if !lastWasCR { endLine(&events) }
                lastWasCR = false
            case UInt8(ascii: "\r"):
                endLine(&events)
                lastWasCR = true
            default:
                line.append(byte)
                lastWasCR = false
                if line.count + data.count > maxBytes { isTooLarge = true }
            }
        }
        return events
    }

    private mutating func endLine(_ events: inout [ServerSentEvent]) {
        defer { line.removeAll(keepingCapacity: true) }
        if isAtStart {
            isAtStart = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        guard !line.isEmpty else { return dispatch(&events) }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return process(line[...], []) }
        guard colon > 0 else { return }
        var value = line[(colon + 1)...]
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        process(line[..<colon], value)
    }

    private mutating func process(_ field: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        switch String(decoding: field, as: UTF8.self) {
        case "event": type = String(decoding: value, as: UTF8.self)
        case "data":
            data += value
            data.append(UInt8(ascii: "\n"))
            if data.count > maxBytes { isTooLarge = true }
        case "id": if !value.contains(0) { eventID = String(decoding: value, as: UTF8.self) }
        case "retry":
            let isNumber = !value.isEmpty && value.allSatisfy { (48...57).contains($0) }
            if isNumber, let milliseconds = Int(String(decoding: value, as: UTF8.self)) { retry = milliseconds }
        default: break
        }
    }

    private mutating func dispatch(_ events: inout [ServerSentEvent]) {
        lastEventID = eventID
        defer {
            data.removeAll(keepingCapacity: true)
            type = ""
        }
        guard !data.isEmpty else { return }
        events.append(
            ServerSentEvent(
                type: type.isEmpty ? "message" : type, data: String(decoding: data.dropLast(), as: UTF8.self),
                lastEventID: lastEventID))
    }
}
