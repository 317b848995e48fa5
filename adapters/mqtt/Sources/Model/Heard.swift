package import DoorwardDomain
package import DoorwardMQTT

/// What one message means for one lock.
package struct Heard: Hashable, Sendable {
    /// What is known anew of the lock's condition, in order; a message that changes nothing has none.
    package var reports: [Report] = []
    /// What has happened, in the order in which the message tells it; none from a message that the broker had kept.
    package var events: [LockEvent] = []
    /// What it says of the command under way.
    package var command: CommandWord?
    /// Each at most once.
    package var diagnostics: [Diagnostic] = []
    /// Frames that follow from it. They only ask: nothing moves by them.
    package var publish: [Outgoing] = []

    package init() {}

    /// The aspects that a message speaks of; `nil` for those that it does not.
    package struct Report: Hashable, Sendable {
        /// Where the bolt is.
        package var position: Position?
        /// How far `position`, or the one that is known, can be trusted.
        package var quality: StateQuality?
        /// Whether the lock can be reached, of all topics that tell of it.
        package var availability: Availability?
        /// Whether the leaf stands open.
        package var door: DoorPosition?
        /// Percent.
        package var battery: Double?
        /// The lock's own warning.
        package var isBatteryLow: Bool?
        /// Every fault that is known now, not only what changed.
        package var faults: Set<LockFault>?

        package init() {}
    }
}

/// A frame to be published. There is no such thing as a retained one.
package struct Outgoing: Hashable, Sendable {
    /// Where it goes.
    package var topic: MQTTTopic
    /// At most a few hundred bytes; empty where emptiness asks.
    package var payload: [UInt8]
    /// `.atLeastOnce` only where the profile says that the lock needs it.
    package var quality: MQTTQuality

    package init(topic: MQTTTopic, payload: [UInt8], quality: MQTTQuality) {
        (self.topic, self.payload, self.quality) = (topic, payload, quality)
    }
}
