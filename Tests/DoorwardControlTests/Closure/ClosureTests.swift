import DoorwardControl
import Foundation
import Testing

@testable import DoorwardTenancy

/// No set of people can together reach more than its members hold and others gave them, whatever management calls they take.
@Suite struct ClosureTests {
    /// The number of steps; more with `DOORWARD_CLOSURE_STEPS`, beginning with the world `DOORWARD_CLOSURE_FIRST`.
    private static let steps = setting("DOORWARD_CLOSURE_STEPS") ?? 600
    private static let first = setting("DOORWARD_CLOSURE_FIRST") ?? 0
    private static let stepsOfWorld = 60

    private static func setting(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    @Test("a coalition can do nothing that its members do not hold and nobody outside gave them")
    func closed() async throws {
        var (done, refused) = (0, 0)
        for seed in Self.first..<Self.first + (Self.steps + Self.stepsOfWorld - 1) / Self.stepsOfWorld {
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
        #expect(done > Self.steps / 20 && refused > Self.steps / 20, "\(done) calls done, \(refused) refused")
    }

    @Test("a planted fault is found within 10,000 steps", arguments: ClosureRun.Fault.allCases)
    func planted(fault: ClosureRun.Fault) async throws {
        for seed in Self.first..<Self.first + 10_000 / Self.stepsOfWorld {
            var run = try await ClosureRun(seed: UInt64(seed), fault: fault)
            for _ in 0..<Self.stepsOfWorld where await run.step() != nil { return }
            await run.world.control.stop()
        }
        Issue.record("\(fault) was not found")
    }
}
