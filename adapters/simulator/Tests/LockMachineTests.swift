import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

@testable import AdapterSimulator

/// The state machine alone, with random input: its reports match the bolt.
@Suite struct LockMachineTests {
    @Test(
        "A lock reports LOCKED only if the bolt is locked, and its last report matches its position",
        arguments: 0..<100 as Range<UInt64>)
    func accurate(seed: UInt64) throws {
        var (machine, random) = try Self.machine(seed: seed)
        for _ in 0..<300 {
            Self.advance(&machine, &random)
            Self.expectAccurateReports(in: &machine)
            Self.applyRandomInput(&machine, &random)
            Self.expectAccurateReports(in: &machine)
        }
    }

    private static func expectAccurateReports(in machine: inout LockMachine) {
        guard let last = machine.takePending().compactMap(\.state).last else { return }
        let (position, moving, isStuck) = (machine.position, machine.moving, machine.isStuck)
        switch last {
        case .locked, .unlocked: #expect(position == last)
        // The latch springs back by itself, and the bolt stays withdrawn.
        case .unlatched: #expect(position == .unlatched || position == .unlocked)
        case .locking, .unlocking: #expect(moving == last)
        case .jammed: #expect(isStuck)
        case .unknown: Issue.record("reported UNKNOWN")
        }
    }

    @Test("An unreachable lock reports nothing, and its battery level never rises by itself", arguments: 0..<100 as Range<UInt64>)
    func silence(seed: UInt64) throws {
        var (machine, random) = try Self.machine(seed: seed)
        for _ in 0..<300 {
            let (wasUnreachable, level) = (machine.isUnreachable, machine.battery.level)
            machine.advance(to: machine.now.advanced(by: .milliseconds(Int64.random(in: 0...9_000_000, using: &random))))
            #expect(machine.battery.level <= level)
            if wasUnreachable { #expect(machine.takePending().isEmpty) } else { _ = machine.takePending() }
            Self.applyRandomInput(&machine, &random)
            let reports = machine.takePending()
            if machine.isUnreachable, wasUnreachable { #expect(reports.allSatisfy { $0 == .availability(false) }) }
            if machine.isUnreachable { #expect(machine.battery.isEmpty || machine.faults.isOffline) }
        }
    }

    @Test("A lock at rest needs no timer")
    func rest() throws {
        var machine = LockMachine(SimulatorSettings(), id: DeviceID(high: 1, low: 1), at: MonotonicInstant(nanoseconds: 0))
        #expect(machine.nextDue == nil)
        try machine.execute(.unlock)
        let due = try #require(machine.nextDue)
        machine.advance(to: due)
        #expect(machine.nextDue == nil)
    }

    private static func machine(seed: UInt64) throws -> (LockMachine, SeededGenerator) {
        var random = SeededGenerator(seed: seed)
        let address: [String: JSONValue] = [
            "latencyMs": .integer(Int64.random(in: 0...1, using: &random) * 400), "jamRate": .number(0.1),
            "autoRelockSeconds": .integer(Int64.random(in: 0...20, using: &random)), "keypadSlots": .string("Ada"),
            "batteryPerMovement": .number(0.5), "batteryPerDay": .number(Double(Int.random(in: 0...20, using: &random))),
            "offlineMemory": .integer(Int64.random(in: 0...5, using: &random)), "seed": .integer(Int64(seed)),
        ]
        let settings = try SimulatorSettings(address: address)
        return (LockMachine(settings, id: DeviceID(high: 1, low: 1), at: MonotonicInstant(nanoseconds: 0)), random)
    }

    private static let eventsExceptWrongState = SimulatorEvent.allCases.filter { $0 != .wrongState }

    private static func advance(_ machine: inout LockMachine, _ random: inout SeededGenerator) {
        machine.advance(to: machine.now.advanced(by: .milliseconds(Int64.random(in: 0...2000, using: &random))))
    }

    private static func applyRandomInput(_ machine: inout LockMachine, _ random: inout SeededGenerator) {
        if Bool.random(using: &random) {
            try? machine.execute(LockOperation.movements[Int.random(in: 0..<3, using: &random)])
        } else {
            try? machine.handle(
                eventsExceptWrongState[Int.random(in: 0..<eventsExceptWrongState.count, using: &random)], slot: nil)
        }
    }
}

extension LockReport.Fact {
    fileprivate var state: LockState? { if case .state(let state, _, _, _) = self { state } else { nil } }
}
