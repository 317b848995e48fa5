internal import DoorwardDomain

/// Whether the broker still does its work, and not only its machine: a broker that stands still leaves what it is sent in its
/// machine's memory, and hands it on late when it goes on.
///
/// The question is to unsubscribe from a topic that nobody subscribed to. Every broker answers it (MQTT 5.0, section 3.10.4),
/// no access list forbids it, and it means nothing.
struct Pulse {
    /// A broker that has not answered for so long gets nothing that could arrive late.
    static let patience = Duration.seconds(1)
    /// One that has not answered for so long is given up.
    static let longestSilence = Duration.seconds(5)

    private var asked: (number: Int32, at: MonotonicInstant, after: MQTTFrameNumber)?
    /// The newest question that was answered: when it was put, and the last frame before it, which the broker has certainly taken
    /// in, as it answers in order.
    private var proof: (at: MonotonicInstant, after: MQTTFrameNumber)?
    /// The same of a question whose answer was read, while what came before the answer is still being handed on.
    private var nextProof: (at: MonotonicInstant, after: MQTTFrameNumber)?
    private var heard: MonotonicInstant?

    /// Whether a question may be put.
    var isAnswered: Bool { asked == nil }

    /// - Parameter frame: the last that has left before the question.
    mutating func ask(_ number: Int32, after frame: MQTTFrameNumber, at now: MonotonicInstant) { asked = (number, now, frame) }

    mutating func answered(_ number: Int32) {
        guard let asked, asked.number == number else { return }
        (nextProof, self.asked) = ((asked.at, asked.after), nil)
    }

    /// What came before the last answer has been handed on.
    mutating func handedOn() { proof = nextProof ?? proof }

    /// When the newest question that the broker has answered was asked; `nil` before the first answer.
    var lastAnswered: MonotonicInstant? { (nextProof ?? proof)?.at }

    /// Whether the broker has shown that it was at work after a frame had come, and a moment ago.
    func proves(_ frame: MQTTFrameNumber, at now: MonotonicInstant) -> Bool {
        proof.map { frame <= $0.after && now.duration(since: $0.at) <= Self.patience * 2 } ?? false
    }

    /// Something else has come, behind which the answer may wait: it ends no connection, but says nothing of this moment either.
    mutating func hear(at now: MonotonicInstant) { heard = now }

    func isSlow(at now: MonotonicInstant) -> Bool { asked.map { now.duration(since: $0.at) >= Self.patience } ?? false }

    func isGone(at now: MonotonicInstant) -> Bool {
        asked.map { now.duration(since: max($0.at, heard ?? $0.at)) >= Self.longestSilence } ?? false
    }
}
