package import DoorwardDomain

/// The pauses between attempts to connect: each may be twice as long as the one before, up to the longest.
package struct BackOff {
    private let first: Duration
    private let longest: Duration
    private var next: Duration

    package init(first: Duration, longest: Duration) { (self.first, self.longest, next) = (first, longest, first) }

    /// The pause after one more failure: between a half and the whole of what has grown so far, so that many gateways do not
    /// come back in step.
    package mutating func pause(_ random: RandomSource) -> Duration {
        let share = random.bytes(2).reduce(0) { $0 << 8 | Int64($1) }
        defer { next = min(next * 2, longest) }
        return next / 2 + next * Int(share) / (2 * 65_535)
    }

    /// The connection stood: the next failure begins anew.
    package mutating func reset() { next = first }
}
