internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let attachPromises: [ConformanceCheck] = [
        ConformanceCheck("Commands and state requests for an unknown lock throw `notAttached`") { harness in
            let bench = try await ConformanceRun(harness)
            try require(bench.failure(of: bench.opening, to: 99), is: .notAttached, "the error of a command")
            try require(bench.refreshFailure(99), is: .notAttached, "the error of a state request")
            try await bench.pass(settlingTime)
            try await bench.requireOrders([], at: 0, "after a command for another lock")
        },
        ConformanceCheck("Commands and state requests for a detached lock throw `notAttached`") { harness in
            let bench = try await ConformanceRun(harness)
            bench.detach(0)
            try require(bench.failure(of: bench.opening, to: 0), is: .notAttached, "the error of a command")
            try require(bench.refreshFailure(0), is: .notAttached, "the error of a state request")
        },
        ConformanceCheck("Nothing is reported for a detached lock, not even for a movement in progress") { harness in
            let bench = try await ConformanceRun(harness, locks: 2)
            try await bench.set(.late, of: 0)
            try bench.send(bench.opening, to: 0)
            bench.detach(0)
            bench.heard.forget()
            _ = try? await bench.happen(.turnedByHand, at: 0)
            try await bench.pass(settlingTime)
            try bench.requireNoReports(of: 0, "after it was detached")
        },
        ConformanceCheck("Detaching one lock does not affect the others") { harness in
            let bench = try await ConformanceRun(harness, locks: 3)
            bench.detach(1)
            for number in [0, 2] { try await bench.carryOut(bench.opening, by: number) }
        },
        ConformanceCheck("Detaching a lock twice, or one that was never attached, has no effect") { harness in
            let bench = try await ConformanceRun(harness, locks: 2)
            for number in [1, 1, 99] { bench.detach(number) }
            try await bench.carryOut(bench.opening, by: 0)
            bench.attach(1)
            try await bench.pass(harness.promptTime)
            try await bench.carryOut(bench.opening, by: 1)
        },
        ConformanceCheck("A lock that is attached again executes new commands, and gets none from before") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.set(.away, of: 0)
            _ = bench.failure(of: bench.opening, to: 0)
            bench.detach(0)
            bench.attach(0)
            try await bench.set(.prompt, of: 0)
            try await bench.pass(harness.promptTime)
            bench.heard.forget()
            try await bench.carryOut(.lock, by: 0)
            try await bench.pass(settlingTime)
            try require(bench.heard.restingStates(of: 0), is: [.locked], "the states reported for one command")
            try await bench.requireOrders([.lock], at: 0, "after it was attached again")
        },
        ConformanceCheck("Attaching a lock a second time does not duplicate its reports") { harness in
            let bench = try await ConformanceRun(harness)
            bench.attach(0)
            try await bench.pass(harness.promptTime)
            bench.heard.forget()
            try await bench.carryOut(bench.opening, by: 0)
            try require(
                bench.heard.restingStates(of: 0).count { $0 == bench.opening.rest }, is: 1, "the confirmations of one command")
        },
        ConformanceCheck("Attaching a lock again replaces its address") { harness in
            guard let limited = harness.limited else { throw NotApplicable.limited }
            let bench = try await ConformanceRun(harness)
            let lacking = bench.movements.filter { !limited.capabilities.contains($0.requiredCapability ?? []) }
            bench.attach(0, as: limited.address)
            try await bench.pass(harness.promptTime)
            for operation in lacking {
                try require(bench.failure(of: operation, to: 0), is: .unsupported, "the error of \(operation.rawValue)")
            }
            bench.attach(0)
            try await bench.pass(harness.promptTime)
            for operation in lacking { try await bench.carryOut(operation, by: 0) }
        },
        ConformanceCheck("A lock with an invalid address can be attached, and rejects commands") { harness in
            let address = everyFieldWrong(harness)
            guard !address.isEmpty else { throw NotApplicable.fields }
            let bench = try await ConformanceRun(harness)
            bench.attach(1, as: address)
            try await bench.pass(harness.promptTime)
            try require(bench.failure(of: bench.opening, to: 1) != nil, "a command to a lock with an invalid address is accepted")
            try require(bench.heard.states(of: 1).isEmpty, "a state is reported for a lock with an invalid address")
            try await bench.carryOut(bench.opening, by: 0)
        },
    ]
}
