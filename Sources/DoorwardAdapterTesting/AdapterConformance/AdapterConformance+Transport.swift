internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let transportPromises: [ConformanceCheck] = [
        ConformanceCheck("While the transport is away no order is taken, and none arrives when it is back") { harness in
            let bench = try await ConformanceRun(harness, locks: 2)
            guard try await bench.cut() else { throw NotApplicable.transport }
            for number in 0..<2 { try await bench.requireRefusal(of: bench.opening, by: number) }
            try await bench.mend()
            try await bench.pass(settlingTime)
            for number in 0..<2 { try await bench.requireOrders([], at: number, "after the transport came back") }
        },
        ConformanceCheck("A lock obeys again when its transport is back") { harness in
            let bench = try await ConformanceRun(harness, locks: 2)
            guard try await bench.cut() else { throw NotApplicable.transport }
            try await bench.mend()
            for number in 0..<2 { try await bench.carryOut(bench.opening, by: number) }
        },
        ConformanceCheck("An adapter whose transport is away is not well, and is well again when it is back") { harness in
            let bench = try await ConformanceRun(harness)
            guard try await bench.cut() else { throw NotApplicable.transport }
            try require(harness.adapter.health != .ok, "an adapter without its transport says that it is well")
            try await bench.mend()
            try require(harness.adapter.health, is: .ok, "the health when the transport is back")
        },
        ConformanceCheck("Of a lock whose transport is away nobody says that it is in reach, or where it is") { harness in
            let bench = try await ConformanceRun(harness)
            guard try await bench.cut() else { throw NotApplicable.transport }
            let isOut = bench.heard.availabilities(of: 0).last.map { $0 != true }
            try require(isOut, is: true, "whether it is said to be out of reach")
            bench.heard.forget()
            _ = try? await bench.happen(.turnedByHand, at: 0)
            try await bench.pass(harness.promptTime)
            try require(bench.heard.states(of: 0).isEmpty, "a live word comes over a transport that is away")
        },
        ConformanceCheck("An order that was under way when the transport went is not sent again") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.set(.silent, of: 0)
            try bench.send(bench.opening, to: 0)
            try await bench.pass(harness.promptTime)
            guard try await bench.cut() else { throw NotApplicable.transport }
            try await bench.mend()
            try await bench.pass(settlingTime)
            let found = await harness.orders(at: ConformanceRun.id(0)) ?? [bench.opening]
            try require(found, is: [bench.opening], "the orders at the lock")
        },
        ConformanceCheck("What the transport kept is not passed off as live when it is back") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.set(.silent, of: 0)
            try bench.send(bench.opening, to: 0)
            try await bench.pass(harness.promptTime)
            guard try await bench.cut() else { throw NotApplicable.transport }
            bench.heard.forget()
            try await bench.mend()
            guard try await bench.happen(.repeatedFromBefore, at: 0) else { throw NotApplicable.retained }
            try await bench.pass(harness.promptTime)
            try require(!bench.heard.restingStates(of: 0).contains(bench.opening.rest), "what was kept is said to be live")
        },
        ConformanceCheck("An adapter that is stopped while its transport is away sends nothing when that is back") { harness in
            let bench = try await ConformanceRun(harness)
            guard try await bench.cut() else { throw NotApplicable.transport }
            _ = bench.failure(of: bench.opening, to: 0)
            await harness.adapter.stop()
            bench.heard.forget()
            _ = try await harness.setTransport(isAway: false)
            try await bench.pass(settlingTime)
            try require(await harness.orders(at: ConformanceRun.id(0)) ?? [], is: [], "the orders at the lock")
            try require(bench.heard.reports, is: [], "what is heard after the stop")
        },
        ConformanceCheck("Locks may be attached and detached while the transport is away") { harness in
            let bench = try await ConformanceRun(harness, locks: 2)
            guard try await bench.cut() else { throw NotApplicable.transport }
            bench.detach(1)
            bench.attach(2)
            try await bench.mend()
            try await bench.carryOut(bench.opening, by: 2)
            try require(bench.failure(of: .lock, to: 1), is: .notAttached, "what an order for the detached one throws")
        },
        ConformanceCheck("An adapter starts without its transport, and its locks obey once that is there") { harness in
            guard try await harness.setTransport(isAway: true) else { throw NotApplicable.transport }
            let bench = try await ConformanceRun(harness)
            try await bench.requireRefusal(of: bench.opening, by: 0)
            try await bench.mend()
            try await bench.requireOrders([], at: 0, "after the transport came")
            try await bench.carryOut(bench.opening, by: 0)
        },
    ]
}

extension ConformanceRun {
    /// Takes the transport away, and lets that become known.
    ///
    /// - Returns: false where the adapter has none.
    func cut() async throws -> Bool {
        guard try await harness.setTransport(isAway: true) else { return false }
        try await pass(harness.promptTime)
        return true
    }

    /// Gives the transport back, and lets that become known; forgets what was heard until then of where locks are.
    func mend() async throws {
        _ = try await harness.setTransport(isAway: false)
        try await pass(harness.lateTime)
    }
}
