internal import Dispatch
internal import DoorwardAdapterKit
internal import DoorwardDomain
import Synchronization

extension AdapterConformance {
    static let commandChecks: [ConformanceCheck] = [
        ConformanceCheck("Each movement is executed and confirmed with the resulting state", locks: 3) { run in
            for (number, operation) in run.movements.enumerated() {
                try await run.requireConfirmation(of: operation, by: number)
                try await run.requireCommands([operation], at: number, "after one command")
            }
        },
        ConformanceCheck("Commands are executed in the order in which they are sent", locks: 1) { run in
            let operations = [run.opening, .lock, run.opening, .lock]
            for operation in operations { try await run.requireConfirmation(of: operation, by: 0) }
            try run.requireStates(operations.map(\.resultingState), of: 0, "the confirmations")
            try await run.requireCommands(operations, at: 0, "after four commands")
        },
        ConformanceCheck("A command for the state that the lock is already in is confirmed too", locks: 1) { run in
            try await run.requireConfirmation(of: .lock, by: 0)
        },
        ConformanceCheck("`send` returns before any time has passed", locks: 1) { run in
            for behavior in LockBehavior.allCases {
                try await run.set(behavior, of: 0)
                let before = run.harness.clock.monotonicNow()
                _ = run.failure(of: run.opening, to: 0)
                try require(run.harness.clock.monotonicNow(), is: before, "the time after a command to a \(behavior) lock")
            }
        },
        // A command `changeSettings` of this check has no settings.
        ConformanceCheck("An operation that is not a movement throws `unsupported`", locks: 1) { run in
            for operation in LockOperation.allCases where !operation.isMovement {
                try require(run.failure(of: operation, to: 0), is: .unsupported, "the error of \(operation.rawValue)")
            }
            try await run.pass()
            try run.requireNoReports(of: 0, "after an operation that is not a movement")
            try await run.requireCommands([], at: 0, "after an operation that is not a movement")
        },
        ConformanceCheck("A command that the lock does not support is not sent", locks: 0) { run in
            guard let limited = run.harness.limited else { throw NotApplicable.limited }
            run.attach(0, as: limited.address)
            try await run.pass()
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
        ConformanceCheck("A command whose deadline has passed is sent during `send`, or not at all", locks: 1) { run in
            let past = run.harness.clock.now().advanced(by: .seconds(-1))
            let failure = run.failure(of: run.opening, to: 0, deadline: past)
            try await run.pass()
            let expected = failure == nil ? [run.opening] : []
            try await run.requireCommands(expected, at: 0, "after a command past its deadline")
            try await run.pass(settlingTime)
            try await run.requireCommands(expected, at: 0, "long after a command past its deadline")
        },
        ConformanceCheck("Very early and very late deadlines do not block the lock", locks: 1) { run in
            for milliseconds in [Int64.min, -1, 0, .max] {
                _ = run.failure(of: .lock, to: 0, deadline: Timestamp(milliseconds: milliseconds))
                try await run.pass()
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
            try await run.pass()
            try await run.pass()
            try run.requireStates([run.opening.resultingState, .locked], of: 0, "the two confirmations")
        },
    ]
}

extension AdapterConformance {
    static let responseChecks: [ConformanceCheck] = [
        ConformanceCheck("Reports before the first command have no `after`", locks: 1) { run in
            try await run.requireStimulus(.stateReport, at: 0)
            try require(!run.recorder.reports.isEmpty, "the lock has sent a report, and none was received")
            try require(run.recorder.reports.allSatisfy { $0.after == nil }, "a report before the first command has an `after`")
        },
        ConformanceCheck("Reports after a command have that command in `after`", locks: 1) { run in
            for number in UInt64(1)...3 {
                let command = CommandID(high: 0xAF, low: number)
                run.recorder.forget()
                try run.send(number % 2 == 1 ? run.opening : .lock, to: 0, command: command)
                try await run.pass()
                try require(!run.recorder.restingStates(of: 0).isEmpty, "command \(number) is not confirmed")
                try require(run.recorder.reports.allSatisfy { $0.after == command }, "wrong `after` following command \(number)")
            }
        },
        ConformanceCheck("A rejected command is not the `after` of any report", locks: 1) { run in
            try await run.requireConfirmation(of: run.opening, by: 0)
            try await run.make(0, .offline)
            let refused = CommandID(high: 0xAF, low: 9)
            do { try run.send(.lock, to: 0, command: refused) } catch {
                try await run.make(0, .prompt)
                _ = try await run.trigger(.stateReport, at: 0)
                try await run.pass()
                let followsIt = run.recorder.reports.contains { $0.after == refused }
                return try require(!followsIt, "a report has a rejected command in `after`")
            }
            throw NotApplicable("the adapter accepts commands to an unavailable lock and reports the refusal later")
        },
        ConformanceCheck("The `after` of a report is a command to the same lock, never to another", locks: 2) { run in
            try run.send(run.opening, to: 0, command: CommandID(high: 0xAF, low: 1))
            try await run.requireStimulus(.stateReport, at: 1)
            for report in run.recorder.reports {
                let expected = report.deviceID == ConformanceRun.id(0) ? CommandID(high: 0xAF, low: 1) : nil
                try require(report.after == expected, "\(report.deviceID) reports after \(String(describing: report.after))")
            }
        },
        ConformanceCheck("Commands to one lock from many threads at once each arrive once or are rejected", locks: 1) { run in
            let accepted = Mutex(0)
            DispatchQueue.concurrentPerform(iterations: 16) { _ in
                if run.failure(of: run.opening, to: 0) == nil { accepted.withLock { $0 += 1 } }
            }
            try await run.pass()
            try await run.pass(settlingTime)
            let count = accepted.withLock { $0 }
            try require(count > 0, "all commands are rejected")
            if let commands = await run.harness.receivedCommands(at: ConformanceRun.id(0)) {
                try require(commands.count, is: count, "the commands received by the lock")
            }
            try require(run.recorder.restingStates(of: 0).last, is: run.opening.resultingState, "the confirmed states")
        },
        ConformanceCheck("Counters have fixed names in snake case and never decrease") { harness in
            let before = harness.adapter.counts
            try require(before.keys.allSatisfy(isSnakeCase), "a counter is not in snake case: \(before.keys)")
            let run = try await ConformanceRun(harness, locks: 2)
            var last = before
            for step in 0..<4 {
                if step < 3 { try await run.requireConfirmation(of: step == 1 ? .lock : run.opening, by: 0) }
                if step == 3 { await harness.adapter.stop() }
                let now = harness.adapter.counts
                try require(Set(now.keys), is: Set(before.keys), "the names of the counters")
                for (word, count) in now { try require(count >= last[word, default: 0], "counter \(word) decreases to \(count)") }
                last = now
            }
        },
    ]
}

extension AdapterConformance {
    static let settingsChecks: [ConformanceCheck] = [
        ConformanceCheck("A change of the settings is confirmed with the new settings, and moves nothing") { harness in
            let run = try await settingsRun(harness)
            for (number, seconds) in [30, 30, 0, 3600].enumerated() {
                let (settings, command) = (LockSettings(autoRelockSeconds: seconds), CommandID(high: 0x5E, low: UInt64(number)))
                run.recorder.forget()
                try run.send(.changeSettings, to: 0, settings: settings, command: command)
                try await run.pass()
                let found = run.recorder.settings(of: 0)
                try require(found.map(\.settings), is: [settings], "the settings that the lock confirms")
                try require(found.map(\.after), is: [command], "the command that the confirmation follows")
                try require(run.recorder.states(of: 0).isEmpty, "a change of the settings moves the lock")
            }
        },
        ConformanceCheck("A change of the settings of an unavailable lock is rejected, and not made later") { harness in
            let run = try await settingsRun(harness)
            try await run.make(0, .offline)
            try await run.requireRefusal(of: .changeSettings, settings: LockSettings(autoRelockSeconds: 30), by: 0)
            try await run.set(.prompt, of: 0)
            try await run.pass(settlingTime)
            try require(run.recorder.settings(of: 0).isEmpty, "the settings are changed when the lock is available again")
        },
    ]

    private static func settingsRun(_ harness: any AdapterHarness) async throws -> ConformanceRun {
        guard harness.capabilities.contains(.settings) else { throw NotApplicable.settings }
        return try await ConformanceRun(harness)
    }
}
