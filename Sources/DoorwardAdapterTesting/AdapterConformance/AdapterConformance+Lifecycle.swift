internal import Dispatch
internal import DoorwardAdapterKit
internal import DoorwardDomain
import Synchronization

extension AdapterConformance {
    static let lifecycleChecks: [ConformanceCheck] = [
        ConformanceCheck("Health is `down` before the start, `ok` while the adapter runs, and `down` after the stop") { harness in
            try require(harness.adapter.health, is: .down, "the health before the start")
            let run = try await ConformanceRun(harness)
            try require(harness.adapter.health, is: .ok, "the health while it runs")
            await harness.adapter.stop()
            try await run.pass()
            try require(harness.adapter.health, is: .down, "the health after the stop")
        },
        ConformanceCheck("A lock attached before the start reports and executes commands after it") { harness in
            let number = 7
            harness.adapter.attach(AttachedLock(id: ConformanceRun.id(number), address: harness.address(of: number)))
            let run = try await ConformanceRun(harness, locks: 0)
            try await run.requireConfirmation(of: run.opening, by: number)
            try await run.requireCommands([run.opening], at: number, "after the start")
        },
        ConformanceCheck("Starting the adapter and attaching locks move no lock", locks: 3) { run in
            try await run.pass(settlingTime)
            for number in 0..<3 { try await run.requireCommands([], at: number, "after the start") }
        },
        ConformanceCheck("A command before the start is rejected, and not sent after the start") { harness in
            let command = LockCommand(
                commandID: CommandID(high: 0, low: 1), deviceID: ConformanceRun.id(0), operation: .unlock,
                deadline: harness.clock.now().advanced(by: .seconds(3600)))
            harness.adapter.attach(AttachedLock(id: command.deviceID, address: harness.address(of: 0)))
            do {
                try harness.adapter.send(command)
                throw ConformanceFailure("a command is accepted before the start")
            } catch is AdapterError {}
            let run = try await ConformanceRun(harness, locks: 0)
            try await run.pass(settlingTime)
            try await run.requireCommands([], at: 0, "after a command before the start")
        },
        ConformanceCheck("Nothing is sent after the stop", locks: 1) { run in
            await run.adapter.stop()
            let failure = run.failure(of: run.opening, to: 0)
            try require(failure != nil, "a command is accepted after the stop")
            try require(run.refreshFailure(0) != nil, "a state request is accepted after the stop")
            try await run.pass(settlingTime)
            try await run.requireReceived([], at: 0, "the commands received after the stop")
        },
        ConformanceCheck("Nothing is reported after the stop, not even for a movement in progress", locks: 1) { run in
            try await run.set(.late, of: 0)
            try run.send(run.opening, to: 0)
            await run.adapter.stop()
            run.recorder.forget()
            try await run.pass(settlingTime)
            try await run.tryStimulus(.manualTurn, at: 0)
            try run.requireNoReports(of: 0, "after the stop")
        },
        ConformanceCheck("Stopping twice, or without a start, has no effect") { harness in
            await harness.adapter.stop()
            let run = try await ConformanceRun(harness)
            try await run.requireConfirmation(of: run.opening, by: 0)
            await harness.adapter.stop()
            await harness.adapter.stop()
            try require(harness.adapter.health, is: .down, "the health after two stops")
        },
        ConformanceCheck("Attaching and detaching after the stop cause no report", locks: 1) { run in
            await run.adapter.stop()
            run.attach(1)
            run.detach(0)
            try await run.pass(settlingTime)
            try require(run.recorder.reports, is: [], "the reports after the stop")
        },
    ]
}

