import DoorwardMQTT

/// Messages waiting for a connection that is busy, in order. They are discarded when the connection breaks.
struct Outbox {
    private var waiting: [OutgoingMessage] = []
    private var first = 0

    var isEmpty: Bool { first == waiting.count }

    mutating func append(_ message: OutgoingMessage) { waiting.append(message) }

    mutating func removeAll() { (waiting, first) = ([], 0) }

    /// Publishes as many messages as the connection accepts.
    ///
    /// - Parameter publish: publishes one message.
    mutating func drain(_ publish: (OutgoingMessage) -> PublishResult) {
        loop: while first < waiting.count {
            switch publish(waiting[first]) {
            case .done: first += 1
            case .busy: break loop
            case .notConnected: first = waiting.count
            }
        }
        if first == waiting.count { removeAll() }
    }
}

/// Result of passing a message to a connection.
enum PublishResult {
    case done
    /// Try again later.
    case busy
    /// There is no connection.
    case notConnected
}
