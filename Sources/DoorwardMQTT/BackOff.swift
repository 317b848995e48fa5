package import DoorwardDomain

/// Exponential back-off between connection attempts: the pause doubles up to a maximum, with jitter.
package struct BackOff {
    private let initial: Duration
    private let maximum: Duration
    private var next: Duration

    package init(initial: Duration, maximum: Duration) { (self.initial, self.maximum, next) = (initial, maximum, initial) }

    /// Returns the pause after one more failure: random between half of the current back-off and the whole of it, so that many
    /// gateways do not reconnect in step.
    package mutating func nextDelay(_ random: RandomSource) -> Duration {
        let share = random.bytes(2).reduce(0) { $0 << 8 | Int64($1) }
        defer { next = min(next * 2, maximum) }
        return next / 2 + next * Int(share) / (2 * 65_535)
    }

    /// Starts again from the first pause, after a connection was established.
    package mutating func reset() { next = initial }
}
