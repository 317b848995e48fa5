internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let restartPromises: [ConformanceCheck] = [
        ConformanceCheck("After a second start, locks report and execute commands") { harness in
            let bench = try await ConformanceRun(harness, locks: 2)
            await harness.adapter.stop()
            try await bench.startAgain()
            try require(harness.adapter.health, is: .ok, "the health after the second start")
            for number in 0..<2 { try await bench.carryOut(bench.opening, by: number) }
        },
        ConformanceCheck("A command sent while the adapter is stopped is not sent after the next start") { harness in
            let bench = try await ConformanceRun(harness)
            await harness.adapter.stop()
            _ = bench.failure(of: bench.opening, to: 0)
            try await bench.startAgain()
            try await bench.pass(settlingTime)
            try await bench.requireOrders([], at: 0, "after the second start")
        },
        ConformanceCheck("After a second start, nothing is reported to the first receiver") { harness in
            let bench = try await ConformanceRun(harness)
            await harness.adapter.stop()
            let second = AdapterListener()
            try await harness.adapter.start(reports: second)
            try await bench.pass(harness.promptTime)
            bench.heard.forget()
            second.forget()
            try bench.send(bench.opening, to: 0)
            try await bench.pass(harness.promptTime)
            try require(bench.heard.reports, is: [], "the reports to the first receiver")
            try require(second.restingStates(of: 0), is: [bench.opening.rest], "the states reported to the second receiver")
        },
        ConformanceCheck("A lock detached while the adapter was stopped does not report after the next start") { harness in
            let bench = try await ConformanceRun(harness, locks: 2)
            await harness.adapter.stop()
            bench.detach(1)
            try await bench.startAgain()
            try require(bench.failure(of: bench.opening, to: 1), is: .notAttached, "the error of a command")
            _ = try? await bench.happen(.speaks, at: 1)
            try await bench.pass(harness.promptTime)
            try bench.requireNoReports(of: 1, "after it was detached")
        },
    ]
}

extension ConformanceRun {
    /// Starts the adapter again with the same receiver, and discards the first reports of its locks.
    func startAgain() async throws {
        try await adapter.start(reports: heard)
        try await pass(harness.promptTime)
        heard.forget()
    }
}
