internal import DoorwardDomain

/// Bounds how many messages of one lock are looked at, so that one that talks without end costs the others nothing.
struct FloodGuard {
    /// Messages a second that are looked at in the long run; no lock says so much.
    static let perSecond = 50
    /// How many may come at once: a bridge that starts says everything of a lock together.
    static let burst = 200

    private var tokens = Double(burst)
    private var lastLook: MonotonicInstant
    /// Whether something was left out since the last message that was looked at.
    private(set) var hasDropped = false

    init(at now: MonotonicInstant) { lastLook = now }

    enum Verdict: Equatable {
        case look
        /// The first to be looked at after some were left out: what is known may be wrong.
        case lookAfterGap
        case drop
    }

    mutating func take(at now: MonotonicInstant) -> Verdict {
        let seconds = Double(now.duration(since: lastLook).wholeMilliseconds) / 1000
        if seconds > 0 {
            tokens = min(Double(Self.burst), tokens + seconds * Double(Self.perSecond))
            lastLook = now
        }
        guard tokens >= 1 else {
            hasDropped = true
            return .drop
        }
        tokens -= 1
        defer { hasDropped = false }
        return hasDropped ? .lookAfterGap : .look
    }
}
