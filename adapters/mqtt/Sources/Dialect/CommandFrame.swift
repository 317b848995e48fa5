internal import DoorwardMQTT

/// A frame that moves a lock, all but its code and its reference.
struct CommandFrame: Sendable {
    let topic: MQTTTopic
    let quality: MQTTQuality
    private let part: CommandPart

    init(_ part: CommandPart, _ topic: MQTTTopic, _ quality: ProfileQuality) {
        (self.part, self.topic) = (part, topic)
        self.quality = quality == .atLeastOnce ? .atLeastOnce : .atMostOnce
    }

    var takesCode: Bool { part.payloadWithCode != nil }
    var bearsReference: Bool { part.bearsReference }
    var plainPayload: String { part.payload.text }

    func outgoing(code: String?, reference: String) -> Outgoing {
        Outgoing(topic: topic, payload: part.bytes(code: code, reference: reference), quality: quality)
    }
}
