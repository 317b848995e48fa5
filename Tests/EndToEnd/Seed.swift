import DoorwardTesting
import Foundation

/// The seed of a test's random values, which is printed. `DOORWARD_TEST_SEED` sets the seed, so
/// that the random values are the same again; the scheduling of the processes still differs.
struct Seed: Sendable {
    private let value: UInt64

    init(of test: String) {
        value = ProcessInfo.processInfo.environment["DOORWARD_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...(.max))
        print("\(test): DOORWARD_TEST_SEED=\(value)")
    }

    /// Makes a separate generator for each use, so that concurrent uses do not change each other's values.
    func generator(_ use: Int = 0) -> SeededGenerator { SeededGenerator(seed: value &+ UInt64(use) &* 0xD1B5_4A32_D192_ED03) }
}
