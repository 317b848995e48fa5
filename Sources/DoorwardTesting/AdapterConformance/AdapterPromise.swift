internal import DoorwardAdapterKit
internal import DoorwardDomain

/// One promise of `LockAdapter`, and how to find out whether an adapter keeps it.
package struct AdapterPromise: Sendable, CustomStringConvertible {
    /// The promise as a sentence.
    package let description: String
    /// Tries it with a new harness.
    ///
    /// - Throws: `BrokenPromise`, or whatever the adapter threw where it should not have.
    package let check: @Sendable (any AdapterHarness) async throws -> Void

    init(_ description: String, check: @escaping @Sendable (any AdapterHarness) async throws -> Void) {
        (self.description, self.check) = (description, check)
    }
}

/// Every promise that an adapter of any kind must keep: a test runs each with a harness of its own, on a `SeededExecutor`
/// unless the harness can do without.
package enum AdapterConformance {
    /// All of them. One that asks for something which locks of this kind do not have is kept by them.
    package static let promises: [AdapterPromise] =
        addressPromises + fieldPromises + placePromises + lifePromises + restartPromises + attachPromises + orderPromises
        + answerPromises + faultPromises + transportPromises + reportPromises + fleetPromises + discoveryPromises

    /// Within this time a prompt lock has moved and said so.
    package static let prompt = Duration.seconds(2)
    /// Within this time a late lock has said so.
    package static let late = Duration.seconds(60)
    /// After this time whatever an adapter might have kept for later would have come out.
    static let longAfter = Duration.seconds(1800)
}
