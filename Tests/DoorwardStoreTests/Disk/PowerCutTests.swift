import DoorwardTesting
import Testing

/// Databases as power cuts leave them, rebuilt from recorded writes: what was flushed is there, and of the rest any part.
@Suite(.timeLimit(.minutes(60))) struct PowerCutTests {
    private static let images = 60 * TestRounds.factor

    private struct Result {
        var images = 0
        /// Images in which something that was written is missing.
        var torn = 0
        var violations: [String] = []
    }

    private func cut(images: Int, unflushed: DiskRecorder.File? = nil) async throws -> Result {
        var (result, seed) = (Result(), 1 as UInt64)
        while result.images < images, unflushed == nil || result.violations.isEmpty {
            let course = try await DiskCourse(seed: seed)
            let recorder = try await course.record()
            var random = SeededGenerator(seed: seed &* 77)
            for number in 0..<min(20, images - result.images) {
                let count = Int.random(in: 0...recorder.events.count, using: &random)
                let (image, lost) = recorder.cutPower(after: count, unflushed: unflushed, using: &random)
                let found = try await course.violations(of: image, recorder.promises(after: count), name: "cut-\(number).db")
                result.violations += found.map { "seed \(seed), image \(number), after \(count) operations: \($0)" }
                result.images += 1
                if lost > 0 { result.torn += 1 }
            }
            seed += 1
        }
        return result
    }

    @Test("after a power cut at any moment, whatever was not flushed is lost, the database keeps all that was promised")
    func kept() async throws {
        let result = try await cut(images: Self.images)
        print(
            "power cuts: \(result.images) images, \(result.torn) without some of the writes, \(result.violations.count) violations"
        )
        #expect(result.violations.isEmpty)
        #expect(result.torn > result.images / 4, "in too few images something is missing: nothing was tested")
    }

    @Test("a store that leaves out the flushes of a file is found out", arguments: DiskRecorder.File.allCases)
    func planted(file: DiskRecorder.File) async throws {
        let result = try await cut(images: 60, unflushed: file)
        #expect(!result.violations.isEmpty)
    }
}
