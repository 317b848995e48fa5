internal import DoorwardDomain

/// Liveness probe: shows whether the broker itself processes packets. TCP acknowledgements show
/// only that the broker's host receives them. A stalled broker leaves received packets in its
/// socket buffer, and processes them late when it resumes.
///
/// The probe is an UNSUBSCRIBE from a topic without a subscription. Every broker answers it (MQTT 5.0, section 3.10.4), no access
/// control list forbids it, and it has no effect.
struct BrokerLivenessProbe {
    /// If a probe is unanswered for this long, `publish` is rejected, as a frame could be processed late.
    static let patience = Duration.seconds(1)
    /// If a probe is unanswered for this long, the connection is reported as stalled.
    static let livenessTimeout = Duration.seconds(5)

    private var asked: (number: Int32, at: MonotonicInstant, after: MQTTFrameNumber)?
    /// When the newest answered probe was sent, and the last frame that was sent before the probe. The broker has processed this
    /// frame, as it answers in order.
    private var proof: (at: MonotonicInstant, after: MQTTFrameNumber)?
    /// The same values for a probe whose answer has been read, until all messages received before the answer have been delivered.
    private var nextProof: (at: MonotonicInstant, after: MQTTFrameNumber)?
    private var heard: MonotonicInstant?

    /// Whether no probe is outstanding, so that one may be sent.
    var isAnswered: Bool { asked == nil }

    /// - Parameter frame: the last frame sent before the probe.
    mutating func ask(_ number: Int32, after frame: MQTTFrameNumber, at now: MonotonicInstant) { asked = (number, now, frame) }

    mutating func answered(_ number: Int32) {
        guard let asked, asked.number == number else { return }
        (nextProof, self.asked) = ((asked.at, asked.after), nil)
    }

    /// Records that all messages received before the last answer have been delivered.
    mutating func handedOn() { proof = nextProof ?? proof }

    /// When the newest answered probe was sent; `nil` before the first answer.
    var lastAnswered: MonotonicInstant? { (nextProof ?? proof)?.at }

    /// Whether the broker has processed this frame, and has answered a probe that was sent within the last two seconds.
    func proves(_ frame: MQTTFrameNumber, at now: MonotonicInstant) -> Bool {
        proof.map { frame <= $0.after && now.duration(since: $0.at) <= Self.patience * 2 } ?? false
    }

    /// Records that messages were received. The answer may be queued behind them, so `livenessTimeout` starts again. The messages
    /// do not prove that the broker processes packets now.
    mutating func hear(at now: MonotonicInstant) { heard = now }

    func isSlow(at now: MonotonicInstant) -> Bool { asked.map { now.duration(since: $0.at) >= Self.patience } ?? false }

    func isGone(at now: MonotonicInstant) -> Bool {
        asked.map { now.duration(since: max($0.at, heard ?? $0.at)) >= Self.livenessTimeout } ?? false
    }
}
