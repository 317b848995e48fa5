import AdapterSimulator
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Synchronization
import Testing

@Suite struct SimulatorPropertyTests {
    @Test("With random commands and events a lock reports only its true state", arguments: 0..<150 as Range<UInt64>)
    func invariants(seed: UInt64) throws {
        #expect(try RandomRun(seed: seed).play().violations == [])
    }

    @Test("The same seed and the same calls give the same reports", arguments: 0..<20 as Range<UInt64>)
    func deterministic(seed: UInt64) throws {
        let (first, second) = (try RandomRun(seed: seed).play(), try RandomRun(seed: seed).play())
        #expect(first.texts == second.texts)
        #expect(first.reports == second.reports)
    }

    @Test("Other seeds give other days")
    func varied() throws {
        let days = try Set((0..<20 as Range<UInt64>).map { try RandomRun(seed: $0).play().texts })
        #expect(days.count == 20)
    }

    @Test("Jitter and faults depend on the lock's own seed, not on the seed of the executor")
    func ownSeed() throws {
        let steps = Array(
            repeating: [SimulatorFixture.Step.command(.unlock), .wait(ms: 2000), .command(.lock), .wait(ms: 2000)], count: 30
        )
        .flatMap { $0 }
        let address = { (seed: Int64) -> [String: JSONValue] in
            ["seed": .integer(seed), "jitterMs": .integer(900), "jamRate": .number(0.2), "lostConfirmationRate": .number(0.2)]
        }
        let texts = try SimulatorFixture.play(address(1), steps, seed: 1)
        #expect(try SimulatorFixture.play(address(1), steps, seed: 2) == texts)
        #expect(try SimulatorFixture.play(address(2), steps, seed: 1) != texts)
        #expect(texts.contains { $0.hasPrefix("JAMMED") })
        #expect(texts.count { $0.hasPrefix("LOCKED") } < 30)
    }
}

/// A lock with a random address and up to 200 random calls, and a watcher that checks the reports.
private struct RandomRun {
    let seed: UInt64

    /// All events except those that falsify, delay or repeat reports.
    private static let eventsWithTrueReports = SimulatorEvent.allCases.filter {
        ![.wrongState, .duplicateReports, .disorderReports].contains($0)
    }

    func play() throws -> (texts: [String], reports: [LockReport], violations: [String]) {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: seed, clock: clock)
        let checker = ReportChecker()
        return try executor.run {
            var random = SeededGenerator(seed: seed)
            let device: DeviceID = .new(at: clock.now(), using: &random)
            let address = address(&random)
            let adapter = SimulatorAdapter(clock: clock, executor: executor)
            let recorder = ReportRecorder(clock: clock) { checker.receive($0.fact) }
            try await adapter.start(reports: recorder)
            checker.setListening(true)
            adapter.attach(AttachedLock(id: device, address: address))
            for _ in 0..<Int.random(in: 20...200, using: &random) {
                switch Int.random(in: 0..<12, using: &random) {
                case 0..<5: command(random.pick(LockOperation.movements), device, adapter, checker, clock)
                case 5..<9:
                    checker.inject(random.pick(Self.eventsWithTrueReports)) { try adapter.inject($0, into: device) }
                case 9:
                    try await clock.sleep(
                        until: clock.monotonicNow().advanced(by: .milliseconds(Int.random(in: 1...4000, using: &random))))
                case 10: try? adapter.refresh(device)
                default:
                    checker.setListening(false)
                    adapter.detach(device)
                    try await clock.sleep(until: clock.monotonicNow().advanced(by: .milliseconds(500)))
                    checker.setListening(true)
                    adapter.attach(AttachedLock(id: device, address: address))
                }
            }
            checker.setListening(false)
            await adapter.stop()
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(900)))
            return (recorder.texts, recorder.reports, checker.violations)
        }
    }

    private func command(
        _ operation: LockOperation, _ device: DeviceID, _ adapter: SimulatorAdapter, _ checker: ReportChecker,
        _ clock: VirtualClock
    ) {
        let command = LockCommand(
            commandID: CommandID(high: 0, low: 1), deviceID: device, operation: operation, deadline: clock.now())
        checker.send(operation) { try adapter.send(command) }
    }

    private func address(_ random: inout SeededGenerator) -> [String: JSONValue] {
        let names = LockCapabilities.named.map(\.name).filter { _ in Int.random(in: 0..<5, using: &random) > 0 }
        return [
            "latencyMs": .integer(random.pick([0, 0, 150, 2000])), "jitterMs": .integer(random.pick([0, 300])),
            "capabilities": .array(names.map { .string($0) }), "jamRate": .number(random.pick([0, 0.2])),
            "lostConfirmationRate": .number(random.pick([0, 0.2])), "lateConfirmationMs": .integer(random.pick([0, 700])),
            "initialState": .string(random.pick(["LOCKED", "UNLOCKED"])),
            "autoRelockSeconds": .integer(random.pick([0, 2])), "keypadSlots": .string("Ada,Ben"),
            "batteryPerMovement": .number(random.pick([0, 1.5, 20])), "batteryPerDay": .number(random.pick([0, 100])),
            "offlineMemory": .integer(random.pick([0, 3])), "refusalRate": .number(random.pick([0, 0.2])),
            "lateConfirmationRate": .number(random.pick([0, 0.2])),
        ]
    }
}

