internal import Dispatch
internal import DoorwardAdapterKit
public import DoorwardDomain
import Synchronization

/// One requirement of `LockAdapter`, and its check.
public struct ConformanceCheck: Sendable, CustomStringConvertible {
    /// The requirement, as a sentence.
    public let description: String
    private let body: @Sendable (any AdapterHarness) async throws -> Void

    init(_ description: String, check body: @escaping @Sendable (any AdapterHarness) async throws -> Void) {
        (self.description, self.body) = (description, body)
    }

    /// Runs the check with a new harness.
    ///
    /// - Returns: `.passed`, or `.notApplicable` if locks of this kind, or their transport, do not
    ///   have the feature that the check requires.
    /// - Throws: `ConformanceFailure`, or an unexpected error of the adapter or the harness.
    @discardableResult
    public func check(_ harness: any AdapterHarness) async throws -> ConformanceOutcome {
        do {
            try await body(harness)
            return .passed
        } catch let cause as NotApplicable {
            return .notApplicable(cause.reason)
        }
    }
}

/// The checks that apply to adapters of any kind. A test runs each check with its own harness, usually on a `SeededExecutor`.
public enum AdapterConformance {
    /// All checks. A check is not applicable if locks of the adapter's kind do not have the feature that the check requires.
    public static let checks: [ConformanceCheck] =
        addressChecks + fieldChecks + endpointChecks + lifecycleChecks + restartChecks + attachChecks + commandChecks
        + settingsChecks + responseChecks + faultChecks + transportChecks + reportChecks + fleetChecks + discoveryChecks

    /// Returns the number of the lock with this id, for `AdapterHarness.address(of:)`.
    public static func number(of lock: DeviceID) -> Int { Int(truncatingIfNeeded: lock.low) }

    /// The default of `promptTime`: the maximum time until a prompt lock has moved and its adapter has reported the movement.
    public static let prompt = Duration.seconds(2)
    /// The default of `lateTime`: the maximum time until a late lock has confirmed a command.
    public static let late = Duration.seconds(60)
    /// The time that a check waits for reports and commands that the adapter may have delayed.
    static let settlingTime = Duration.seconds(1800)
}

