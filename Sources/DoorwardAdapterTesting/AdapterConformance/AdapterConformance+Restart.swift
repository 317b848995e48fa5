internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let restartPromises: [ConformanceCheck] = [
        ConformanceCheck("An adapter that is started again after a stop hears its locks, and they obey") { harness in
            let bench = try await ConformanceRun(harness, locks: 2)
            await harness.adapter.stop()
            try await bench.startAgain()
            try require(harness.adapter.health, is: .ok, "the health after the second start")
            for number in 0..<2 { try await bench.carryOut(bench.opening, by: number) }
        },
        ConformanceCheck("An order while the adapter is stopped is not kept for the next start") { harness in
            let bench = try await ConformanceRun(harness)
            await harness.adapter.stop()
            _ = bench.failure(of: bench.opening, to: 0)
            try await bench.startAgain()
            try await bench.pass(settlingTime)
            try await bench.requireOrders([], at: 0, "after the second start")
        },
        ConformanceCheck("After a second start the first receiver hears nothing any more") { harness in
            let bench = try await ConformanceRun(harness)
            await harness.adapter.stop()
            let second = AdapterListener()
            try await harness.adapter.start(reports: second)
            try await bench.pass(harness.promptTime)
            bench.heard.forget()
            second.forget()
            try bench.send(bench.opening, to: 0)
            try await bench.pass(harness.promptTime)
            try require(bench.heard.reports, is: [], "what the first receiver hears")
            try require(second.restingStates(of: 0), is: [bench.opening.rest], "what the second receiver hears")
        },
        ConformanceCheck("A lock that was detached while the adapter was stopped is not heard after the next start") { harness in
            let bench = try await ConformanceRun(harness, locks: 2)
            await harness.adapter.stop()
            bench.detach(1)
            try await bench.startAgain()
            try require(bench.failure(of: bench.opening, to: 1), is: .notAttached, "what an order throws")
            _ = try? await bench.happen(.speaks, at: 1)
            try await bench.pass(harness.promptTime)
            try bench.requireNoReports(of: 1, "after it was detached")
        },
    ]
}

extension ConformanceRun {
    /// Starts the adapter anew with the same receiver, and forgets what its locks say at first.
    func startAgain() async throws {
        try await adapter.start(reports: heard)
        try await pass(harness.promptTime)
        heard.forget()
    }
}
