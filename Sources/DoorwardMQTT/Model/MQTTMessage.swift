/// A message that a broker delivers.
package struct MQTTMessage: Hashable, Sendable {
    /// Topic that it was published to.
    package let topic: String
    /// Payload of any bytes; may be empty.
    package let payload: [UInt8]
    /// Whether this is a retained message that the broker sends for a new subscription: it reports an earlier state, not a live
    /// event. If the filter has Retain As Published, this is also true for a live message that its publisher sent with the retain
    /// flag.
    package let isRetained: Bool
    /// Delivery QoS: the lower of the publisher's QoS and the subscription's, which is `.atLeastOnce`.
    package let qos: MQTTQoS
    /// The number of the last message that had been sent on this connection when this one was read: it cannot be a response to a
    /// message that was sent later.
    package internal(set) var readAfter = MQTTPublishNumber.none

    package init(topic: String, payload: [UInt8], isRetained: Bool, qos: MQTTQoS = .atMostOnce) {
        (self.topic, self.payload, self.isRetained, self.qos) = (topic, payload, isRetained, qos)
    }
}

/// Sequence number of a message that was sent on one `MQTTConnection`, counted across reconnects in the order of sending. Unlike
/// the 16-bit packet identifiers of MQTT it is not reused.
package struct MQTTPublishNumber: Comparable, Hashable, Sendable {
    /// The value before the first message.
    package static let none = MQTTPublishNumber(rawValue: 0)

    let rawValue: UInt64

    /// Whether the first was sent earlier.
    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    var next: Self { Self(rawValue: rawValue + 1) }
}

/// A message that was sent.
package struct MQTTSentPublish: Hashable, Sendable {
    /// Its sequence number on its connection.
    package let number: MQTTPublishNumber
    /// The number again, which the broker's acknowledgement will carry; `nil` if there will be no acknowledgement.
    package let id: MQTTPublishNumber?
}

/// Quality of service between this program and the broker.
package enum MQTTQoS: Int32, Hashable, Sendable {
    /// At most once: not acknowledged.
    case atMostOnce = 0
    /// At least once: the broker acknowledges the message. The message is still sent at most once, as
    /// the session of a broken connection is never resumed.
    case atLeastOnce = 1
}

/// A message that is published at once or not at all. It is never retained: this type has no field for the retain flag.
///
/// Commands to locks are of this type. A message that a program publishes about itself, and that may be retained, is an
/// `MQTTRetainablePublish`.
package struct MQTTPublish: Sendable {
    /// Topic to publish to.
    package var topic: MQTTTopic
    /// At most 64 KiB.
    package var payload: [UInt8]
    /// Whether the broker acknowledges it.
    package var qos: MQTTQoS
    /// How long the message is valid after `publish` is called. With MQTT 5 the broker does not deliver it afterwards. If it has
    /// not reached the broker by then, the connection is reset.
    package var lifetime: Duration

    package init(topic: MQTTTopic, payload: [UInt8], qos: MQTTQoS = .atMostOnce, lifetime: Duration) {
        (self.topic, self.payload, self.qos, self.lifetime) = (topic, payload, qos, lifetime)
    }
}

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

/// The subscriptions by which the response to a message arrives.
package struct MQTTResponseSubscriptions: Sendable {
    /// Subscriptions that the broker must have granted.
    package var required: [MQTTFilter]
    /// Subscriptions that the broker must have granted or refused.
    package var optional: [MQTTFilter]

    package init(required: [MQTTFilter], optional: [MQTTFilter] = []) { (self.required, self.optional) = (required, optional) }

    /// For a message that expects no response.
    package static let none = MQTTResponseSubscriptions(required: [])
}
