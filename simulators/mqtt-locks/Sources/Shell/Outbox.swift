import DoorwardMQTT

/// Messages waiting for a connection that is busy, in order. They are discarded when the connection breaks.
struct Outbox {
    private var waiting: [Frame] = []
    private var first = 0

    var isEmpty: Bool { first == waiting.count }

    mutating func add(_ frame: Frame) { waiting.append(frame) }

    mutating func forget() { (waiting, first) = ([], 0) }

    /// Publishes as many messages as the connection accepts.
    ///
    /// - Parameter publish: publishes one message.
    mutating func empty(_ publish: (Frame) -> Handover) {
        loop: while first < waiting.count {
            switch publish(waiting[first]) {
            case .done: first += 1
            case .busy: break loop
            case .gone: first = waiting.count
            }
        }
        if first == waiting.count { forget() }
    }
}

/// Result of passing a message to a connection.
enum Handover {
    case done
    /// Try again later.
    case busy
    /// There is no connection.
    case gone
}
