internal import Foundation

/// The size of campaigns, which are tests that try many random cases. A change is tested with one round of each campaign; longer runs find
/// rare faults.
package enum TestRounds {
    /// The factor by which each campaign multiplies the number of its cases: `DOORWARD_TEST_ROUNDS`, 1 without it.
    package static let factor = max(1, setting("DOORWARD_TEST_ROUNDS") ?? 1)

    /// The first of the consecutive seeds that a campaign uses: `DOORWARD_TEST_FIRST`, so that a failure which names a seed can be
    /// repeated at once; 0 without it.
    package static let first = setting("DOORWARD_TEST_FIRST") ?? 0

    private static func setting(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }
}
