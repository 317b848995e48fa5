internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let transportPromises: [ConformanceCheck] = [
        ConformanceCheck("A command sent while the transport is disconnected is rejected, and never sent later") { harness in
            let bench = try await ConformanceRun(harness, locks: 2)
            guard try await bench.cut() else { throw NotApplicable.transport }
            for number in 0..<2 { try await bench.requireRefusal(of: bench.opening, by: number) }
            try await bench.mend()
            try await bench.pass(settlingTime)
            for number in 0..<2 { try await bench.requireOrders([], at: number, "after the transport has reconnected") }
        },
        ConformanceCheck("A lock executes commands again when its transport has reconnected") { harness in
            let bench = try await ConformanceRun(harness, locks: 2)
            guard try await bench.cut() else { throw NotApplicable.transport }
            try await bench.mend()
            for number in 0..<2 { try await bench.carryOut(bench.opening, by: number) }
        },
        ConformanceCheck("Health is not `ok` while the transport is disconnected, and `ok` when it has reconnected") { harness in
            let bench = try await ConformanceRun(harness)
            guard try await bench.cut() else { throw NotApplicable.transport }
            try require(harness.adapter.health != .ok, "the health is `ok` without a transport")
            try await bench.mend()
            try require(harness.adapter.health, is: .ok, "the health when the transport has reconnected")
        },
        ConformanceCheck("While its transport is disconnected, a lock is not available and reports no live state") { harness in
            let bench = try await ConformanceRun(harness)
            guard try await bench.cut() else { throw NotApplicable.transport }
            let isOut = bench.heard.availabilities(of: 0).last.map { $0 != true }
            try require(isOut, is: true, "whether it is reported as unavailable")
            bench.heard.forget()
            _ = try? await bench.happen(.turnedByHand, at: 0)
            try await bench.pass(harness.promptTime)
            try require(bench.heard.states(of: 0).isEmpty, "a live state is reported while the transport is disconnected")
        },
        ConformanceCheck("A command that was in flight when the transport disconnected is not sent again") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.set(.silent, of: 0)
            try bench.send(bench.opening, to: 0)
            try await bench.pass(harness.promptTime)
            guard try await bench.cut() else { throw NotApplicable.transport }
            try await bench.mend()
            try await bench.pass(settlingTime)
            let found = await harness.orders(at: ConformanceRun.id(0)) ?? [bench.opening]
            try require(found, is: [bench.opening], "the commands received by the lock")
        },
        ConformanceCheck("When the transport has reconnected, a retained report is not reported as live") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.set(.silent, of: 0)
            try bench.send(bench.opening, to: 0)
            try await bench.pass(harness.promptTime)
            guard try await bench.cut() else { throw NotApplicable.transport }
            bench.heard.forget()
            try await bench.mend()
            guard try await bench.happen(.repeatedFromBefore, at: 0) else { throw NotApplicable.retained }
            try await bench.pass(harness.promptTime)
            try require(!bench.heard.restingStates(of: 0).contains(bench.opening.rest), "a retained report is reported as live")
        },
        ConformanceCheck("An adapter stopped while its transport is disconnected sends nothing when it reconnects") { harness in
            let bench = try await ConformanceRun(harness)
            guard try await bench.cut() else { throw NotApplicable.transport }
            _ = bench.failure(of: bench.opening, to: 0)
            await harness.adapter.stop()
            bench.heard.forget()
            _ = try await harness.setTransport(isAway: false)
            try await bench.pass(settlingTime)
            try require(await harness.orders(at: ConformanceRun.id(0)) ?? [], is: [], "the commands received by the lock")
            try require(bench.heard.reports, is: [], "the reports after the stop")
        },
        ConformanceCheck("Locks can be attached and detached while the transport is disconnected") { harness in
            let bench = try await ConformanceRun(harness, locks: 2)
            guard try await bench.cut() else { throw NotApplicable.transport }
            bench.detach(1)
            bench.attach(2)
            try await bench.mend()
            try await bench.carryOut(bench.opening, by: 2)
            try require(bench.failure(of: .lock, to: 1), is: .notAttached, "the error of a command for the detached lock")
        },
        ConformanceCheck("An adapter starts without its transport; its locks execute commands once it is connected") { harness in
            guard try await harness.setTransport(isAway: true) else { throw NotApplicable.transport }
            let bench = try await ConformanceRun(harness)
            try await bench.requireRefusal(of: bench.opening, by: 0)
            try await bench.mend()
            try await bench.requireOrders([], at: 0, "after the transport has connected")
            try await bench.carryOut(bench.opening, by: 0)
        },
    ]
}

extension ConformanceRun {
    /// Disconnects the transport, and waits until the adapter has detected this.
    ///
    /// - Returns: false if the adapter has no transport.
    func cut() async throws -> Bool {
        guard try await harness.setTransport(isAway: true) else { return false }
        try await pass(harness.promptTime)
        return true
    }

    /// Reconnects the transport, and waits until the adapter has detected this.
    func mend() async throws {
        _ = try await harness.setTransport(isAway: false)
        try await pass(harness.lateTime)
    }
}