extension AdapterConformance {
    static let restartChecks: [ConformanceCheck] = [
        ConformanceCheck("After a second start, locks report and execute commands", locks: 2) { run in
            await run.adapter.stop()
            try await run.restart()
            try require(run.adapter.health, is: .ok, "the health after the second start")
            for number in 0..<2 { try await run.requireConfirmation(of: run.opening, by: number) }
        },
        ConformanceCheck("A command sent while the adapter is stopped is not sent after the next start", locks: 1) { run in
            await run.adapter.stop()
            _ = run.failure(of: run.opening, to: 0)
            try await run.restart()
            try await run.pass(settlingTime)
            try await run.requireCommands([], at: 0, "after the second start")
        },
        ConformanceCheck("After a second start, nothing is reported to the first receiver", locks: 1) { run in
            await run.adapter.stop()
            let second = ReportRecorder()
            try await run.adapter.start(reports: second)
            try await run.pass()
            run.recorder.forget()
            second.forget()
            try run.send(run.opening, to: 0)
            try await run.pass()
            try require(run.recorder.reports, is: [], "the reports to the first receiver")
            try require(
                second.restingStates(of: 0), is: [run.opening.resultingState], "the states reported to the second receiver")
        },
        ConformanceCheck("A lock detached while the adapter was stopped does not report after the next start", locks: 2) { run in
            await run.adapter.stop()
            run.detach(1)
            try await run.restart()
            try require(run.failure(of: run.opening, to: 1), is: .notAttached, "the error of a command")
            try await run.tryStimulus(.stateReport, at: 1)
            try run.requireNoReports(of: 1, "after it was detached")
        },
    ]
}

extension ConformanceRun {
    /// Starts the adapter again with the same receiver, and discards the first reports of its locks.
    func restart() async throws {
        try await adapter.start(reports: recorder)
        try await pass()
        recorder.forget()
    }
}

extension AdapterConformance {
    static let faultChecks: [ConformanceCheck] = [
        ConformanceCheck("An offline lock gets no command, neither then nor when it is back online", locks: 1) { run in
            try await run.make(0, .offline)
            let failure = run.failure(of: run.opening, to: 0)
            if let failure { try require(failure, is: .offline, "the error of a command") }
            try await run.set(.prompt, of: 0)
            try await run.pass(settlingTime)
            try await run.requireCommands([], at: 0, "after it came back")
        },
        ConformanceCheck("A lock that was offline executes commands when it is back online", locks: 1) { run in
            try await run.make(0, .offline)
            try await run.make(0, .prompt)
            run.recorder.forget()
            try await run.requireConfirmation(of: run.opening, by: 0)
        },
        ConformanceCheck("Nothing is confirmed if the lock does not report", locks: 1) { run in
            try await run.set(.silent, of: 0)
            try run.send(run.opening, to: 0)
            try await run.pass(settlingTime)
            try run.requireStates([], of: 0, "the confirmed states")
        },
        ConformanceCheck("No command is sent a second time, however long the lock does not report", locks: 1) { run in
            try await run.set(.silent, of: 0)
            try run.send(run.opening, to: 0)
            try await run.pass(settlingTime)
            try await run.set(.prompt, of: 0)
            // Turn the bolt by hand, so that the lock is locked again. If the adapter sent the
            // command again, the lock would be unlocked.
            guard try await run.trigger(.manualTurn, at: 0) else { throw NotApplicable(.manualTurn) }
            try await run.pass(settlingTime)
            try require(
                run.recorder.restingStates(of: 0).last ?? .locked, is: .locked, "the state long after the lock was locked by hand"
            )
            try await run.requireReceived([run.opening], at: 0, "the received commands")
        },
        ConformanceCheck("A jam is reported, and nothing is confirmed", locks: 1) { run in
            guard run.harness.capabilities.contains(.jam) else { throw NotApplicable("locks of this kind do not detect a jam") }
            try await run.set(.jamming, of: 0)
            run.recorder.forget()
            try run.send(run.opening, to: 0)
            try await run.pass()
            try require(run.recorder.states(of: 0).map(\.state).last, is: .jammed, "the last state")
            try run.requireStates([], of: 0, "the confirmed states")
        },
        ConformanceCheck("A refusal is reported once, and nothing is confirmed", locks: 1) { run in
            try await run.set(.refusing, of: 0)
            try run.send(run.opening, to: 0)
            try await run.pass()
            try require(run.recorder.refusals(of: 0), is: 1, "the number of refusals")
            try run.requireStates([], of: 0, "the confirmed states")
            try await run.set(.prompt, of: 0)
            try await run.pass(settlingTime)
            try require(
                run.recorder.restingStates(of: 0).contains(run.opening.resultingState), is: false,
                "whether the command was sent again")
        },
        ConformanceCheck("A late confirmation is reported exactly once", locks: 1) { run in
            try await run.set(.late, of: 0)
            try run.send(run.opening, to: 0, deadline: run.harness.clock.now().advanced(by: .seconds(1)))
            try await run.pass()
            try run.requireStates([], of: 0, "the states confirmed in time")
            try await run.pass(run.harness.lateTime)
            try require(
                run.recorder.restingStates(of: 0).filter { $0 == run.opening.resultingState }.count, is: 1,
                "the late confirmations")
        },
        ConformanceCheck("A lock executes commands again after a jam, a refusal or a late confirmation", locks: 3) { run in
            for (number, behavior) in [LockBehavior.jamming, .refusing, .late].enumerated() {
                try await run.set(behavior, of: number)
                try run.send(run.opening, to: number)
                try await run.pass(run.harness.lateTime)
                try await run.make(number, .prompt)
                try await run.requireConfirmation(of: .lock, by: number)
            }
        },
    ]
}

