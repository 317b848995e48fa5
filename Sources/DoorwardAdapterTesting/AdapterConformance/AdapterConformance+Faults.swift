internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let faultPromises: [ConformanceCheck] = [
        ConformanceCheck("An offline lock gets no command, neither then nor when it is back online") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.set(.away, of: 0)
            try await bench.pass(harness.promptTime)
            let failure = bench.failure(of: bench.opening, to: 0)
            if let failure { try require(failure, is: .offline, "the error of a command") }
            try await bench.set(.prompt, of: 0)
            try await bench.pass(settlingTime)
            try await bench.requireOrders([], at: 0, "after it came back")
        },
        ConformanceCheck("A lock that was offline executes commands when it is back online") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.set(.away, of: 0)
            try await bench.pass(harness.promptTime)
            try await bench.set(.prompt, of: 0)
            try await bench.pass(harness.promptTime)
            bench.heard.forget()
            try await bench.carryOut(bench.opening, by: 0)
        },
        ConformanceCheck("Nothing is confirmed if the lock does not report") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.set(.silent, of: 0)
            try bench.send(bench.opening, to: 0)
            try await bench.pass(settlingTime)
            try require(bench.heard.restingStates(of: 0), is: [], "the confirmed states")
        },
        ConformanceCheck("No command is sent a second time, however long the lock does not report") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.set(.silent, of: 0)
            try bench.send(bench.opening, to: 0)
            try await bench.pass(settlingTime)
            try await bench.set(.prompt, of: 0)
            // Turn the bolt by hand, so that the lock is locked again. If the adapter sent the
            // command again, the lock would be unlocked.
            guard try await bench.happen(.turnedByHand, at: 0) else { throw NotApplicable.hands }
            try await bench.pass(settlingTime)
            try require(
                bench.heard.restingStates(of: 0).last ?? .locked, is: .locked, "the state long after the lock was locked by hand")
            try require(
                await harness.orders(at: ConformanceRun.id(0)) ?? [bench.opening], is: [bench.opening], "the received commands")
        },
        ConformanceCheck("A jam is reported, and nothing is confirmed") { harness in
            guard harness.capabilities.contains(.jam) else { throw NotApplicable("locks of this kind do not detect a jam") }
            let bench = try await ConformanceRun(harness)
            try await bench.set(.jamming, of: 0)
            bench.heard.forget()
            try bench.send(bench.opening, to: 0)
            try await bench.pass(harness.promptTime)
            try require(bench.heard.states(of: 0).map(\.state).last, is: .jammed, "the last state")
            try require(bench.heard.restingStates(of: 0), is: [], "the confirmed states")
        },
        ConformanceCheck("A refusal is reported once, and nothing is confirmed") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.set(.refusing, of: 0)
            try bench.send(bench.opening, to: 0)
            try await bench.pass(harness.promptTime)
            try require(bench.heard.refusals(of: 0), is: 1, "the number of refusals")
            try require(bench.heard.restingStates(of: 0), is: [], "the confirmed states")
            try await bench.set(.prompt, of: 0)
            try await bench.pass(settlingTime)
            try require(
                bench.heard.restingStates(of: 0).contains(bench.opening.rest), is: false, "whether the command was sent again")
        },
        ConformanceCheck("A late confirmation is reported exactly once") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.set(.late, of: 0)
            try bench.send(bench.opening, to: 0, deadline: harness.clock.now().advanced(by: .seconds(1)))
            try await bench.pass(harness.promptTime)
            try require(bench.heard.restingStates(of: 0), is: [], "the states confirmed in time")
            try await bench.pass(harness.lateTime)
            try require(
                bench.heard.restingStates(of: 0).filter { $0 == bench.opening.rest }.count, is: 1, "the late confirmations")
        },
        ConformanceCheck("A lock executes commands again after a jam, a refusal or a late confirmation") { harness in
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
