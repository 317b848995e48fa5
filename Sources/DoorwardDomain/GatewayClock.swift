/// The gateway's only source of time. It is injected; tests inject a virtual clock.
///
/// Windows are evaluated and records are timestamped by wall time. Deadlines are measured by monotonic time, which never steps.
public protocol GatewayClock: Sendable {
    /// The wall clock, UTC.
    func now() -> Timestamp

    /// The current reading of the monotonic clock. Only the difference of two readings has a meaning.
    func monotonicNow() -> MonotonicInstant

    /// Suspends until the monotonic clock has reached `instant`.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    func sleep(until instant: MonotonicInstant) async throws
}

/// A reading of the monotonic clock: nanoseconds since an origin that differs between processes.
public struct MonotonicInstant: Hashable, Comparable, Sendable {
    /// The reading in nanoseconds. It never decreases within a process.
    public let nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Compares two instants of the same process; a comparison between processes has no meaning.
    public static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }

    /// This instant moved by `duration`, rounded towards zero to a nanosecond.
    public func advanced(by duration: Duration) -> Self {
        let (seconds, attoseconds) = duration.components
        return Self(nanoseconds: nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    /// The time from `other` to this instant.
    public func duration(since other: Self) -> Duration { .nanoseconds(nanoseconds - other.nanoseconds) }
}
