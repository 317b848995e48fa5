internal import DoorwardDomain
internal import DoorwardMQTT

/// Recently sent command frames of one lock that the broker has not delivered back to the gateway.
/// The gateway subscribes to the lock's command topics, so that it detects when the broker delivers
/// a frame late.
struct OwnFrames {
    /// Maximum number of remembered frames.
    private static let most = 8
    /// How long a frame is remembered after its deadline. A message that matches later may come
    /// from any client.
    private static let memory = Duration.seconds(300)

    private struct Frame {
        let order: CommandID
        let topic: String
        let payload: [UInt8]
        let until: MonotonicInstant
    }

    private var frames: [Frame] = []

    mutating func note(_ order: CommandID, _ outgoing: OutgoingMessage, until: MonotonicInstant) {
        frames.append(Frame(order: order, topic: outgoing.topic.description, payload: outgoing.payload, until: until))
        if frames.count > Self.most { frames.removeFirst() }
    }

    /// Matches a received message with the frames. Of equal frames, one whose deadline has not passed matches first: the message
    /// is then no evidence that another frame was delivered late.
    ///
    /// - Returns: the command to which the message belongs, if the deadline of its frame had
    ///   passed.
    mutating func late(_ message: MQTTMessage, at now: MonotonicInstant) -> CommandID? {
        guard !frames.isEmpty, !message.isRetained else { return nil }
        frames.removeAll { now > $0.until.advanced(by: Self.memory) }
        let alike = frames.indices.filter { frames[$0].topic == message.topic && frames[$0].payload == message.payload }
        guard let index = alike.first(where: { frames[$0].until > now }) ?? alike.first else { return nil }
        let frame = frames.remove(at: index)
        return frame.until > now ? nil : frame.order
    }
}
