/// A message about the publisher itself: a state, an availability, a description. The broker may retain it for later subscribers.
///
/// It is a type apart from `MQTTFrame`, so that no command can be retained by mistake. The gateway's adapter publishes none;
/// device simulators do.
package struct MQTTAnnouncement: Sendable {
    /// Topic to publish to.
    package var topic: MQTTTopic
    /// At most 32 MiB. Empty and retained, it deletes the retained message.
    package var payload: [UInt8]
    /// Whether the broker acknowledges it.
    package var quality: MQTTQuality
    /// Whether the broker retains it, in place of the message retained on this topic before.
    package var isRetained: Bool

    package init(topic: MQTTTopic, payload: [UInt8], quality: MQTTQuality = .atMostOnce, isRetained: Bool = true) {
        (self.topic, self.payload, self.quality, self.isRetained) = (topic, payload, quality, isRetained)
    }
}
