import DoorwardControl
import DoorwardTesting
import FoundationEssentials
import Testing

@testable import DoorwardStore

/// Databases as `kill -9` leaves them after each write and flush, and as a second `kill -9` leaves them while the next process opens
/// them.
@Suite(.timeLimit(.minutes(60))) struct KillTests {
    /// The number of courses.
    private static let seeds = UInt64(TestRounds.factor)

    private struct Result {
        /// The kills in each step, and second kills.
        var kills: [String: Int] = [:]
        var violations: [String] = []

        var line: String { kills.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ") }
    }

    /// Kills in each step of a course, and again while the next process opens the file.
    private func kill(seed: UInt64, perStep: Int, answersEarly: Bool = false, _ result: inout Result) async throws {
        let course = try await DiskCourse(seed: seed)
        let recorder = try await course.record(answersEarly: answersEarly)
        var random = SeededGenerator(seed: seed &* 31)
        for step in DiskCourse.steps {
            for number in 0..<perStep {
                guard let count = recorder.steps[step]?.randomElement(using: &random) else { continue }
                let promises = recorder.promises(after: count)
                let name = "\(step)-\(number).db"
                let path = course.database.folder.appending(path: name).path
                let image = recorder.killed(after: count)
                // The next process is killed, too.
                try image.write(to: path)
                let second = try DiskRecorder(path)
                let store = try? course.database.open(path: path)
                second.stop()
                try? await store?.close()
                let again = second.killed(after: Int.random(in: 0...second.events.count, using: &random))
                result.kills[step, default: 0] += 1
                if !second.events.isEmpty { result.kills["second", default: 0] += 1 }
                for image in [image, again] {
                    let found = try await course.violations(of: image, promises, name: "next-" + name)
                    result.violations += found.map { "seed \(seed), \(step) after \(count) operations: \($0)" }
                }
            }
        }
    }

    @Test("killed at each step of a command, checkpoint, key rotation and erasure, twice, the store keeps all that was promised")
    func steps() async throws {
        var result = Result()
        for seed in 1...Self.seeds { try await kill(seed: seed, perStep: 2, &result) }
        print("kills: \(result.line); \(result.violations.count) violations")
        #expect(result.violations.isEmpty)
        for step in DiskCourse.steps { #expect(result.kills[step] == 2 * Int(Self.seeds), "\(step)") }
    }

    @Test("a store that answers before its commit is found out")
    func planted() async throws {
        var result = Result()
        for seed in 1...9 as ClosedRange<UInt64> where result.violations.isEmpty {
            try await kill(seed: seed, perStep: 3, answersEarly: true, &result)
        }
        #expect(!result.violations.isEmpty)
    }
}
