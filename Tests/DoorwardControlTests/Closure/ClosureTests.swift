import DoorwardControl
import DoorwardTesting
import Testing

@testable import DoorwardTenancy

/// No set of people can together reach more than its members hold and others gave them, whatever management calls they take.
@Suite struct ClosureTests {
    private static let worlds = 10 * TestRounds.factor
    private static let stepsOfWorld = 60

    @Test("a coalition can do nothing that its members do not hold and nobody outside gave them")
    func closed() async throws {
        var (done, refused) = (0, 0)
        for seed in TestRounds.first..<TestRounds.first + Self.worlds {
            var run = try await ClosureRun(seed: UInt64(seed))
            for step in 0..<Self.stepsOfWorld {
                let excess = await run.step()
                #expect(
                    excess == nil,
                    "world \(seed), step \(step), members \(run.model.members.map(run.world.name)):\n\(run.trace.joined(separator: "\n"))"
                )
                if excess != nil { break }
            }
            done += run.done
            refused += run.refused
            await run.world.control.stop()
        }
        let steps = Self.worlds * Self.stepsOfWorld
        #expect(done > steps / 20 && refused > steps / 20, "\(done) calls done, \(refused) refused")
    }

    @Test("a planted fault is found within 10,000 steps", arguments: ClosureRun.Fault.allCases)
    func planted(fault: ClosureRun.Fault) async throws {
        for seed in TestRounds.first..<TestRounds.first + 10_000 / Self.stepsOfWorld {
            var run = try await ClosureRun(seed: UInt64(seed), fault: fault)
            for _ in 0..<Self.stepsOfWorld where await run.step() != nil { return }
            await run.world.control.stop()
        }
        Issue.record("\(fault) was not found")
    }
}
