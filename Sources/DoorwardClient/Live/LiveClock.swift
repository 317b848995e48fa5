#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The time that the client uses. Tests replace it by a virtual clock.
public protocol LiveClock: Sendable {
    /// The wall time.
    var now: Doorward.Instant { get }
    /// The time since some start. It also advances while the machine sleeps.
    var uptime: Duration { get }
    /// Suspends until `uptime` reaches an instant.
    ///
    /// - Throws: `CancellationError`.
    func sleep(until instant: Duration) async throws
}

/// The clock of the machine.
public struct SystemLiveClock: LiveClock {
    private static let start = ContinuousClock.now

    public init() {}

    /// The wall time.
    public var now: Doorward.Instant { Doorward.Instant(Date()) }
    /// The time since some start.
    public var uptime: Duration { ContinuousClock.now - Self.start }
    /// Suspends until the time is reached. Throws `CancellationError`.
    public func sleep(until instant: Duration) async throws {
        try await Task.sleep(until: Self.start + instant, tolerance: .milliseconds(20), clock: ContinuousClock())
    }
}
