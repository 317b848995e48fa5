internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let commandChecks: [ConformanceCheck] = [
        ConformanceCheck("Each movement is executed and confirmed with the resulting state") { harness in
            let run = try await ConformanceRun(harness, locks: 3)
            for (number, operation) in run.movements.enumerated() {
                try await run.requireConfirmation(of: operation, by: number)
                try await run.requireCommands([operation], at: number, "after one command")
            }
        },
        ConformanceCheck("Commands are executed in the order in which they are sent") { harness in
            let run = try await ConformanceRun(harness)
            let operations = [run.opening, .lock, run.opening, .lock]
            for operation in operations { try await run.requireConfirmation(of: operation, by: 0) }
            try require(run.recorder.restingStates(of: 0), is: operations.map(\.resultingState), "the confirmations")
            try await run.requireCommands(operations, at: 0, "after four commands")
        },
        ConformanceCheck("A command for the state that the lock is already in is confirmed too") { harness in
            let run = try await ConformanceRun(harness)
            try await run.requireConfirmation(of: .lock, by: 0)
        },
        ConformanceCheck("`send` returns before any time has passed") { harness in
            let run = try await ConformanceRun(harness)
            for behavior in LockBehavior.allCases {
                try await run.set(behavior, of: 0)
                let before = harness.clock.monotonicNow()
                _ = run.failure(of: run.opening, to: 0)
                try require(harness.clock.monotonicNow(), is: before, "the time after a command to a \(behavior) lock")
            }
        },
        // A command `changeSettings` of this check has no settings.
        ConformanceCheck("An operation that is not a movement throws `unsupported`") { harness in
            let run = try await ConformanceRun(harness)
            for operation in LockOperation.allCases where !operation.isMovement {
                try require(run.failure(of: operation, to: 0), is: .unsupported, "the error of \(operation.rawValue)")
            }
            try await run.pass(harness.promptTime)
            try run.requireNoReports(of: 0, "after an operation that is not a movement")
            try await run.requireCommands([], at: 0, "after an operation that is not a movement")
        },
        ConformanceCheck("A command that the lock does not support is not sent") { harness in
            guard let limited = harness.limited else { throw NotApplicable.limited }
            let run = try await ConformanceRun(harness, locks: 0)
            run.attach(0, as: limited.address)
            try await run.pass(harness.promptTime)
            run.recorder.forget()
            for operation in LockOperation.movements where !limited.capabilities.contains(operation.requiredCapability ?? []) {
                try require(run.failure(of: operation, to: 0), is: .unsupported, "the error of \(operation.rawValue)")
            }
            if !limited.capabilities.contains(.refresh) {
                try require(run.refreshFailure(0), is: .unsupported, "the error of a state request")
            }
            try await run.pass(settlingTime)
            try run.requireNoReports(of: 0, "after an unsupported command")
            try await run.requireCommands([], at: 0, "after an unsupported command")
        },
        ConformanceCheck("A command whose deadline has passed is sent during `send`, or not at all") { harness in
            let run = try await ConformanceRun(harness)
            let past = harness.clock.now().advanced(by: .seconds(-1))
            let failure = run.failure(of: run.opening, to: 0, deadline: past)
            try await run.pass(harness.promptTime)
            let expected = failure == nil ? [run.opening] : []
            try await run.requireCommands(expected, at: 0, "after a command past its deadline")
            try await run.pass(settlingTime)
            try await run.requireCommands(expected, at: 0, "long after a command past its deadline")
        },
        ConformanceCheck("Very early and very late deadlines do not block the lock") { harness in
            let run = try await ConformanceRun(harness)
            for milliseconds in [Int64.min, -1, 0, .max] {
                _ = run.failure(of: .lock, to: 0, deadline: Timestamp(milliseconds: milliseconds))
                try await run.pass(harness.promptTime)
            }
            try await run.requireConfirmation(of: run.opening, by: 0)
        },
        ConformanceCheck("The next command can be sent from inside `receive`") { harness in
            let adapter = harness.adapter
            let deadline = harness.clock.now().advanced(by: .seconds(60))
            let run = try await ConformanceRun(harness) { report in
                guard case .state(let state, .confirmed, .remote?, _) = report.fact, state == .unlocked || state == .unlatched
                else { return }
                let command = LockCommand(
                    commandID: CommandID(high: 0, low: 9), deviceID: report.deviceID, operation: .lock, deadline: deadline)
                try? adapter.send(command)
            }
            try run.send(run.opening, to: 0)
            try await run.pass(harness.promptTime)
            try await run.pass(harness.promptTime)
            try require(run.recorder.restingStates(of: 0), is: [run.opening.resultingState, .locked], "the two confirmations")
        },
    ]
}
