internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let attachChecks: [ConformanceCheck] = [
        ConformanceCheck("Commands and state requests for an unknown lock throw `notAttached`") { harness in
            let run = try await ConformanceRun(harness)
            try require(run.failure(of: run.opening, to: 99), is: .notAttached, "the error of a command")
            try require(run.refreshFailure(99), is: .notAttached, "the error of a state request")
            try await run.pass(settlingTime)
            try await run.requireCommands([], at: 0, "after a command for another lock")
        },
        ConformanceCheck("Commands and state requests for a detached lock throw `notAttached`") { harness in
            let run = try await ConformanceRun(harness)
            run.detach(0)
            try require(run.failure(of: run.opening, to: 0), is: .notAttached, "the error of a command")
            try require(run.refreshFailure(0), is: .notAttached, "the error of a state request")
        },
        ConformanceCheck("Nothing is reported for a detached lock, not even for a movement in progress") { harness in
            let run = try await ConformanceRun(harness, locks: 2)
            try await run.set(.late, of: 0)
            try run.send(run.opening, to: 0)
            run.detach(0)
            run.recorder.forget()
            _ = try? await run.trigger(.manualTurn, at: 0)
            try await run.pass(settlingTime)
            try run.requireNoReports(of: 0, "after it was detached")
        },
        ConformanceCheck("Detaching one lock does not affect the others") { harness in
            let run = try await ConformanceRun(harness, locks: 3)
            run.detach(1)
            for number in [0, 2] { try await run.requireConfirmation(of: run.opening, by: number) }
        },
        ConformanceCheck("Detaching a lock twice, or one that was never attached, has no effect") { harness in
            let run = try await ConformanceRun(harness, locks: 2)
            for number in [1, 1, 99] { run.detach(number) }
            try await run.requireConfirmation(of: run.opening, by: 0)
            run.attach(1)
            try await run.pass(harness.promptTime)
            try await run.requireConfirmation(of: run.opening, by: 1)
        },
        ConformanceCheck("A lock that is attached again executes new commands, and receives none of the earlier ones") {
            harness in
            let run = try await ConformanceRun(harness)
            try await run.set(.offline, of: 0)
            _ = run.failure(of: run.opening, to: 0)
            run.detach(0)
            run.attach(0)
            try await run.set(.prompt, of: 0)
            try await run.pass(harness.promptTime)
            run.recorder.forget()
            try await run.requireConfirmation(of: .lock, by: 0)
            try await run.pass(settlingTime)
            try require(run.recorder.restingStates(of: 0), is: [.locked], "the states reported for one command")
            try await run.requireCommands([.lock], at: 0, "after it was attached again")
        },
        ConformanceCheck("Attaching a lock a second time does not duplicate its reports") { harness in
            let run = try await ConformanceRun(harness)
            run.attach(0)
            try await run.pass(harness.promptTime)
            run.recorder.forget()
            try await run.requireConfirmation(of: run.opening, by: 0)
            try require(
                run.recorder.restingStates(of: 0).count { $0 == run.opening.resultingState }, is: 1,
                "the confirmations of one command")
        },
        ConformanceCheck("Attaching a lock again replaces its address") { harness in
            guard let limited = harness.limited else { throw NotApplicable.limited }
            let run = try await ConformanceRun(harness)
            let lacking = run.movements.filter { !limited.capabilities.contains($0.requiredCapability ?? []) }
            run.attach(0, as: limited.address)
            try await run.pass(harness.promptTime)
            for operation in lacking {
                try require(run.failure(of: operation, to: 0), is: .unsupported, "the error of \(operation.rawValue)")
            }
            run.attach(0)
            try await run.pass(harness.promptTime)
            for operation in lacking { try await run.requireConfirmation(of: operation, by: 0) }
        },
        ConformanceCheck("A lock with an invalid address can be attached, and rejects commands") { harness in
            let address = addressWithWrongTypes(harness)
            guard !address.isEmpty else { throw NotApplicable.fields }
            let run = try await ConformanceRun(harness)
            run.attach(1, as: address)
            try await run.pass(harness.promptTime)
            try require(run.failure(of: run.opening, to: 1) != nil, "a command to a lock with an invalid address is accepted")
            try require(run.recorder.states(of: 1).isEmpty, "a state is reported for a lock with an invalid address")
            try await run.requireConfirmation(of: run.opening, by: 0)
        },
    ]
}
