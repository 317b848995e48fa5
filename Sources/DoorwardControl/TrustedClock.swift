package import DoorwardDomain

/// The gateway's clock, with the knowledge whether the wall clock is trusted. The only source of the time of decisions.
package final class TrustedClock: GatewayClock {
    private let base: any GatewayClock

    /// - Parameter base: the clock of the machine.
    package init(_ base: any GatewayClock) { self.base = base }

    /// The wall clock as the machine shows it. Decisions use `decisionTime()`.
    package func now() -> Timestamp { base.now() }

    /// The monotonic clock.
    package func monotonicNow() -> MonotonicInstant { base.monotonicNow() }

    /// Suspends until the monotonic clock has reached `instant`.
    package func sleep(until instant: MonotonicInstant) async throws { try await base.sleep(until: instant) }

    /// The time of one decision. Read it once for each decision.
    package func decisionTime() -> DecisionTime { .trusted(base.now()) }
}
