package import DoorwardDomain
import FoundationEssentials

/// The wall clock and monotonic clock of the machine.
package struct SystemClock {
    /// The origin of monotonic readings; the same for all clocks of the process.
    private static let start = ContinuousClock.now

    package init() {}
}

extension SystemClock: GatewayClock {
    package func now() -> Timestamp {
        Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }

    package func monotonicNow() -> MonotonicInstant {
        MonotonicInstant(nanoseconds: 0).advanced(by: Self.start.duration(to: .now))
    }

    package func sleep(until instant: MonotonicInstant) async throws {
        try await ContinuousClock().sleep(until: Self.start.advanced(by: .nanoseconds(instant.nanoseconds)))
    }
}
