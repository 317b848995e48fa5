internal import Dispatch
internal import DoorwardAdapterKit
internal import DoorwardDomain
import Synchronization

extension AdapterConformance {
    static let responseChecks: [ConformanceCheck] = [
        ConformanceCheck("Reports before the first command have no `after`") { harness in
            let run = try await ConformanceRun(harness)
            guard try await run.trigger(.stateReport, at: 0) else { throw NotApplicable.reports }
            try await run.pass(harness.promptTime)
            try require(!run.recorder.reports.isEmpty, "the lock has sent a report, and none was received")
            try require(run.recorder.reports.allSatisfy { $0.after == nil }, "a report before the first command has an `after`")
        },
        ConformanceCheck("Reports after a command have that command in `after`") { harness in
            let run = try await ConformanceRun(harness)
            for number in UInt64(1)...3 {
                let command = CommandID(high: 0xAF, low: number)
                run.recorder.forget()
                try run.send(number % 2 == 1 ? run.opening : .lock, to: 0, command: command)
                try await run.pass(harness.promptTime)
                try require(!run.recorder.restingStates(of: 0).isEmpty, "command \(number) is not confirmed")
                try require(run.recorder.reports.allSatisfy { $0.after == command }, "wrong `after` following command \(number)")
            }
        },
        ConformanceCheck("A rejected command is not the `after` of any report") { harness in
            let run = try await ConformanceRun(harness)
            try await run.requireConfirmation(of: run.opening, by: 0)
            try await run.set(.offline, of: 0)
            try await run.pass(harness.promptTime)
            let refused = CommandID(high: 0xAF, low: 9)
            do { try run.send(.lock, to: 0, command: refused) } catch {
                try await run.set(.prompt, of: 0)
                try await run.pass(harness.promptTime)
                _ = try await run.trigger(.stateReport, at: 0)
                try await run.pass(harness.promptTime)
                let followsIt = run.recorder.reports.contains { $0.after == refused }
                return try require(!followsIt, "a report has a rejected command in `after`")
            }
            throw NotApplicable("the adapter accepts commands to an unavailable lock and reports the refusal later")
        },
        ConformanceCheck("The `after` of a report is a command to the same lock, never to another") { harness in
            let run = try await ConformanceRun(harness, locks: 2)
            try run.send(run.opening, to: 0, command: CommandID(high: 0xAF, low: 1))
            guard try await run.trigger(.stateReport, at: 1) else { throw NotApplicable.reports }
            try await run.pass(harness.promptTime)
            for report in run.recorder.reports {
                let expected = report.deviceID == ConformanceRun.id(0) ? CommandID(high: 0xAF, low: 1) : nil
                try require(report.after == expected, "\(report.deviceID) reports after \(String(describing: report.after))")
            }
        },
        ConformanceCheck("Commands to one lock from many threads at once each arrive once or are rejected") { harness in
            let run = try await ConformanceRun(harness)
            let accepted = Mutex(0)
            DispatchQueue.concurrentPerform(iterations: 16) { _ in
                if run.failure(of: run.opening, to: 0) == nil { accepted.withLock { $0 += 1 } }
            }
            try await run.pass(harness.promptTime)
            try await run.pass(settlingTime)
            let count = accepted.withLock { $0 }
            try require(count > 0, "all commands are rejected")
            if let commands = await harness.receivedCommands(at: ConformanceRun.id(0)) {
                try require(commands.count, is: count, "the commands received by the lock")
            }
            try require(run.recorder.restingStates(of: 0).last, is: run.opening.resultingState, "the confirmed states")
        },
        ConformanceCheck("Counters have fixed names in snake case and never decrease") { harness in
            let before = harness.adapter.counts
            let isSnakeCase = { (word: String) in word.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") } }
            try require(
                before.keys.allSatisfy { !$0.isEmpty && isSnakeCase($0) }, "a counter is not in snake case: \(before.keys)")
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
