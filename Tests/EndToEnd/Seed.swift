import DoorwardTesting
import Foundation

/// What the random moments and choices of a test are drawn from. It is printed, and `DOORWARD_TEST_SEED` gives it back: the
/// draws are then the same again, though not how the machine shares its time between the processes.
struct Seed: Sendable {
    private let value: UInt64

    init(of test: String) {
        value = ProcessInfo.processInfo.environment["DOORWARD_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...(.max))
        print("\(test): DOORWARD_TEST_SEED=\(value)")
    }

    /// A generator of its own for each use, so that those that run at the same time do not disturb one another's draws.
    func generator(_ use: Int = 0) -> SeededGenerator { SeededGenerator(seed: value &+ UInt64(use) &* 0xD1B5_4A32_D192_ED03) }
}
