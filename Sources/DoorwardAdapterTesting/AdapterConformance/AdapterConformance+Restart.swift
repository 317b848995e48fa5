internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let restartChecks: [ConformanceCheck] = [
        ConformanceCheck("After a second start, locks report and execute commands") { harness in
            let run = try await ConformanceRun(harness, locks: 2)
            await harness.adapter.stop()
            try await run.restart()
            try require(harness.adapter.health, is: .ok, "the health after the second start")
            for number in 0..<2 { try await run.requireConfirmation(of: run.opening, by: number) }
        },
        ConformanceCheck("A command sent while the adapter is stopped is not sent after the next start") { harness in
            let run = try await ConformanceRun(harness)
            await harness.adapter.stop()
            _ = run.failure(of: run.opening, to: 0)
            try await run.restart()
            try await run.pass(settlingTime)
            try await run.requireCommands([], at: 0, "after the second start")
        },
        ConformanceCheck("After a second start, nothing is reported to the first receiver") { harness in
            let run = try await ConformanceRun(harness)
            await harness.adapter.stop()
            let second = ReportRecorder()
            try await harness.adapter.start(reports: second)
            try await run.pass(harness.promptTime)
            run.recorder.forget()
            second.forget()
            try run.send(run.opening, to: 0)
            try await run.pass(harness.promptTime)
            try require(run.recorder.reports, is: [], "the reports to the first receiver")
            try require(
                second.restingStates(of: 0), is: [run.opening.resultingState], "the states reported to the second receiver")
        },
        ConformanceCheck("A lock detached while the adapter was stopped does not report after the next start") { harness in
            let run = try await ConformanceRun(harness, locks: 2)
            await harness.adapter.stop()
            run.detach(1)
            try await run.restart()
            try require(run.failure(of: run.opening, to: 1), is: .notAttached, "the error of a command")
            _ = try? await run.trigger(.stateReport, at: 1)
            try await run.pass(harness.promptTime)
            try run.requireNoReports(of: 1, "after it was detached")
        },
    ]
}

extension ConformanceRun {
    /// Starts the adapter again with the same receiver, and discards the first reports of its locks.
    func restart() async throws {
        try await adapter.start(reports: recorder)
        try await pass(harness.promptTime)
        recorder.forget()
    }
}
