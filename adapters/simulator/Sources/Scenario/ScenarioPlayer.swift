package import DoorwardDomain
package import DoorwardYAML

/// A command that a person of the scenario sends through the gateway.
package struct ScenarioCommand: Hashable, Sendable {
    /// The attached lock with the scenario's name.
    package let lock: DeviceID
    /// One of `LockOperation.movements`.
    package let operation: LockOperation
    /// The person's name in the scenario.
    package let person: String
}

/// Plays a scenario on simulated locks, each event at its time.
package struct ScenarioPlayer: Sendable {
    private let scenario: Scenario
    private let adapter: SimulatorAdapter
    private let clock: any GatewayClock
    private let locks: [String: DeviceID]
    private let start: Duration
    private let pace: Double
    private let command: @Sendable (ScenarioCommand) async -> Void

    /// - Parameters:
    ///   - locks: the attached lock for each name of the scenario.
    ///   - start: the time of the scenario at which playing starts; earlier events are skipped.
    ///   - pace: seconds of the scenario per second of the clock; at least 0.1.
    ///   - command: sends a person's command to the gateway. Commands run concurrently; the scenario does not wait for them.
    /// - Throws: a mistake for each name of the scenario that has no lock.
    package init(
        _ scenario: Scenario, adapter: SimulatorAdapter, clock: any GatewayClock, locks: [String: DeviceID],
        from start: Duration = .zero, pace: Double = 1, command: @escaping @Sendable (ScenarioCommand) async -> Void
    ) throws(YAMLErrors) {
        let unknown = scenario.lockNames.filter { locks[$0] == nil }
        guard unknown.isEmpty else {
            throw YAMLErrors(
                file: "the scenario",
                unknown.map { "there is no lock called `\($0)`\(didYouMean($0, among: locks.keys.sorted()))" }, .scenario)
        }
        (self.scenario, self.adapter, self.clock, self.locks) = (scenario, adapter, clock, locks)
        (self.start, self.pace, self.command) = (start, max(pace, 0.1), command)
    }

    /// Plays to the last event, or until the task is cancelled; returns when the last command has ended.
    ///
    /// Everything runs on the caller's executor, such as that of a test. Events that a lock does not support are skipped.
    package func run() async {
        let startedAt = clock.monotonicNow()
        await withDiscardingTaskGroup { group in
            for event in scenario.events(from: start) {
                let due = startedAt.advanced(by: pace == 1 ? event.at - start : (event.at - start) / pace)
                do { try await clock.sleep(until: due) } catch { return group.cancelAll() }
                guard let lock = locks[event.lock] else { continue }
                switch event.action {
                case .event(let event, let slot): try? adapter.inject(event, slot: slot, into: lock)
                case .openDoor: if adapter.condition(of: lock)?.isPassable == true { try? adapter.inject(.doorOpen, into: lock) }
                case .closeDoor:
                    if adapter.condition(of: lock)?.isDoorClosed == false { try? adapter.inject(.doorClose, into: lock) }
                case .command(let operation, let person):
                    let scenarioCommand = ScenarioCommand(lock: lock, operation: operation, person: person)
                    group.addTask { [command] in await command(scenarioCommand) }
                }
            }
        }
    }
}
