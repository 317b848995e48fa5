/// What a broker delivers.
package struct MQTTMessage: Hashable, Sendable {
    /// The topic it came on.
    package let topic: String
    /// Any bytes, none too.
    package let payload: [UInt8]
    /// Whether the broker kept it and hands it out because of a new subscription: it says how things were, and is no live
    /// word of anybody. On a topic that is wanted as published also: whether its sender told the broker to keep it.
    package let isRetained: Bool
    /// How surely it came: the lower of what its sender chose and what was subscribed to, which is `.atLeastOnce`.
    package let quality: MQTTQuality
    /// The last frame that had left on this connection when the message was read from it: the message cannot be an answer to
    /// any later one.
    package internal(set) var after = MQTTFrameNumber.none

    package init(topic: String, payload: [UInt8], isRetained: Bool, quality: MQTTQuality = .atMostOnce) {
        (self.topic, self.payload, self.isRetained, self.quality) = (topic, payload, isRetained, quality)
    }
}

/// Counts the frames of one `MQTTConnection`, over all its attempts to stand, in the order in which they left.
package struct MQTTFrameNumber: Comparable, Hashable, Sendable {
    /// Of no frame: before the first.
    package static let none = MQTTFrameNumber(rawValue: 0)

    let rawValue: UInt64

    /// Whether it left before the other.
    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    var next: Self { Self(rawValue: rawValue + 1) }
}

/// A frame that has left.
package struct MQTTSentFrame: Hashable, Sendable {
    /// Its place among the frames of its connection.
    package let number: MQTTFrameNumber
    /// What the broker's acknowledgement will name; `nil` where there will be none.
    package let id: MQTTFrameID?
}

/// How surely a frame gets to the broker.
package enum MQTTQuality: Int32, Hashable, Sendable {
    /// Once at most: nobody acknowledges it.
    case atMostOnce = 0
    /// The broker acknowledges it. It is never sent a second time, as a connection that broke is never taken up again.
    case atLeastOnce = 1
}

/// What is to be published, now or never. It is never retained: there is no field that says so, and nothing that sends one can.
///
/// What a program says about itself, and a broker may keep, is an `MQTTAnnouncement`; orders to locks are frames.
package struct MQTTFrame: Sendable {
    /// Where to.
    package var topic: MQTTTopic
    /// At most 64 KiB.
    package var payload: [UInt8]
    /// Whether the broker is to acknowledge it.
    package var quality: MQTTQuality
    /// For how long it means anything, from now on. A broker that speaks MQTT 5 hands it to nobody afterwards, and what has not
    /// reached the broker by then is cut off with the connection.
    package var lifetime: Duration

    package init(topic: MQTTTopic, payload: [UInt8], quality: MQTTQuality = .atMostOnce, lifetime: Duration) {
        (self.topic, self.payload, self.quality, self.lifetime) = (topic, payload, quality, lifetime)
    }
}
