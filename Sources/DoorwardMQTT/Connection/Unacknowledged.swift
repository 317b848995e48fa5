internal import DoorwardDomain

/// The frames and announcements of QoS 1 that were sent on this connection and have no PUBACK, in the order of sending.
///
/// Each of them counts against the broker's Receive Maximum until its PUBACK arrives, even after
/// its lifetime: the library counts in the same way, and would queue any further frame and send it
/// later.
struct Unacknowledged {
    private struct Frame {
        /// The packet identifier, which MQTT reuses.
        let packet: Int32
        let id: MQTTFrameID
        /// The end of the frame's lifetime; `nil` for an announcement, which has none.
        var deadline: MonotonicInstant?
        var hasExpired = false
    }

    private var frames: [Frame] = []

    var count: Int { frames.count }

    /// - Parameter until: the end of its lifetime; `nil` for an announcement.
    mutating func insert(_ packet: Int32, _ id: MQTTFrameID, until: MonotonicInstant?) {
        frames.append(Frame(packet: packet, id: id, deadline: until))
    }

    /// Removes the frame that a PUBACK acknowledges.
    ///
    /// - Returns: its id; `nil` where no frame has this packet identifier.
    mutating func remove(_ packet: Int32) -> MQTTFrameID? {
        // A new frame may have the packet identifier of an older frame that was never acknowledged.
        frames.lastIndex { $0.packet == packet }.map { frames.remove(at: $0).id }
    }

    /// Marks the frames whose lifetime has ended; whether the broker has received them is unknown.
    ///
    /// - Returns: whether any were marked.
    mutating func expire(at now: MonotonicInstant) -> Bool {
        var hasNew = false
        for index in frames.indices where !frames[index].hasExpired {
            guard let deadline = frames[index].deadline, deadline <= now else { continue }
            frames[index].hasExpired = true
            hasNew = true
        }
        return hasNew
    }

    /// Moves the deadlines of the missing acknowledgements to a later instant, after a standstill of the broker.
    mutating func extend(until deadline: MonotonicInstant) {
        for index in frames.indices where frames[index].deadline != nil {
            (frames[index].deadline, frames[index].hasExpired) = (deadline, false)
        }
    }

    /// Whether no further frame can be sent with QoS 1: the frames without a PUBACK have reached
    /// the broker's Receive Maximum, and all their lifetimes had ended when the newest answered
    /// probe was sent.
    ///
    /// - Parameter answered: when the newest answered probe was sent.
    func isExhausted(_ receiveMaximum: UInt16, answered: MonotonicInstant) -> Bool {
        frames.count >= receiveMaximum && frames.allSatisfy { $0.deadline.map { $0 <= answered } ?? false }
    }

    /// The earliest deadline that has not passed.
    var next: MonotonicInstant? { frames.lazy.filter { !$0.hasExpired }.compactMap(\.deadline).min() }
}

extension MQTTAcknowledgement {
    /// - Parameter code: the reason code of a PUBACK.
    init(code: Int32) {
        switch code {
        case 0: self = .taken
        case 0x10: self = .nobodySubscribed
        default: self = .refused(reason: ReasonCode.text(code), isNotAuthorized: code == 0x87)
        }
    }
}
