internal import DoorwardDomain

/// Rate limiter (token bucket) for the messages of one lock, so that a lock that publishes without end does not delay the others.
struct RateLimiter {
    /// Messages per second that are processed in the long run; no lock publishes so many.
    static let refillPerSecond = 50
    /// Messages that may arrive at once: a bridge publishes all topics of a lock when it starts.
    static let burst = 200

    private var tokens = Double(burst)
    private var lastRefill: MonotonicInstant
    /// Whether the last message was dropped.
    private var isDropping = false

    init(at now: MonotonicInstant) { lastRefill = now }

    enum Decision: Equatable {
        case accept
        /// - Parameter isFirst: whether the previous message was processed, so that the known state may be wrong from now on.
        case drop(isFirst: Bool)
    }

    mutating func admit(at now: MonotonicInstant) -> Decision {
        let seconds = Double(now.duration(since: lastRefill).wholeMilliseconds) / 1000
        if seconds > 0 {
            tokens = min(Double(Self.burst), tokens + seconds * Double(Self.refillPerSecond))
            lastRefill = now
        }
        let wasDropping = isDropping
        isDropping = tokens < 1
        guard !isDropping else { return .drop(isFirst: !wasDropping) }
        tokens -= 1
        return .accept
    }
}
