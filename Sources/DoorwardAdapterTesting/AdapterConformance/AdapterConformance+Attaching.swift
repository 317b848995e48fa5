internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let attachPromises: [ConformanceCheck] = [
        ConformanceCheck("An unknown lock takes neither an order nor a question") { harness in
            let bench = try await ConformanceRun(harness)
            try require(bench.failure(of: bench.opening, to: 99), is: .notAttached, "what an order throws")
            try require(bench.refreshFailure(99), is: .notAttached, "what a question throws")
            try await bench.pass(settlingTime)
            try await bench.requireOrders([], at: 0, "after an order for another")
        },
        ConformanceCheck("A detached lock takes neither an order nor a question") { harness in
            let bench = try await ConformanceRun(harness)
            bench.detach(0)
            try require(bench.failure(of: bench.opening, to: 0), is: .notAttached, "what an order throws")
            try require(bench.refreshFailure(0), is: .notAttached, "what a question throws")
        },
        ConformanceCheck("A detached lock is not heard any more, not even of a movement under way") { harness in
            let bench = try await ConformanceRun(harness, locks: 2)
            try await bench.set(.late, of: 0)
            try bench.send(bench.opening, to: 0)
            bench.detach(0)
            bench.heard.forget()
            _ = try? await bench.happen(.turnedByHand, at: 0)
            try await bench.pass(settlingTime)
            try bench.requireNoReports(of: 0, "after it was detached")
        },
        ConformanceCheck("Detaching one lock leaves the others as they are") { harness in
            let bench = try await ConformanceRun(harness, locks: 3)
            bench.detach(1)
            for number in [0, 2] { try await bench.carryOut(bench.opening, by: number) }
        },
        ConformanceCheck("Detaching twice, or what was never attached, does no harm") { harness in
            let bench = try await ConformanceRun(harness, locks: 2)
            for number in [1, 1, 99] { bench.detach(number) }
            try await bench.carryOut(bench.opening, by: 0)
            bench.attach(1)
            try await bench.pass(harness.promptTime)
            try await bench.carryOut(bench.opening, by: 1)
        },
        ConformanceCheck("A lock that is attached again obeys, and gets no order of before") { harness in
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
            try require(bench.heard.restingStates(of: 0), is: [.locked], "what is heard of the one order")
            try await bench.requireOrders([.lock], at: 0, "after it was attached again")
        },
        ConformanceCheck("Attaching a lock a second time does not make it speak twice") { harness in
            let bench = try await ConformanceRun(harness)
            bench.attach(0)
            try await bench.pass(harness.promptTime)
            bench.heard.forget()
            try await bench.carryOut(bench.opening, by: 0)
            try require(
                bench.heard.restingStates(of: 0).count { $0 == bench.opening.rest }, is: 1, "the confirmations of one order")
        },
        ConformanceCheck("Attaching a lock again replaces its address") { harness in
            guard let limited = harness.limited else { throw NotApplicable.limited }
            let bench = try await ConformanceRun(harness)
            let lacking = bench.movements.filter { !limited.capabilities.contains($0.requiredCapability ?? []) }
            bench.attach(0, as: limited.address)
            try await bench.pass(harness.promptTime)
            for operation in lacking {
                try require(bench.failure(of: operation, to: 0), is: .unsupported, "what \(operation.rawValue) throws")
            }
            bench.attach(0)
            try await bench.pass(harness.promptTime)
            for operation in lacking { try await bench.carryOut(operation, by: 0) }
        },
        ConformanceCheck("A lock whose address check refuses can be attached, and takes no order") { harness in
            let address = everyFieldWrong(harness)
            guard !address.isEmpty else { throw NotApplicable.fields }
            let bench = try await ConformanceRun(harness)
            bench.attach(1, as: address)
            try await bench.pass(harness.promptTime)
            try require(bench.failure(of: bench.opening, to: 1) != nil, "a lock that cannot be found takes an order")
            try require(bench.heard.states(of: 1).isEmpty, "a lock that cannot be found says where its bolt is")
            try await bench.carryOut(bench.opening, by: 0)
        },
    ]
}
