package import DoorwardDomain
package import DoorwardMQTT

/// One message, decoded for one lock.
package struct DecodedMessage: Hashable, Sendable {
    /// Changes of the lock's known state, in order; empty if the message changes nothing.
    package var reports: [Report] = []
    /// Reported events, in the order of the message; none from a retained message.
    package var events: [LockEvent] = []
    /// The response to the command in flight.
    package var command: CommandResponse?
    /// Anomalies of the message, without duplicates.
    package var diagnostics: [Diagnostic] = []
    /// State requests to send in response. None of them moves the lock.
    package var publish: [OutgoingMessage] = []

    package init() {}

    /// The reported values of one message; `nil` for values that the message does not contain.
    package struct Report: Hashable, Sendable {
        /// Position of the bolt.
        package var position: BoltState?
        /// The quality of `position`, or of the known position if `position` is `nil`.
        package var quality: StateQuality?
        /// Whether the lock is reachable, combined from all availability topics.
        package var availability: Availability?
        /// Position of the door leaf.
        package var door: DoorPosition?
        /// Percent.
        package var battery: Double?
        /// The lock's own warning.
        package var isBatteryLow: Bool?
        /// All faults that are known now, not only the changes.
        package var faults: Set<LockFault>?

        package init() {}
    }
}

/// A message to be published. It cannot be retained.
package struct OutgoingMessage: Hashable, Sendable {
    /// Topic to publish to.
    package var topic: MQTTTopic
    /// The payload, at most a few hundred bytes. It is empty if an empty payload requests the state.
    package var payload: [UInt8]
    /// `.atLeastOnce` only if the profile requires it.
    package var qos: MQTTQoS

    package init(topic: MQTTTopic, payload: [UInt8], qos: MQTTQoS) {
        (self.topic, self.payload, self.qos) = (topic, payload, qos)
    }
}
