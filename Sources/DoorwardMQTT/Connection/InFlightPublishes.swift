internal import DoorwardDomain

/// The messages of QoS 1 that were sent on this connection and have no PUBACK, in the order of sending.
///
/// Each of them counts against the broker's Receive Maximum until its PUBACK arrives, even after its lifetime: the library counts
/// in the same way, and would queue any further message and send it later.
struct InFlightPublishes {
    private struct Publish {
        /// The packet identifier, which MQTT reuses.
        let packetID: Int32
        let id: MQTTPublishNumber
        /// The end of the message's lifetime; `nil` for a retainable message, which has none.
        var deadline: MonotonicInstant?
        var hasExpired = false
    }

    private var publishes: [Publish] = []

    var count: Int { publishes.count }

    /// - Parameter deadline: the end of its lifetime; `nil` for a retainable message.
    mutating func insert(_ packetID: Int32, _ id: MQTTPublishNumber, until deadline: MonotonicInstant?) {
        publishes.append(Publish(packetID: packetID, id: id, deadline: deadline))
    }

    /// Removes the message that a PUBACK acknowledges.
    ///
    /// - Returns: its id; `nil` where no message has this packet identifier.
    mutating func remove(_ packetID: Int32) -> MQTTPublishNumber? {
        // A new message may have the packet identifier of an older message that was never acknowledged.
        publishes.lastIndex { $0.packetID == packetID }.map { publishes.remove(at: $0).id }
    }

    /// Marks the messages whose lifetime has ended; whether the broker has received them is unknown.
    ///
    /// - Returns: whether any were marked.
    mutating func expire(at now: MonotonicInstant) -> Bool {
        var hasNew = false
        for index in publishes.indices where !publishes[index].hasExpired {
            guard let deadline = publishes[index].deadline, deadline <= now else { continue }
            publishes[index].hasExpired = true
            hasNew = true
        }
        return hasNew
    }

    /// Moves the deadlines of the missing acknowledgements to a later instant, after a stall of the broker.
    mutating func extend(until deadline: MonotonicInstant) {
        for index in publishes.indices where publishes[index].deadline != nil {
            (publishes[index].deadline, publishes[index].hasExpired) = (deadline, false)
        }
    }

    /// Whether no further message can be sent with QoS 1: the messages without a PUBACK have reached the broker's Receive
    /// Maximum, and all their lifetimes had ended when the newest answered probe was sent.
    ///
    /// - Parameter answered: when the newest answered probe was sent.
    func isExhausted(_ receiveMaximum: UInt16, answered: MonotonicInstant) -> Bool {
        publishes.count >= receiveMaximum && publishes.allSatisfy { $0.deadline.map { $0 <= answered } ?? false }
    }

    /// The earliest deadline that has not passed.
    var nextDeadline: MonotonicInstant? { publishes.lazy.filter { !$0.hasExpired }.compactMap(\.deadline).min() }
}

extension MQTTAcknowledgement {
    /// - Parameter code: the reason code of a PUBACK.
    init(code: Int32) {
        switch code {
        case 0: self = .accepted
        case 0x10: self = .noMatchingSubscribers
        default: self = .rejected(reason: ReasonCode.text(code), isNotAuthorized: code == 0x87)
        }
    }
}
