import DoorwardMQTT

/// The state of one connection of the fleet, owned by the runner.
struct ClientConnection {
    let settings: MQTTSettings
    let filters: [MQTTFilter]
    /// The connection; `nil` after it has been cut.
    var mqtt: MQTTConnection?
    /// The number of the present connection. Events of earlier connections are ignored.
    var generation = 0
    var outbox = Outbox()
    /// Whether the client is connected, subscribed and announced, as acknowledged by the broker.
    var isReady = false
    /// The frame whose acknowledgement shows that the client is ready.
    var probe: MQTTPublishID?
    /// Whether the probe is still to be sent, after all waiting messages.
    var needsProbe = false
}