/// Collects reports that must not occur.
private final class ReportChecker: Sendable {
    private struct State {
        var isListening = false
        var isOffline = false
        /// The last reported level in percent; `nil` if the battery may have been replaced since.
        var batteryLevel: Int?
        /// The command that the lock may still answer.
        var unanswered: LockOperation?
        /// The last command that the lock accepted. The lock may still be moving or holding the latch for it.
        var last: LockOperation?
        var violations: [String] = []
    }

    private let state = Mutex(State())

    var violations: [String] { state.withLock { $0.violations } }

    func setListening(_ value: Bool) {
        state.withLock {
            let violations = $0.violations
            $0 = State()
            ($0.isListening, $0.violations) = (value, violations)
        }
    }

    func send(_ operation: LockOperation, send: () throws -> Void) {
        let before = state.withLock { state in
            defer { (state.unanswered, state.last) = (operation, operation) }
            return (state.unanswered, state.last)
        }
        do { try send() } catch { state.withLock { ($0.unanswered, $0.last) = before } }
    }

    func inject(_ event: SimulatorEvent, inject: (SimulatorEvent) throws -> Void) {
        if event == .clear || event == .replaceBattery { state.withLock { $0.batteryLevel = nil } }
        try? inject(event)
    }

    func receive(_ fact: LockReport.Fact) {
        state.withLock { state in
            if !state.isListening { state.violations.append("\(fact.text) after detach or stop") }
            if case .availability(let isOnline) = fact { state.isOffline = isOnline == false }
            if state.isOffline, fact != .availability(false) { state.violations.append("\(fact.text) while offline") }
            if let violation = Self.violation(of: fact, &state) { state.violations.append(violation) }
        }
    }

    private static func violation(of fact: LockReport.Fact, _ state: inout State) -> String? {
        switch fact {
        case .battery(let level, _):
            defer { state.batteryLevel = level }
            guard let level, (1...100).contains(level) else { return "battery level \(level ?? -1)" }
            return level <= state.batteryLevel ?? 100 ? nil : "the battery level rises to \(level)"
        case .refusal: return answer(.unknown, &state) ? nil : "a refusal without a command"
        case .state(let lockState, let quality, let method, _):
            if quality != .confirmed { return "a live report with quality \(quality.rawValue)" }
            switch method {
            case .remote:
                return remote(lockState, &state) ? nil : "\(lockState.rawValue) in answer to \(state.last?.rawValue ?? "nothing")"
            case .auto:
                let springsBack = lockState == .unlocked && state.last != nil
                let relocks = [.locking, .locked, .jammed].contains(lockState)
                return springsBack || relocks ? nil : "\(lockState.rawValue) by itself"
            case .manual: return lockState == .locked || lockState == .unlocked ? nil : "\(lockState.rawValue) by hand"
            default: return nil
            }
        case .door, .availability, .event, .faults, .settings, .product, .deliveredLate: return nil
        }
    }

    private static func remote(_ lockState: LockState, _ state: inout State) -> Bool {
        switch lockState {
        case .locking: state.unanswered == .lock
        case .unlocking: state.unanswered == .unlock || state.unanswered == .unlatch
        case .jammed: answer(.jammed, &state)
        case .locked, .unlocked, .unlatched: answer(lockState, &state)
        case .unknown: false
        }
    }

    /// Returns whether the state can answer the unanswered command, and marks the command as answered.
    private static func answer(_ lockState: LockState, _ state: inout State) -> Bool {
        defer { state.unanswered = nil }
        switch state.unanswered {
        case nil: return false
        case .lock: return lockState == .locked || lockState == .jammed || lockState == .unknown
        case .unlock: return lockState == .unlocked || lockState == .jammed || lockState == .unknown
        default: return lockState == .unlatched || lockState == .jammed || lockState == .unknown
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &self)] }
}
