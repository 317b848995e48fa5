internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let lifecycleChecks: [ConformanceCheck] = [
        ConformanceCheck("Health is `down` before the start, `ok` while the adapter runs, and `down` after the stop") { harness in
            try require(harness.adapter.health, is: .down, "the health before the start")
            let run = try await ConformanceRun(harness)
            try require(harness.adapter.health, is: .ok, "the health while it runs")
            await harness.adapter.stop()
            try await run.pass(harness.promptTime)
            try require(harness.adapter.health, is: .down, "the health after the stop")
        },
        ConformanceCheck("A lock attached before the start reports and executes commands after it") { harness in
            let number = 7
            harness.adapter.attach(AttachedLock(id: ConformanceRun.id(number), address: harness.address(of: number)))
            let run = try await ConformanceRun(harness, locks: 0)
            try await run.requireConfirmation(of: run.opening, by: number)
            try await run.requireCommands([run.opening], at: number, "after the start")
        },
        ConformanceCheck("Starting the adapter and attaching locks move no lock") { harness in
            let run = try await ConformanceRun(harness, locks: 3)
            try await run.pass(settlingTime)
            for number in 0..<3 { try await run.requireCommands([], at: number, "after the start") }
        },
        ConformanceCheck("A command before the start is rejected, and not sent after the start") { harness in
            let command = LockCommand(
                commandID: CommandID(high: 0, low: 1), deviceID: ConformanceRun.id(0), operation: .unlock,
                deadline: harness.clock.now().advanced(by: .seconds(3600)))
            harness.adapter.attach(AttachedLock(id: command.deviceID, address: harness.address(of: 0)))
            do {
                try harness.adapter.send(command)
                throw ConformanceFailure("a command is accepted before the start")
            } catch is AdapterError {}
            let run = try await ConformanceRun(harness, locks: 0)
            try await run.pass(settlingTime)
            try await run.requireCommands([], at: 0, "after a command before the start")
        },
        ConformanceCheck("Nothing is sent after the stop") { harness in
            let run = try await ConformanceRun(harness)
            await harness.adapter.stop()
            let failure = run.failure(of: run.opening, to: 0)
            try require(failure != nil, "a command is accepted after the stop")
            try require(run.refreshFailure(0) != nil, "a state request is accepted after the stop")
            try await run.pass(settlingTime)
            try require(
                await harness.receivedCommands(at: ConformanceRun.id(0)) ?? [], is: [], "the commands received after the stop")
        },
        ConformanceCheck("Nothing is reported after the stop, not even for a movement in progress") { harness in
            let run = try await ConformanceRun(harness)
            try await run.set(.late, of: 0)
            try run.send(run.opening, to: 0)
            await harness.adapter.stop()
            run.recorder.forget()
            try await run.pass(settlingTime)
            _ = try? await run.trigger(.manualTurn, at: 0)
            try await run.pass(harness.promptTime)
            try run.requireNoReports(of: 0, "after the stop")
        },
        ConformanceCheck("Stopping twice, or without a start, has no effect") { harness in
            await harness.adapter.stop()
            let run = try await ConformanceRun(harness)
            try await run.requireConfirmation(of: run.opening, by: 0)
            await harness.adapter.stop()
            await harness.adapter.stop()
            try require(harness.adapter.health, is: .down, "the health after two stops")
        },
        ConformanceCheck("Attaching and detaching after the stop cause no report") { harness in
            let run = try await ConformanceRun(harness)
            await harness.adapter.stop()
            run.attach(1)
            run.detach(0)
            try await run.pass(settlingTime)
            try require(run.recorder.reports, is: [], "the reports after the stop")
        },
    ]
}
