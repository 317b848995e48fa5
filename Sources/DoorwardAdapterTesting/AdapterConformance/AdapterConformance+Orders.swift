internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let orderPromises: [ConformanceCheck] = [
        ConformanceCheck("Each movement is executed and confirmed with the resulting state") { harness in
            let bench = try await ConformanceRun(harness, locks: 3)
            for (number, operation) in bench.movements.enumerated() {
                try await bench.carryOut(operation, by: number)
                try await bench.requireOrders([operation], at: number, "after one command")
            }
        },
        ConformanceCheck("Commands are executed in the order in which they are sent") { harness in
            let bench = try await ConformanceRun(harness)
            let operations = [bench.opening, .lock, bench.opening, .lock]
            for operation in operations { try await bench.carryOut(operation, by: 0) }
            try require(bench.heard.restingStates(of: 0), is: operations.map(\.rest), "the confirmations")
            try await bench.requireOrders(operations, at: 0, "after four commands")
        },
        ConformanceCheck("A command for the state that the lock is already in is confirmed too") { harness in
            let bench = try await ConformanceRun(harness)
            try await bench.carryOut(.lock, by: 0)
        },
        ConformanceCheck("`send` returns before any time has passed") { harness in
            let bench = try await ConformanceRun(harness)
            for manner in LockBehavior.allCases {
                try await bench.set(manner, of: 0)
                let before = harness.clock.monotonicNow()
                _ = bench.failure(of: bench.opening, to: 0)
                try require(harness.clock.monotonicNow(), is: before, "the time after a command to a \(manner) lock")
            }
        },
        ConformanceCheck("An operation that is not a movement throws `unsupported`") { harness in
            let bench = try await ConformanceRun(harness)
            for operation in LockOperation.allCases where !operation.isMovement {
                try require(bench.failure(of: operation, to: 0), is: .unsupported, "the error of \(operation.rawValue)")
            }
            try await bench.pass(harness.promptTime)
            try bench.requireNoReports(of: 0, "after an operation that is not a movement")
            try await bench.requireOrders([], at: 0, "after an operation that is not a movement")
        },
        ConformanceCheck("A command that the lock does not support is not sent") { harness in
            guard let limited = harness.limited else { throw NotApplicable.limited }
            let bench = try await ConformanceRun(harness, locks: 0)
            bench.attach(0, as: limited.address)
            try await bench.pass(harness.promptTime)
            bench.heard.forget()
            for operation in LockOperation.movements where !limited.capabilities.contains(operation.requiredCapability ?? []) {
                try require(bench.failure(of: operation, to: 0), is: .unsupported, "the error of \(operation.rawValue)")
            }
            if !limited.capabilities.contains(.refresh) {
                try require(bench.refreshFailure(0), is: .unsupported, "the error of a state request")
            }
            try await bench.pass(settlingTime)
            try bench.requireNoReports(of: 0, "after an unsupported command")
            try await bench.requireOrders([], at: 0, "after an unsupported command")
        },
        ConformanceCheck("A command after its deadline is sent at once or never") { harness in
            let bench = try await ConformanceRun(harness)
            let past = harness.clock.now().advanced(by: .seconds(-1))
            let failure = bench.failure(of: bench.opening, to: 0, deadline: past)
            try await bench.pass(harness.promptTime)
            let expected = failure == nil ? [bench.opening] : []
            try await bench.requireOrders(expected, at: 0, "after a command past its deadline")
            try await bench.pass(settlingTime)
            try await bench.requireOrders(expected, at: 0, "long after a command past its deadline")
        },
        ConformanceCheck("Very early and very late deadlines do not block the lock") { harness in
            let bench = try await ConformanceRun(harness)
            for milliseconds in [Int64.min, -1, 0, .max] {
                _ = bench.failure(of: .lock, to: 0, deadline: Timestamp(milliseconds: milliseconds))
                try await bench.pass(harness.promptTime)
            }
            try await bench.carryOut(bench.opening, by: 0)
        },
        ConformanceCheck("The next command can be sent from inside `receive`") { harness in
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
