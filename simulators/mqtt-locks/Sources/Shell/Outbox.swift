import DoorwardMQTT

/// What waits for a connection that takes no more for a moment. Locks say what they say in order; what is not said when the
/// connection breaks is not said at all.
struct Outbox {
    private var waiting: [Frame] = []
    private var first = 0

    var isEmpty: Bool { first == waiting.count }

    mutating func add(_ frame: Frame) { waiting.append(frame) }

    mutating func forget() { (waiting, first) = ([], 0) }

    /// Hands over as much as the connection takes.
    ///
    /// - Parameter publish: what handing one over came to.
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

/// What handing a frame to a connection came to.
enum Handover {
    case done
    /// Later, perhaps.
    case busy
    /// There is no connection.
    case gone
}
