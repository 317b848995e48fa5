/// A message about the publisher itself: a state, an availability, a description. The broker may retain it for later subscribers.
///
/// It is a separate type from `MQTTPublish`, so that no command can be retained by mistake. The gateway's adapter publishes none;
/// device simulators do.
package struct MQTTRetainablePublish: Sendable {
    /// Topic to publish to.
    package var topic: MQTTTopic
    /// At most 32 MiB. An empty payload with `isRetained` deletes the retained message.
    package var payload: [UInt8]
    /// Whether the broker acknowledges it.
    package var qos: MQTTQoS
    /// Whether the broker retains it, in place of the message retained on this topic before.
    package var isRetained: Bool

    package init(topic: MQTTTopic, payload: [UInt8], qos: MQTTQoS = .atMostOnce, isRetained: Bool = true) {
        (self.topic, self.payload, self.qos, self.isRetained) = (topic, payload, qos, isRetained)
    }
}
