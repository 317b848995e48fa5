/// The one source of time of the gateway, handed to whoever needs it; tests hand in a virtual one.
///
/// Wall time decides windows and dates records; monotonic time measures deadlines and never steps.
package protocol GatewayClock: Sendable {
    /// The wall clock, UTC.
    func now() -> Timestamp

    /// The monotonic clock. Only differences mean anything.
    func monotonicNow() -> MonotonicInstant

    /// Suspends until the monotonic clock has reached `instant`.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    func sleep(until instant: MonotonicInstant) async throws
}

/// A reading of the monotonic clock: nanoseconds since a start that differs from process to process.
package struct MonotonicInstant: Hashable, Comparable, Sendable {
    /// Never goes back within a process.
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Says something only of two instants of one process.
    package static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }

    /// This instant moved by `duration`, rounded towards zero to a nanosecond.
    package func advanced(by duration: Duration) -> Self {
        let (seconds, attoseconds) = duration.components
        return Self(nanoseconds: nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    /// The time from `other` to this instant.
    package func duration(since other: Self) -> Duration { .nanoseconds(nanoseconds - other.nanoseconds) }
}
