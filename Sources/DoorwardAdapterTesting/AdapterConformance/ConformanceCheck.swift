internal import DoorwardAdapterKit
public import DoorwardDomain

/// One requirement of `LockAdapter`, and its check.
public struct ConformanceCheck: Sendable, CustomStringConvertible {
    /// The requirement, as a sentence.
    public let description: String
    private let body: @Sendable (any AdapterHarness) async throws -> Void

    init(_ description: String, check body: @escaping @Sendable (any AdapterHarness) async throws -> Void) {
        (self.description, self.body) = (description, body)
    }

    /// Runs the check with a new harness.
    ///
    /// - Returns: `.passed`, or `.notApplicable` if locks of this kind, or their transport, do not
    ///   have the feature that the check requires.
    /// - Throws: `ConformanceFailure`, or an unexpected error of the adapter or the harness.
    @discardableResult
    public func check(_ harness: any AdapterHarness) async throws -> ConformanceOutcome {
        do {
            try await body(harness)
            return .passed
        } catch let cause as NotApplicable {
            return .notApplicable(cause.reason)
        }
    }
}

/// The checks that apply to adapters of any kind. A test runs each check with its own harness, usually on a `SeededExecutor`.
public enum AdapterConformance {
    /// All checks. A check is not applicable if locks of the adapter's kind do not have the feature that the check requires.
    public static let checks: [ConformanceCheck] =
        addressChecks + fieldChecks + endpointChecks + lifecycleChecks + restartChecks + attachChecks + commandChecks
        + settingsChecks + responseChecks + faultChecks + transportChecks + reportChecks + fleetChecks + discoveryChecks

    /// Returns the number of the lock with this id, for `AdapterHarness.address(of:)`.
    public static func number(of lock: DeviceID) -> Int { Int(truncatingIfNeeded: lock.low) }

    /// The default of `promptTime`: the maximum time until a prompt lock has moved and its adapter has reported the movement.
    public static let prompt = Duration.seconds(2)
    /// The default of `lateTime`: the maximum time until a late lock has confirmed a command.
    public static let late = Duration.seconds(60)
    /// The time that a check waits for reports and commands that the adapter may have delayed.
    static let settlingTime = Duration.seconds(1800)
}
