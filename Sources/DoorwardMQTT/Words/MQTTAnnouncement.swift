/// What a program says about itself: a state, an availability, a description. The broker may keep it for later subscribers.
///
/// It is a type apart from `MQTTFrame`, so that no order can be retained by mistake. The gateway's adapter makes none; programs
/// that play devices do.
package struct MQTTAnnouncement: Sendable {
    /// Where it is said.
    package var topic: MQTTTopic
    /// At most 32 MiB. Empty and retained, it takes away what the broker kept.
    package var payload: [UInt8]
    /// Whether the broker is to acknowledge it.
    package var quality: MQTTQuality
    /// Whether the broker keeps it, in place of what it kept on this topic before.
    package var isRetained: Bool

    package init(topic: MQTTTopic, payload: [UInt8], quality: MQTTQuality = .atMostOnce, isRetained: Bool = true) {
        (self.topic, self.payload, self.quality, self.isRetained) = (topic, payload, quality, isRetained)
    }
}
