internal import DoorwardDomain
internal import DoorwardMQTT

/// How far the last command has demonstrably come: whether the broker rejected it, and whether the gateway's own subscription to
/// the command topic has delivered it.
struct CommandDelivery {
    let command: CommandID
    let topic: MQTTTopic
    let frame: MQTTSentFrame
    /// May hold a lock's code.
    private let payload: Secret<[UInt8]>
    /// The broker has passed it on: it came back to the gateway, or the lock answered it.
    var isDelivered = false
    /// The text of the reason code with which the broker rejected it.
    var rejection: (reason: String, isNotAuthorized: Bool)?

    init(_ command: CommandID, _ outgoing: Outgoing, _ frame: MQTTSentFrame) {
        (self.command, topic, self.frame, payload) = (command, outgoing.topic, frame, Secret(outgoing.payload))
    }

    /// Whether a message is the command itself, as the broker delivers it to every subscriber of its topic.
    func isOwn(_ message: MQTTMessage) -> Bool {
        !message.isRetained && message.after >= frame.number && TopicText(message.topic) == TopicText(topic.description)
            && message.payload == payload.reveal()
    }
}