extension AdapterConformance {
    static let fleetChecks: [ConformanceCheck] = [
        ConformanceCheck("A command moves its own lock and no other", locks: 3) { run in
            try await run.requireConfirmation(of: run.opening, by: 1)
            for number in [0, 2] {
                try run.requireNoReports(of: number, "after a command for another lock")
                try await run.requireCommands([], at: number, "after a command for another lock")
            }
        },
        ConformanceCheck(
            "A lock that is silent, jammed, refusing, late or offline delays no other lock", locks: LockBehavior.allCases.count
        ) { run in
            let behaviors = LockBehavior.allCases.filter { $0 != .prompt }
            for (number, behavior) in behaviors.enumerated() {
                try await run.set(behavior, of: number)
                _ = run.failure(of: run.opening, to: number)
            }
            try await run.requireConfirmation(of: run.opening, by: behaviors.count)
        },
        ConformanceCheck("Two hundred locks each confirm their own command once", locks: 200) { run in
            for number in 0..<200 { try run.send(number % 2 == 0 ? .lock : run.opening, to: number) }
            try await run.pass()
            for number in 0..<200 {
                let expected = number % 2 == 0 ? .locked : run.opening.resultingState
                try run.requireStates([expected], of: number, "the states of lock \(number)")
            }
        },
        ConformanceCheck("Commands to different locks from many threads at once each arrive once", locks: 64) { run in
            let failures = Mutex<[AdapterError]>([])
            DispatchQueue.concurrentPerform(iterations: 64) { number in
                if let failure = run.failure(of: run.opening, to: number) { failures.withLock { $0.append(failure) } }
            }
            try require(failures.withLock { $0 }, is: [], "the errors of the commands")
            try await run.pass()
            for number in 0..<64 {
                try run.requireStates([run.opening.resultingState], of: number, "the states of lock \(number)")
            }
        },
        ConformanceCheck("Locks can be attached and detached on any thread while commands are sent to others", locks: 8) { run in
            DispatchQueue.concurrentPerform(iterations: 64) { turn in
                let number = turn % 8
                switch turn / 8 % 4 {
                case 0: run.detach(number)
                case 1: run.attach(number)
                case 2: _ = run.failure(of: .lock, to: number)
                default: _ = run.refreshFailure(number)
                }
            }
            for number in 0..<8 { run.attach(number) }
            try await run.pass()
            run.recorder.forget()
            for number in 0..<8 {
                try await run.requireConfirmation(of: run.opening, by: number)
                try run.requireStates([run.opening.resultingState], of: number, "the states of lock \(number)")
            }
        },
        ConformanceCheck("Reports are delivered for attached locks only", locks: 4) { run in
            run.detach(3)
            for number in 0..<4 { _ = try? await run.trigger(.stateReport, at: number) }
            for number in 0..<3 { try run.send(run.opening, to: number) }
            try await run.pass()
            let attached = Set((0..<3).map(ConformanceRun.id))
            try require(Set(run.recorder.reports.map(\.deviceID)), is: attached, "the locks that reports come from")
        },
    ]
}
