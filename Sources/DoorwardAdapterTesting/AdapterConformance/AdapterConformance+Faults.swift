internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let faultPromises: [ConformanceCheck] = [
        ConformanceCheck("A lock that is away gets no order, then or when it is back") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.set(.away, of: 0)
            try await bench.pass(harness.promptTime)
            let failure = bench.failure(of: bench.opening, to: 0)
            if let failure { try require(failure, is: .offline, "what an order throws") }
            try await bench.set(.prompt, of: 0)
            try await bench.pass(settlingTime)
            try await bench.requireOrders([], at: 0, "after it came back")
        },
        ConformanceCheck("A lock that was away obeys when it is back") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.set(.away, of: 0)
            try await bench.pass(harness.promptTime)
            try await bench.set(.prompt, of: 0)
            try await bench.pass(harness.promptTime)
            bench.heard.forget()
            try await bench.carryOut(bench.opening, by: 0)
        },
        ConformanceCheck("Nothing is confirmed for a lock that says nothing") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.set(.silent, of: 0)
            try bench.send(bench.opening, to: 0)
            try await bench.pass(settlingTime)
            try require(bench.heard.restingStates(of: 0), is: [], "what is confirmed")
        },
        ConformanceCheck("Nothing is sent a second time, however long a lock says nothing") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.set(.silent, of: 0)
            try bench.send(bench.opening, to: 0)
            try await bench.pass(settlingTime)
            try await bench.set(.prompt, of: 0)
            // Somebody closes by hand; a second order would show as an open bolt.
            guard try await bench.happen(.turnedByHand, at: 0) else { throw NotApplicable.hands }
            try await bench.pass(settlingTime)
            try require(
                bench.heard.restingStates(of: 0).last ?? .locked, is: .locked, "the bolt long after it was closed by hand")
            try require(
                await harness.orders(at: ConformanceRun.id(0)) ?? [bench.opening], is: [bench.opening], "the orders at the lock")
        },
        ConformanceCheck("A jam is reported, and nothing is confirmed") { harness in
            guard harness.capabilities.contains(.jam) else { throw NotApplicable("locks of this kind do not notice a jam") }
            let bench = try await ConformanceRun(harness)
            try await bench.set(.jamming, of: 0)
            bench.heard.forget()
            try bench.send(bench.opening, to: 0)
            try await bench.pass(harness.promptTime)
            try require(bench.heard.states(of: 0).map(\.state).last, is: .jammed, "the last state")
            try require(bench.heard.restingStates(of: 0), is: [], "what is confirmed")
        },
        ConformanceCheck("A refusal is reported once, and nothing is confirmed") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.set(.refusing, of: 0)
            try bench.send(bench.opening, to: 0)
            try await bench.pass(harness.promptTime)
            try require(bench.heard.refusals(of: 0), is: 1, "the refusals")
            try require(bench.heard.restingStates(of: 0), is: [], "what is confirmed")
            try await bench.set(.prompt, of: 0)
            try await bench.pass(settlingTime)
            try require(
                bench.heard.restingStates(of: 0).contains(bench.opening.rest), is: false, "whether the order was tried again")
        },
        ConformanceCheck("A late confirmation is delivered, once") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.set(.late, of: 0)
            try bench.send(bench.opening, to: 0, deadline: harness.clock.now().advanced(by: .seconds(1)))
            try await bench.pass(harness.promptTime)
            try require(bench.heard.restingStates(of: 0), is: [], "what is confirmed at first")
            try await bench.pass(harness.lateTime)
            try require(
                bench.heard.restingStates(of: 0).filter { $0 == bench.opening.rest }.count, is: 1, "the late confirmations")
        },
        ConformanceCheck("A lock that was jammed, refusing or late obeys again when that is over") { harness in
            let bench = try await ConformanceRun(harness, locks: 3)
            for (number, manner) in [LockBehavior.jamming, .refusing, .late].enumerated() {
                try await bench.set(manner, of: number)
                try bench.send(bench.opening, to: number)
                try await bench.pass(harness.lateTime)
                try await bench.set(.prompt, of: number)
                try await bench.pass(harness.promptTime)
                try await bench.carryOut(.lock, by: number)
            }
        },
    ]
}
