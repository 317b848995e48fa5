internal import Dispatch
internal import DoorwardAdapterKit
internal import DoorwardDomain
import Synchronization

extension AdapterConformance {
    static let fleetChecks: [ConformanceCheck] = [
        ConformanceCheck("A command moves its own lock and no other") { harness in
            let run = try await ConformanceRun(harness, locks: 3)
            try await run.requireConfirmation(of: run.opening, by: 1)
            for number in [0, 2] {
                try run.requireNoReports(of: number, "after a command for another lock")
                try await run.requireCommands([], at: number, "after a command for another lock")
            }
        },
        ConformanceCheck("A lock that is silent, jammed, refusing, late or offline delays no other lock") { harness in
            let behaviors = LockBehavior.allCases.filter { $0 != .prompt }
            let run = try await ConformanceRun(harness, locks: behaviors.count + 1)
            for (number, behavior) in behaviors.enumerated() {
                try await run.set(behavior, of: number)
                _ = run.failure(of: run.opening, to: number)
            }
            try await run.requireConfirmation(of: run.opening, by: behaviors.count)
        },
        ConformanceCheck("Two hundred locks each confirm their own command once") { harness in
            let run = try await ConformanceRun(harness, locks: 200)
            for number in 0..<200 { try run.send(number % 2 == 0 ? .lock : run.opening, to: number) }
            try await run.pass(harness.promptTime)
            for number in 0..<200 {
                let expected = number % 2 == 0 ? .locked : run.opening.resultingState
                try require(run.recorder.restingStates(of: number), is: [expected], "the states of lock \(number)")
            }
        },
        ConformanceCheck("Commands to different locks from many threads at once each arrive once") { harness in
            let run = try await ConformanceRun(harness, locks: 64)
            let failures = Mutex<[AdapterError]>([])
            DispatchQueue.concurrentPerform(iterations: 64) { number in
                if let failure = run.failure(of: run.opening, to: number) { failures.withLock { $0.append(failure) } }
            }
            try require(failures.withLock { $0 }, is: [], "the errors of the commands")
            try await run.pass(harness.promptTime)
            for number in 0..<64 {
                try require(
                    run.recorder.restingStates(of: number), is: [run.opening.resultingState], "the states of lock \(number)")
            }
        },
        ConformanceCheck("Locks can be attached and detached on any thread while commands are sent to others") { harness in
            let run = try await ConformanceRun(harness, locks: 8)
            DispatchQueue.concurrentPerform(iterations: 64) { turn in
                let number = turn % 8
                switch turn / 8 % 4 {
                case 0: run.detach(number)
                case 1: run.attach(number)
                case 2: _ = run.failure(of: .lock, to: number)
                default: _ = run.refreshFailure(number)
                }
            }
            for number in 0..<8 { run.attach(number) }
            try await run.pass(harness.promptTime)
            run.recorder.forget()
            for number in 0..<8 {
                try await run.requireConfirmation(of: run.opening, by: number)
                try require(
                    run.recorder.restingStates(of: number), is: [run.opening.resultingState], "the states of lock \(number)")
            }
        },
        ConformanceCheck("Reports are delivered for attached locks only") { harness in
            let run = try await ConformanceRun(harness, locks: 4)
            run.detach(3)
            for number in 0..<4 { _ = try? await run.trigger(.stateReport, at: number) }
            for number in 0..<3 { try run.send(run.opening, to: number) }
            try await run.pass(harness.promptTime)
            let attached = Set((0..<3).map(ConformanceRun.id))
            try require(Set(run.recorder.reports.map(\.deviceID)), is: attached, "the locks that reports come from")
        },
    ]
}
