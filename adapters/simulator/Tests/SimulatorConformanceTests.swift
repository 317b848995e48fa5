import AdapterSimulator
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

@Suite struct SimulatorConformanceTests {
    @Test("The simulator passes every conformance check", arguments: AdapterConformance.checks)
    func passes(_ conformanceCheck: ConformanceCheck) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        _ = try executor.run { try await conformanceCheck.check(SimulatorHarness(clock: clock, executor: executor)) }
    }

    @Test("The checks that do not apply concern transports, discovery, faults and messages from other sources")
    func notApplicable() {
        let report = AdapterConformance.report { clock, executor in SimulatorHarness(clock: clock, executor: executor) }
        #expect(report.failed.isEmpty, "\(report)")
        #expect(
            Set(report.notApplicable.map(\.reason)) == [
                "there is no transport between the adapter and its locks that could be disconnected",
                "locks of this kind cannot be discovered",
                "the adapter has no transports that belong to a tenant", "the transport retains no reports",
                "no malformed input can arrive", "locks of this kind report no faults",
                "addresses of this adapter have no such field",
            ])
    }
}

/// Gives the conformance checks access to a `SimulatorAdapter`.
private struct SimulatorHarness: AdapterHarness {
    let clock: VirtualClock
    private let simulator: SimulatorAdapter

    init(clock: VirtualClock, executor: SeededExecutor) {
        (self.clock, simulator) = (clock, SimulatorAdapter(clock: clock, executor: executor))
    }

    var adapter: any LockAdapter { simulator }
    var capabilities: LockCapabilities { .all }

    func address(of number: Int) -> [String: JSONValue] { ["seed": .integer(Int64(number))] }

    var limited: (address: [String: JSONValue], capabilities: LockCapabilities)? {
        (["capabilities": .array([.string("LOCK"), .string("UNLOCK")])], [.lock, .unlock])
    }

    func set(_ behavior: LockBehavior, of lock: DeviceID) throws {
        let event: SimulatorEvent =
            switch behavior {
            case .prompt: .clear
            case .late: .confirmLate
            case .silent: .loseConfirmations
            case .jamming: .jam
            case .refusing: .refuse
            case .offline: .offline
            }
        try simulator.inject(event, into: lock)
    }

    func trigger(_ stimulus: LockStimulus, at lock: DeviceID) throws -> Bool {
        switch stimulus {
        case .stateReport: try simulator.inject(.online, into: lock)
        case .manualTurn: try simulator.inject(.thumbTurn, into: lock)
        case .retainedReport, .malformedInput, .faultRaised, .faultCleared: return false
        }
        return true
    }
}
