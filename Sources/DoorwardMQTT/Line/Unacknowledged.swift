internal import DoorwardDomain

/// What was sent with quality `.atLeastOnce` and the broker has not acknowledged, in the order of sending.
struct Unacknowledged {
    private struct Frame {
        let number: Int32
        /// `nil` for an announcement, which holds at any time.
        let until: MonotonicInstant?
    }

    private var frames: [Frame] = []

    var count: Int { frames.count }

    mutating func insert(_ number: Int32, until: MonotonicInstant?) {
        frames.append(Frame(number: number, until: until))
    }

    /// - Returns: whether it was there.
    mutating func remove(_ number: Int32) -> Bool {
        guard let index = frames.firstIndex(where: { $0.number == number }) else { return false }
        frames.remove(at: index)
        return true
    }

    /// Whether a frame's time is over without an acknowledgement.
    func isOneStuck(at now: MonotonicInstant) -> Bool { frames.contains { $0.until.map { $0 <= now } ?? false } }

    /// When it must be looked at next.
    var next: MonotonicInstant? { frames.lazy.compactMap(\.until).min() }
}
