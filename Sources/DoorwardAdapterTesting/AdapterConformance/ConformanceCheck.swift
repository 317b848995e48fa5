internal import DoorwardAdapterKit
public import DoorwardDomain

/// One promise of `LockAdapter`, and how to find out whether an adapter keeps it.
public struct ConformanceCheck: Sendable, CustomStringConvertible {
    /// The promise as a sentence.
    public let description: String
    private let body: @Sendable (any AdapterHarness) async throws -> Void

    init(_ description: String, check body: @escaping @Sendable (any AdapterHarness) async throws -> Void) {
        (self.description, self.body) = (description, body)
    }

    /// Tries it with a new harness.
    ///
    /// - Returns: `.kept`, or `.notApplicable` where locks of this kind, or their transport, lack what it is about.
    /// - Throws: `ConformanceFailure`, or whatever the adapter threw where it should not have.
    @discardableResult
    public func check(_ harness: any AdapterHarness) async throws -> ConformanceOutcome {
        do {
            try await body(harness)
            return .kept
        } catch let cause as NotApplicable {
            return .notApplicable(cause.reason)
        }
    }
}

/// Every promise that an adapter of any kind must keep: a test runs each with a harness of its own, on a `SeededExecutor`
/// unless the harness can do without.
public enum AdapterConformance {
    /// All of them. One that asks for something which locks of this kind do not have is not applicable to them.
    public static let promises: [ConformanceCheck] =
        addressPromises + fieldPromises + placePromises + lifePromises + restartPromises + attachPromises + orderPromises
        + answerPromises + faultPromises + transportPromises + reportPromises + fleetPromises + discoveryPromises

    /// The number of the lock that the kit attaches with this id: `AdapterHarness.address(of:)` is asked for its address.
    public static func number(of lock: DeviceID) -> Int { Int(truncatingIfNeeded: lock.low) }

    /// Within this time a prompt lock has moved and said so, where the harness says nothing else.
    public static let prompt = Duration.seconds(2)
    /// Within this time a late lock has said so, where the harness says nothing else.
    public static let late = Duration.seconds(60)
    /// After this time whatever an adapter might have kept for later would have come out.
    static let settlingTime = Duration.seconds(1800)
}
