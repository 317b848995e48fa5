internal import DoorwardDomain

/// Liveness probe: shows whether the broker itself processes packets. TCP acknowledgements show only that the broker's host
/// receives them. A stalled broker leaves received packets in its socket buffer, and processes them late when it resumes.
///
/// The probe is an UNSUBSCRIBE from a topic without a subscription. Every broker answers it (MQTT 5.0, section 3.10.4), no access
/// control list forbids it, and it has no effect.
struct BrokerLivenessProbe {
    /// If a probe is unanswered for this long, `publish` is rejected, as a message could be processed late.
    static let slowThreshold = Duration.seconds(1)
    /// If a probe is unanswered for this long, the connection is reported as stalled.
    static let livenessTimeout = Duration.seconds(5)

    private var outstanding: (packetID: Int32, at: MonotonicInstant, after: MQTTPublishNumber)?
    /// When the newest answered probe was sent, and the last message that was sent before the probe. The broker has processed
    /// this message, as it answers in order.
    private var deliveredProbe: (at: MonotonicInstant, after: MQTTPublishNumber)?
    /// The same values for a probe whose answer was read while messages received before that answer were still undelivered.
    private var answeredProbe: (at: MonotonicInstant, after: MQTTPublishNumber)?
    private var lastReceived: MonotonicInstant?

    /// Whether no probe is outstanding, so that one may be sent.
    var isAnswered: Bool { outstanding == nil }

    /// - Parameter number: the last message sent before the probe.
    mutating func recordSent(_ packetID: Int32, after number: MQTTPublishNumber, at now: MonotonicInstant) {
        outstanding = (packetID, now, number)
    }

    mutating func recordResponse(_ packetID: Int32) {
        guard let outstanding, outstanding.packetID == packetID else { return }
        (answeredProbe, self.outstanding) = ((outstanding.at, outstanding.after), nil)
    }

    /// Records that all messages received before the last answer have been delivered.
    mutating func confirmDelivered() { deliveredProbe = answeredProbe ?? deliveredProbe }

    /// When the newest answered probe was sent; `nil` before the first answer.
    var lastAnswered: MonotonicInstant? { (answeredProbe ?? deliveredProbe)?.at }

    /// Whether the broker has processed the message with this number, and has answered a probe that was sent within the last two
    /// seconds.
    func isResponsive(since number: MQTTPublishNumber, at now: MonotonicInstant) -> Bool {
        deliveredProbe.map { number <= $0.after && now.duration(since: $0.at) <= Self.slowThreshold * 2 } ?? false
    }

    /// Records that messages were received. The answer may be queued behind them, so `livenessTimeout` starts again. The messages
    /// do not prove that the broker processes packets now.
    mutating func recordReceived(at now: MonotonicInstant) { lastReceived = now }

    func isSlow(at now: MonotonicInstant) -> Bool {
        outstanding.map { now.duration(since: $0.at) >= Self.slowThreshold } ?? false
    }

    func hasTimedOut(at now: MonotonicInstant) -> Bool {
        outstanding.map { now.duration(since: max($0.at, lastReceived ?? $0.at)) >= Self.livenessTimeout } ?? false
    }
}
