internal import DoorwardDomain

/// Bounds how many messages of one lock are looked at, so that one that talks without end costs the others nothing.
struct FloodGuard {
    /// Messages a second that are looked at in the long run; no lock says so much.
    static let perSecond = 50
    /// How many may come at once: a bridge that starts says everything of a lock together.
    static let burst = 200

    private var tokens = Double(burst)
    private var lastLook: MonotonicInstant
    /// Whether the last message was dropped.
    private var isDropping = false

    init(at now: MonotonicInstant) { lastLook = now }

    enum Verdict: Equatable {
        case look
        /// - Parameter isFirst: the message before was processed: from now on the known state may be wrong.
        case drop(isFirst: Bool)
    }

    mutating func take(at now: MonotonicInstant) -> Verdict {
        let seconds = Double(now.duration(since: lastLook).wholeMilliseconds) / 1000
        if seconds > 0 {
            tokens = min(Double(Self.burst), tokens + seconds * Double(Self.perSecond))
            lastLook = now
        }
        let wasDropping = isDropping
        isDropping = tokens < 1
        guard !isDropping else { return .drop(isFirst: !wasDropping) }
        tokens -= 1
        return .look
    }
}
