internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let orderPromises: [ConformanceCheck] = [
        ConformanceCheck("Each movement is carried out and confirmed with the state that it leads to") { harness in
            let bench = try await ConformanceRun(harness, locks: 3)
            for (number, operation) in bench.movements.enumerated() {
                try await bench.carryOut(operation, by: number)
                try await bench.requireOrders([operation], at: number, "after one order")
            }
        },
        ConformanceCheck("Orders are carried out in the order in which they are given") { harness in
            let bench = try await ConformanceRun(harness)
            let operations = [bench.opening, .lock, bench.opening, .lock]
            for operation in operations { try await bench.carryOut(operation, by: 0) }
            try require(bench.heard.restingStates(of: 0), is: operations.map(\.rest), "the confirmations")
            try await bench.requireOrders(operations, at: 0, "after four orders")
        },
        ConformanceCheck("An order for what is already so is confirmed too") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.carryOut(.lock, by: 0)
        },
        ConformanceCheck("Send returns before any time has passed") { harness in
            let bench = try await ConformanceRun(harness)
            for manner in LockBehavior.allCases {
                try await bench.set(manner, of: 0)
                let before = harness.clock.monotonicNow()
                _ = bench.failure(of: bench.opening, to: 0)
                try require(harness.clock.monotonicNow(), is: before, "the instant after an order to a \(manner) lock")
            }
        },
        ConformanceCheck("What is no movement is no order") { harness in
            let bench = try await ConformanceRun(harness)
            for operation in LockOperation.allCases where !operation.isMovement {
                try require(bench.failure(of: operation, to: 0), is: .unsupported, "what \(operation.rawValue) throws")
            }
            try await bench.pass(harness.promptTime)
            try bench.requireNoReports(of: 0, "after what is no order")
            try await bench.requireOrders([], at: 0, "after what is no order")
        },
        ConformanceCheck("What a lock cannot do is not sent") { harness in
            guard let limited = harness.limited else { throw NotApplicable.limited }
            let bench = try await ConformanceRun(harness, locks: 0)
            bench.attach(0, as: limited.address)
            try await bench.pass(harness.promptTime)
            bench.heard.forget()
            for operation in LockOperation.movements where !limited.capabilities.contains(operation.requiredCapability ?? []) {
                try require(bench.failure(of: operation, to: 0), is: .unsupported, "what \(operation.rawValue) throws")
            }
            if !limited.capabilities.contains(.refresh) {
                try require(bench.refreshFailure(0), is: .unsupported, "what a question throws")
            }
            try await bench.pass(settlingTime)
            try bench.requireNoReports(of: 0, "after what it cannot do")
            try await bench.requireOrders([], at: 0, "after what it cannot do")
        },
        ConformanceCheck("An order after its deadline goes now or not at all") { harness in
            let bench = try await ConformanceRun(harness)
            let past = harness.clock.now().advanced(by: .seconds(-1))
            let failure = bench.failure(of: bench.opening, to: 0, deadline: past)
            try await bench.pass(harness.promptTime)
            let expected = failure == nil ? [bench.opening] : []
            try await bench.requireOrders(expected, at: 0, "after an order that came too late")
            try await bench.pass(settlingTime)
            try await bench.requireOrders(expected, at: 0, "long after an order that came too late")
        },
        ConformanceCheck("No deadline is too early or too far off to be handled") { harness in
            let bench = try await ConformanceRun(harness)
            for milliseconds in [Int64.min, -1, 0, .max] {
                _ = bench.failure(of: .lock, to: 0, deadline: Timestamp(milliseconds: milliseconds))
                try await bench.pass(harness.promptTime)
            }
            try await bench.carryOut(bench.opening, by: 0)
        },
        ConformanceCheck("The next order may be given from inside receive") { harness in
            let adapter = harness.adapter
            let deadline = harness.clock.now().advanced(by: .seconds(60))
            let bench = try await ConformanceRun(harness) { report in
                guard case .state(let state, .confirmed, .remote?, _) = report.fact, state == .unlocked || state == .unlatched
                else { return }
                let order = LockCommand(
                    commandID: CommandID(high: 0, low: 9), deviceID: report.deviceID, operation: .lock, deadline: deadline)
                try? adapter.send(order)
            }
            try bench.send(bench.opening, to: 0)
            try await bench.pass(harness.promptTime)
            try await bench.pass(harness.promptTime)
            try require(bench.heard.restingStates(of: 0), is: [bench.opening.rest, .locked], "the two confirmations")
        },
    ]
}
