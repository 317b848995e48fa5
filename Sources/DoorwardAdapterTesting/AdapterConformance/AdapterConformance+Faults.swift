internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let faultChecks: [ConformanceCheck] = [
        ConformanceCheck("An offline lock gets no command, neither then nor when it is back online") { harness in
            let run = try await ConformanceRun(harness)
            try await run.set(.offline, of: 0)
            try await run.pass(harness.promptTime)
            let failure = run.failure(of: run.opening, to: 0)
            if let failure { try require(failure, is: .offline, "the error of a command") }
            try await run.set(.prompt, of: 0)
            try await run.pass(settlingTime)
            try await run.requireCommands([], at: 0, "after it came back")
        },
        ConformanceCheck("A lock that was offline executes commands when it is back online") { harness in
            let run = try await ConformanceRun(harness)
            try await run.set(.offline, of: 0)
            try await run.pass(harness.promptTime)
            try await run.set(.prompt, of: 0)
            try await run.pass(harness.promptTime)
            run.recorder.forget()
            try await run.requireConfirmation(of: run.opening, by: 0)
        },
        ConformanceCheck("Nothing is confirmed if the lock does not report") { harness in
            let run = try await ConformanceRun(harness)
            try await run.set(.silent, of: 0)
            try run.send(run.opening, to: 0)
            try await run.pass(settlingTime)
            try require(run.recorder.restingStates(of: 0), is: [], "the confirmed states")
        },
        ConformanceCheck("No command is sent a second time, however long the lock does not report") { harness in
            let run = try await ConformanceRun(harness)
            try await run.set(.silent, of: 0)
            try run.send(run.opening, to: 0)
            try await run.pass(settlingTime)
            try await run.set(.prompt, of: 0)
            // Turn the bolt by hand, so that the lock is locked again. If the adapter sent the
            // command again, the lock would be unlocked.
            guard try await run.trigger(.manualTurn, at: 0) else { throw NotApplicable.manualTurns }
            try await run.pass(settlingTime)
            try require(
                run.recorder.restingStates(of: 0).last ?? .locked, is: .locked, "the state long after the lock was locked by hand"
            )
            try require(
                await harness.receivedCommands(at: ConformanceRun.id(0)) ?? [run.opening], is: [run.opening],
                "the received commands")
        },
        ConformanceCheck("A jam is reported, and nothing is confirmed") { harness in
            guard harness.capabilities.contains(.jam) else { throw NotApplicable("locks of this kind do not detect a jam") }
            let run = try await ConformanceRun(harness)
            try await run.set(.jamming, of: 0)
            run.recorder.forget()
            try run.send(run.opening, to: 0)
            try await run.pass(harness.promptTime)
            try require(run.recorder.states(of: 0).map(\.state).last, is: .jammed, "the last state")
            try require(run.recorder.restingStates(of: 0), is: [], "the confirmed states")
        },
        ConformanceCheck("A refusal is reported once, and nothing is confirmed") { harness in
            let run = try await ConformanceRun(harness)
            try await run.set(.refusing, of: 0)
            try run.send(run.opening, to: 0)
            try await run.pass(harness.promptTime)
            try require(run.recorder.refusals(of: 0), is: 1, "the number of refusals")
            try require(run.recorder.restingStates(of: 0), is: [], "the confirmed states")
            try await run.set(.prompt, of: 0)
            try await run.pass(settlingTime)
            try require(
                run.recorder.restingStates(of: 0).contains(run.opening.resultingState), is: false,
                "whether the command was sent again")
        },
        ConformanceCheck("A late confirmation is reported exactly once") { harness in
            let run = try await ConformanceRun(harness)
            try await run.set(.late, of: 0)
            try run.send(run.opening, to: 0, deadline: harness.clock.now().advanced(by: .seconds(1)))
            try await run.pass(harness.promptTime)
            try require(run.recorder.restingStates(of: 0), is: [], "the states confirmed in time")
            try await run.pass(harness.lateTime)
            try require(
                run.recorder.restingStates(of: 0).filter { $0 == run.opening.resultingState }.count, is: 1,
                "the late confirmations")
        },
        ConformanceCheck("A lock executes commands again after a jam, a refusal or a late confirmation") { harness in
            let run = try await ConformanceRun(harness, locks: 3)
            for (number, behavior) in [LockBehavior.jamming, .refusing, .late].enumerated() {
                try await run.set(behavior, of: number)
                try run.send(run.opening, to: number)
                try await run.pass(harness.lateTime)
                try await run.set(.prompt, of: number)
                try await run.pass(harness.promptTime)
                try await run.requireConfirmation(of: .lock, by: number)
            }
        },
    ]
}
