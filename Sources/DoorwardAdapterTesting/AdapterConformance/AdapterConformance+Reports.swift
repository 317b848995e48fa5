internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let reportChecks: [ConformanceCheck] = [
        ConformanceCheck("A state that a command has caused has the method `remote` or none", locks: 1) { run in
            try await run.requireConfirmation(of: run.opening, by: 0)
            let methods = run.recorder.states(of: 0).filter { $0.state == run.opening.resultingState }.map(\.method)
            try require(methods.allSatisfy { $0 == nil || $0 == .remote }, "the methods of a command's states are \(methods)")
        },
        ConformanceCheck("A movement by hand is reported live, and not with the method `remote`", locks: 1) { run in
            try await run.requireStimulus(.manualTurn, at: 0)
            try run.requireStates([.unlocked], of: 0, "the states reported for a bolt turned by hand")
            let methods = run.recorder.states(of: 0).map(\.method)
            try require(methods.allSatisfy { $0 != .remote }, "a movement by hand has the method `remote`")
        },
        ConformanceCheck("Reports of one lock are delivered in the order in which it sent them", locks: 1) { run in
            for _ in 0..<4 { guard try await run.trigger(.manualTurn, at: 0) else { throw NotApplicable(.manualTurn) } }
            try await run.pass()
            try run.requireStates([.unlocked, .locked, .unlocked, .locked], of: 0, "the four reported states")
        },
        ConformanceCheck("A report is delivered with the id of its own lock only", locks: 3) { run in
            try await run.requireStimulus(.stateReport, at: 1)
            try require(Set(run.recorder.reports.map(\.deviceID)), is: [ConformanceRun.id(1)], "the locks that reports come from")
            try run.requireStates([.locked], of: 1, "its reported states")
        },
        ConformanceCheck("A report retained by the transport is not reported as live", locks: 1) { run in
            try await run.requireStimulus(.retainedReport, at: 0)
            try run.requireStates([], of: 0, "the states reported as live")
        },
        ConformanceCheck("A state request returns the lock's state if that is supported, and moves no lock", locks: 1) { run in
            guard run.harness.capabilities.contains(.refresh) else {
                try require(run.refreshFailure(0).map { $0 == .unsupported } ?? true, "a state request throws another error")
                try await run.requireCommands([], at: 0, "after a state request")
                throw NotApplicable("locks of this kind do not support state requests")
            }
            try run.adapter.refresh(ConformanceRun.id(0))
            try await run.pass()
            try run.requireStates([.locked], of: 0, "the states reported for a state request")
            try await run.pass(settlingTime)
            try await run.requireCommands([], at: 0, "after a state request")
        },
        ConformanceCheck("A state request does not disturb a movement in progress", locks: 1) { run in
            try run.send(run.opening, to: 0)
            _ = run.refreshFailure(0)
            try await run.pass()
            try require(run.recorder.restingStates(of: 0).last, is: run.opening.resultingState, "the confirmed states")
            try await run.requireCommands([run.opening], at: 0, "after a state request")
        },
        ConformanceCheck("Going offline and coming back online are reported, and no state in between", locks: 1) { run in
            try await run.make(0, .offline)
            try require(run.recorder.availabilities(of: 0).last.map { $0 != true }, is: true, "whether it is reported as offline")
            run.recorder.forget()
            try await run.tryStimulus(.manualTurn, at: 0)
            try run.requireStates([], of: 0, "the states reported while it is offline")
            try await run.make(0, .prompt)
            try require(
                run.recorder.availabilities(of: 0).last, is: .some(true), "the reported availability when it is back online")
        },
        ConformanceCheck("A battery level is from 0 to 100 percent", locks: 1) { run in
            try await run.requireStimulus(.stateReport, at: 0)
            for case .battery(let level?, _) in run.recorder.facts(of: 0) {
                try require((0...100).contains(level), "a battery level of \(level) percent")
            }
        },
        ConformanceCheck("Malformed input is dropped, and the lock still executes commands", locks: 1) { run in
            try await run.requireStimulus(.malformedInput, at: 0)
            try require(run.recorder.states(of: 0).isEmpty, "malformed input is reported as a state")
            try require(run.recorder.refusals(of: 0), is: 0, "the number of refusals")
            try await run.requireCommands([], at: 0, "after malformed input")
            try await run.requireConfirmation(of: run.opening, by: 0)
        },
        ConformanceCheck("Faults are reported as codes in camel case, and their end is reported", locks: 1) { run in
            try await run.requireStimulus(.faultRaised, at: 0)
            let words = run.recorder.faults(of: 0).last ?? []
            try require(!words.isEmpty, "no fault is reported")
            try require(words.allSatisfy(isCamelCase), "a fault code is not in camel case: \(words)")
            _ = try await run.trigger(.faultCleared, at: 0)
            try await run.pass()
            try require(run.recorder.faults(of: 0).last, is: [], "the reported faults when they have ended")
            try await run.requireCommands([], at: 0, "after a fault")
        },
    ]

    /// Returns whether the text is a code such as `notFullyLocked`.
    private static func isCamelCase(_ word: String) -> Bool {
        word.first.map { ("a"..."z").contains($0) } ?? false && word.allSatisfy { $0.isASCII && $0.isLetter }
    }
}