extension AdapterConformance {
    static let settingsChecks: [ConformanceCheck] = [
        ConformanceCheck("A change of the settings is confirmed with the new settings, and moves nothing") { harness in
            let run = try await settingsRun(harness)
            for (number, seconds) in [30, 30, 0, 3600].enumerated() {
                let (settings, command) = (LockSettings(autoRelockSeconds: seconds), CommandID(high: 0x5E, low: UInt64(number)))
                run.recorder.forget()
                try run.send(.changeSettings, to: 0, settings: settings, command: command)
                try await run.pass(harness.promptTime)
                let found = run.recorder.settings(of: 0)
                try require(found.map(\.settings), is: [settings], "the settings that the lock confirms")
                try require(found.map(\.after), is: [command], "the command that the confirmation follows")
                try require(run.recorder.states(of: 0).isEmpty, "a change of the settings moves the lock")
            }
        },
        ConformanceCheck("A change of the settings of an unavailable lock is rejected, and not made later") { harness in
            let run = try await settingsRun(harness)
            try await run.set(.offline, of: 0)
            try await run.pass(harness.promptTime)
            let refusals = run.recorder.refusals(of: 0)
            if let failure = run.failure(of: .changeSettings, to: 0, settings: LockSettings(autoRelockSeconds: 30)) {
                try require(failure == .offline || failure == .transportBusy, "a change of the settings throws \(failure)")
            } else {
                try await run.pass(harness.promptTime)
                try require(run.recorder.refusals(of: 0), is: refusals + 1, "the refusals of a change that cannot reach its lock")
            }
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

extension AdapterConformance {
    static let lifecycleChecks: [ConformanceCheck] = [
        ConformanceCheck("Health is `down` before the start, `ok` while the adapter runs, and `down` after the stop") { harness in
            try require(harness.adapter.health, is: .down, "the health before the start")
            let run = try await ConformanceRun(harness)
            try require(harness.adapter.health, is: .ok, "the health while it runs")
            await harness.adapter.stop()
            try await run.pass(harness.promptTime)
            try require(harness.adapter.health, is: .down, "the health after the stop")
        },
        ConformanceCheck("A lock attached before the start reports and executes commands after it") { harness in
            let number = 7
            harness.adapter.attach(AttachedLock(id: ConformanceRun.id(number), address: harness.address(of: number)))
            let run = try await ConformanceRun(harness, locks: 0)
            try await run.requireConfirmation(of: run.opening, by: number)
            try await run.requireCommands([run.opening], at: number, "after the start")
        },
        ConformanceCheck("Starting the adapter and attaching locks move no lock") { harness in
            let run = try await ConformanceRun(harness, locks: 3)
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
        ConformanceCheck("Nothing is sent after the stop") { harness in
            let run = try await ConformanceRun(harness)
            await harness.adapter.stop()
            let failure = run.failure(of: run.opening, to: 0)
            try require(failure != nil, "a command is accepted after the stop")
            try require(run.refreshFailure(0) != nil, "a state request is accepted after the stop")
            try await run.pass(settlingTime)
            try require(
                await harness.receivedCommands(at: ConformanceRun.id(0)) ?? [], is: [], "the commands received after the stop")
        },
        ConformanceCheck("Nothing is reported after the stop, not even for a movement in progress") { harness in
            let run = try await ConformanceRun(harness)
            try await run.set(.late, of: 0)
            try run.send(run.opening, to: 0)
            await harness.adapter.stop()
            run.recorder.forget()
            try await run.pass(settlingTime)
            _ = try? await run.trigger(.manualTurn, at: 0)
            try await run.pass(harness.promptTime)
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
        ConformanceCheck("Attaching and detaching after the stop cause no report") { harness in
            let run = try await ConformanceRun(harness)
            await harness.adapter.stop()
            run.attach(1)
            run.detach(0)
            try await run.pass(settlingTime)
            try require(run.recorder.reports, is: [], "the reports after the stop")
        },
    ]
}

extension AdapterConformance {
    static let fleetChecks: [ConformanceCheck] = [
        ConformanceCheck("A command moves its own lock and no other") { harness in
            let run = try await ConformanceRun(harness, locks: 3)
            try await run.requireConfirmation(of: run.opening, by: 1)
            for number in [0, 2] {
                try run.requireNoReports(of: number, "after a command for another lock")
                try await run.requireCommands([], at: number, "after a command for another lock")
            }
        },
        ConformanceCheck("A lock that is silent, jammed, refusing, late or offline delays no other lock") { harness in
            let behaviors = LockBehavior.allCases.filter { $0 != .prompt }
            let run = try await ConformanceRun(harness, locks: behaviors.count + 1)
            for (number, behavior) in behaviors.enumerated() {
                try await run.set(behavior, of: number)
                _ = run.failure(of: run.opening, to: number)
            }
            try await run.requireConfirmation(of: run.opening, by: behaviors.count)
        },
        ConformanceCheck("Two hundred locks each confirm their own command once") { harness in
            let run = try await ConformanceRun(harness, locks: 200)
            for number in 0..<200 { try run.send(number % 2 == 0 ? .lock : run.opening, to: number) }
            try await run.pass(harness.promptTime)
            for number in 0..<200 {
                let expected = number % 2 == 0 ? .locked : run.opening.resultingState
                try require(run.recorder.restingStates(of: number), is: [expected], "the states of lock \(number)")
            }
        },
        ConformanceCheck("Commands to different locks from many threads at once each arrive once") { harness in
            let run = try await ConformanceRun(harness, locks: 64)
            let failures = Mutex<[AdapterError]>([])
            DispatchQueue.concurrentPerform(iterations: 64) { number in
                if let failure = run.failure(of: run.opening, to: number) { failures.withLock { $0.append(failure) } }
            }
            try require(failures.withLock { $0 }, is: [], "the errors of the commands")
            try await run.pass(harness.promptTime)
            for number in 0..<64 {
                try require(
                    run.recorder.restingStates(of: number), is: [run.opening.resultingState], "the states of lock \(number)")
            }
        },
        ConformanceCheck("Locks can be attached and detached on any thread while commands are sent to others") { harness in
            let run = try await ConformanceRun(harness, locks: 8)
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
            try await run.pass(harness.promptTime)
            run.recorder.forget()
            for number in 0..<8 {
                try await run.requireConfirmation(of: run.opening, by: number)
                try require(
                    run.recorder.restingStates(of: number), is: [run.opening.resultingState], "the states of lock \(number)")
            }
        },
        ConformanceCheck("Reports are delivered for attached locks only") { harness in
            let run = try await ConformanceRun(harness, locks: 4)
            run.detach(3)
            for number in 0..<4 { _ = try? await run.trigger(.stateReport, at: number) }
            for number in 0..<3 { try run.send(run.opening, to: number) }
            try await run.pass(harness.promptTime)
            let attached = Set((0..<3).map(ConformanceRun.id))
            try require(Set(run.recorder.reports.map(\.deviceID)), is: attached, "the locks that reports come from")
        },
    ]
}

extension AdapterConformance {
    static let endpointChecks: [ConformanceCheck] = [
        ConformanceCheck("`check` returns the lock that is attached at an address, or none if there is none") { harness in
            let run = try await ConformanceRun(harness, locks: 2)
            for number in 0..<2 {
                let attached = try harness.adapter.check(address: harness.address(of: number)).attachedDevice
                let expected = harness.detectsDuplicates ? ConformanceRun.id(number) : nil
                try require(attached, is: expected, "the lock attached at address \(number)")
            }
            let none = try harness.adapter.check(address: harness.address(of: 5)).attachedDevice
            try require(none, is: nil, "the lock attached at a free address")
            try await run.requireConfirmation(of: run.opening, by: 0)
        },
        ConformanceCheck("An address is free again when its lock is detached or attached with another address") { harness in
            let run = try await ConformanceRun(harness, locks: 2)
            run.detach(0)
            run.attach(1, as: harness.address(of: 6))
            for number in 0..<2 {
                let attached = try harness.adapter.check(address: harness.address(of: number)).attachedDevice
                try require(attached, is: nil, "the lock attached at address \(number)")
            }
            let attached = try harness.adapter.check(address: harness.address(of: 6)).attachedDevice
            try require(
                attached, is: harness.detectsDuplicates ? ConformanceRun.id(1) : nil, "the lock attached at the new address")
        },
        ConformanceCheck("The owner of a transport is returned, and none for a transport that does not exist") { harness in
            guard let transportAddresses = harness.transportAddresses else {
                return try require(harness.adapter.owner(of: harness.address(of: 0)), is: .shared, "the owner of the transport")
            }
            for transport in transportAddresses.owned {
                try require(
                    harness.adapter.owner(of: transport.address), is: transport.owner,
                    "the owner of the transport of \(transport.address)")
            }
            try require(
                harness.adapter.owner(of: transportAddresses.missing), is: nil, "the owner of a transport that does not exist")
            _ = try await ConformanceRun(harness)
            for transport in transportAddresses.owned {
                try require(harness.adapter.owner(of: transport.address), is: transport.owner, "the owner while the adapter runs")
            }
        },
        ConformanceCheck("A transport outside the caller's scope gives the same result as one that does not exist") { harness in
            guard let transportAddresses = harness.transportAddresses else { throw NotApplicable.transportAddresses }
            _ = try await ConformanceRun(harness)
            for transport in transportAddresses.owned where transport.owner != .shared {
                for extra in [[:], ["noSuchKey": .null]] as [[String: JSONValue]] {
                    let (hidden, missing) = (
                        transport.address.merging(extra) { $1 }, transportAddresses.missing.merging(extra) { $1 }
                    )
                    try require(
                        checkResult(on: hidden, harness, within: .of([])), is: checkResult(on: missing, harness),
                        "the result for another owner's transport")
                }
                try require(
                    checkResult(on: transportAddresses.missing, harness) != checkResult(on: transport.address, harness),
                    "the transport is not found")
            }
        },
        ConformanceCheck("A portfolio's transport is accepted within its owner's scope, and only for locks in that portfolio") {
            harness in
            guard let transportAddresses = harness.transportAddresses else { throw NotApplicable.transportAddresses }
            let otherPortfolio = PortfolioID(high: 0xFEED, low: 1)
            for transport in transportAddresses.owned {
                guard case .portfolio(let id) = transport.owner else { continue }
                let open = checkResult(on: transport.address, harness)
                try require(
                    checkResult(on: transport.address, harness, within: .of([id])), is: open, "the result in the owner's scope")
                try require(
                    checkResult(on: transport.address, harness, within: .everything.restricted(to: id)), is: open,
                    "the result in the portfolio")
                try require(
                    checkResult(on: transport.address, harness, within: .everything.restricted(to: otherPortfolio)),
                    is: checkResult(on: transportAddresses.missing, harness), "the result in another portfolio")
            }
        },
    ]
}

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
