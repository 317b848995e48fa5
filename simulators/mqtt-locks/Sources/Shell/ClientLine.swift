import DoorwardMQTT

/// A connection of the fleet, for the runner that has it alone.
struct ClientLine {
    let settings: MQTTSettings
    let filters: [MQTTFilter]
    /// `nil` while it has been cut.
    var connection: MQTTConnection?
    /// Counts connections: what an earlier one still hands over is none of this one's.
    var generation = 0
    var outbox = Outbox()
    /// Connected, subscribed and announced, as the broker has acknowledged.
    var isReady = false
    /// The frame whose acknowledgement says so.
    var probe: MQTTFrameID?
    /// It is still to be sent, behind all that waits.
    var wantsProbe = false
}
