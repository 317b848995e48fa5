internal import DoorwardDomain
internal import DoorwardMQTT

/// Delivery status of the last command: whether the broker rejected it, and whether the gateway's own subscription to the command
/// topic has received it.
struct CommandDelivery {
    let command: CommandID
    let topic: MQTTTopic
    let sent: MQTTSentPublish
    /// Secret, as it may contain a lock's code.
    private let payload: Secret<[UInt8]>
    /// Whether the broker has delivered the command: the gateway has received it back, or the lock has answered it.
    var isDelivered = false
    /// The text of the reason code with which the broker rejected the command; `nil` if it has not rejected it.
    var rejection: (reason: String, isNotAuthorized: Bool)?

    init(_ command: CommandID, _ outgoing: OutgoingMessage, _ sent: MQTTSentPublish) {
        (self.command, topic, self.sent, payload) = (command, outgoing.topic, sent, Secret(outgoing.payload))
    }

    /// Whether a message is the command itself, as the broker delivers it to every subscriber of its topic.
    func matches(_ message: MQTTMessage) -> Bool {
        !message.isRetained && message.readAfter >= sent.number && TopicText(message.topic) == TopicText(topic.description)
            && message.payload == payload.reveal()
    }
}
