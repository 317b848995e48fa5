internal import DoorwardAdapterKit
internal import DoorwardDomain
import Synchronization

/// A harness whose adapter is started, with access to its locks by number, and the reports received from the locks.
struct ConformanceRun: Sendable {
    let harness: any AdapterHarness
    let recorder: ReportRecorder
    private let commands = CommandNumbers()

    var adapter: any LockAdapter { harness.adapter }

    /// Starts the adapter with this number of locks attached, numbered from 0, and discards their first reports.
    ///
    /// - Parameter onReport: called with every report, from inside `receive`.
    init(
        _ harness: any AdapterHarness, locks: Int = 1, onReport: @escaping @Sendable (LockReport) -> Void = { _ in }
    ) async throws {
        self.harness = harness
        recorder = ReportRecorder(onReport)
        try await adapter.start(reports: recorder)
        for number in 0..<locks { attach(number) }
        try await pass()
        recorder.forget()
    }

    static func id(_ number: Int) -> DeviceID { DeviceID(high: 0xADA9_7E12, low: UInt64(number)) }

    func attach(_ number: Int, as address: [String: JSONValue]? = nil) {
        adapter.attach(AttachedLock(id: Self.id(number), address: address ?? harness.address(of: number)))
    }

    func detach(_ number: Int) { adapter.detach(Self.id(number)) }

    func set(_ behavior: LockBehavior, of number: Int) async throws { try await harness.set(behavior, of: Self.id(number)) }

    /// - Returns: false if locks of this kind do not have this stimulus.
    func trigger(_ stimulus: LockStimulus, at number: Int) async throws -> Bool {
        try await harness.trigger(stimulus, at: Self.id(number))
    }

    /// Lets a time pass; by default, the time in which locks respond.
    func pass(_ time: Duration? = nil) async throws { try await harness.pass(time ?? harness.promptTime) }

    /// Sets the behavior of a lock, and waits until the adapter has detected it.
    func make(_ number: Int, _ behavior: LockBehavior) async throws {
        try await set(behavior, of: number)
        try await pass()
    }

    /// Triggers a stimulus if that is possible, and waits for its reports.
    func tryStimulus(_ stimulus: LockStimulus, at number: Int) async throws {
        _ = try? await trigger(stimulus, at: number)
        try await pass()
    }

    /// Triggers a stimulus, and waits for its reports.
    ///
    /// - Throws: `NotApplicable` if that is not possible.
    func requireStimulus(_ stimulus: LockStimulus, at number: Int) async throws {
        guard try await trigger(stimulus, at: number) else { throw NotApplicable(stimulus) }
        try await pass()
    }

    // MARK: Commands

    /// The movements that these locks support.
    var movements: [LockOperation] {
        LockOperation.movements.filter { $0.requiredCapability.map(harness.capabilities.contains) ?? true }
    }

    /// The movement that opens the lock: an unlock, or an unlatch if the locks do not support an unlock.
    var opening: LockOperation { movements.contains(.unlock) ? .unlock : .unlatch }

    /// - Parameter command: the command's id; a new one if it is `nil`.
    func send(
        _ operation: LockOperation, to number: Int, settings: LockSettings? = nil, deadline: Timestamp? = nil,
        command: CommandID? = nil
    ) throws(AdapterError) {
        try adapter.send(
            LockCommand(
                commandID: command ?? commands.next(), deviceID: Self.id(number), operation: operation, settings: settings,
                deadline: deadline ?? harness.clock.now().advanced(by: .seconds(10))))
    }

    /// - Returns: the error that `send` threw, or `nil`.
    func failure(
        of operation: LockOperation, to number: Int, settings: LockSettings? = nil, deadline: Timestamp? = nil
    ) -> AdapterError? {
        do { try send(operation, to: number, settings: settings, deadline: deadline) } catch { return error }
        return nil
    }

    /// - Returns: the error that `refresh` threw, or `nil`.
    func refreshFailure(_ number: Int) -> AdapterError? {
        do { try adapter.refresh(Self.id(number)) } catch { return error }
        return nil
    }

    /// Sends a command, waits, and requires that the lock confirms it.
    func requireConfirmation(of operation: LockOperation, by number: Int) async throws {
        let before = recorder.restingStates(of: number).count
        try send(operation, to: number)
        try await pass()
        try require(
            Array(recorder.restingStates(of: number).dropFirst(before).prefix(1)), is: [operation.resultingState],
            "the states that lock \(number) confirms")
    }

    // MARK: Requirements

    /// Requires that a command to an unreachable lock fails: `send` throws, or the adapter reports a refusal within `promptTime`.
    func requireRefusal(of operation: LockOperation, settings: LockSettings? = nil, by number: Int) async throws {
        let refusals = recorder.refusals(of: number)
        if let failure = failure(of: operation, to: number, settings: settings) {
            return try require(failure == .offline || failure == .transportBusy, "a command throws \(failure)")
        }
        try await pass()
        try require(
            recorder.refusals(of: number), is: refusals + 1, "the number of refusals of a command that cannot reach its lock")
    }

    /// Requires that the lock has received exactly these commands, and is in the state after the
    /// last command. Without commands, the lock must be locked.
    func requireCommands(_ commands: [LockOperation], at number: Int, _ occasion: String) async throws {
        try await requireReceived(commands, at: number, "the commands received by lock \(number) \(occasion)")
        guard try await trigger(.stateReport, at: number) else { return }
        try await pass()
        guard let state = recorder.restingStates(of: number).last else { return }
        let expected = commands.last?.resultingState ?? .locked
        // After an unlatch, the lock may already be unlocked, because the latch springs back by itself.
        let isInState = state == expected || expected == .unlatched && state == .unlocked
        try require(isInState, "lock \(number) is \(state.rawValue) \(occasion), not \(expected.rawValue)")
    }

    /// Requires that the lock has reported exactly these resting states live.
    func requireStates(_ states: [LockState], of number: Int, _ what: String) throws {
        try require(recorder.restingStates(of: number), is: states, what)
    }

    /// Requires that the lock has received exactly these commands, if it records them.
    func requireReceived(_ commands: [LockOperation], at number: Int, _ what: String) async throws {
        if let found = await harness.receivedCommands(at: Self.id(number)) { try require(found, is: commands, what) }
    }

    /// Requires that `check` returns a lock, or none, as the one that is attached at an address, if the adapter detects that.
    func requireAttached(_ expected: Int?, at address: Int, _ what: String) throws {
        let attached = try adapter.check(address: harness.address(of: address)).attachedDevice
        try require(attached, is: harness.detectsDuplicates ? expected.map(Self.id) : nil, what)
    }

    /// Requires that the adapter has delivered no reports of the lock.
    func requireNoReports(of number: Int, _ occasion: String) throws {
        try require(
            recorder.facts(of: number).isEmpty, "there are reports of lock \(number) \(occasion): \(recorder.facts(of: number))")
    }
}

/// Creates a new command id for each command, on any thread.
private final class CommandNumbers: Sendable {
    private let count = Mutex<UInt64>(0)

    func next() -> CommandID {
        count.withLock { count in
            count += 1
            return CommandID(high: 0xC0, low: count)
        }
    }
}

extension LockOperation {
    /// The state of a lock after this movement.
    var resultingState: LockState { restingState ?? .unknown }
}

/// Records all reports of an adapter.
final class ReportRecorder: ReportReceiver {
    private let recorded = Mutex<[LockReport]>([])
    private let onReport: @Sendable (LockReport) -> Void

    init(_ onReport: @escaping @Sendable (LockReport) -> Void = { _ in }) { self.onReport = onReport }

    func receive(_ report: LockReport) {
        recorded.withLock { $0.append(report) }
        onReport(report)
    }

    func forget() { recorded.withLock { $0 = [] } }

    var reports: [LockReport] { recorded.withLock { $0 } }

    func facts(of number: Int) -> [LockReport.Fact] {
        reports.filter { $0.deviceID == ConformanceRun.id(number) }.map(\.fact)
    }

    /// All states that the lock reported live, in order, with their methods.
    func states(of number: Int) -> [(state: LockState, method: EventMethod?)] {
        facts(of: number).compactMap {
            if case .state(let state, .confirmed, let method, _) = $0 { (state, method) } else { nil }
        }
    }

    /// The locked, unlocked and unlatched states that the lock reported live.
    func restingStates(of number: Int) -> [LockState] {
        states(of: number).map(\.state).filter { [.locked, .unlocked, .unlatched].contains($0) }
    }

    func availabilities(of number: Int) -> [Bool?] {
        facts(of: number).compactMap { if case .availability(let isOnline) = $0 { .some(isOnline) } else { nil } }
    }

    /// The reported sets of faults, in order.
    func faults(of number: Int) -> [Set<String>] {
        facts(of: number).compactMap { if case .faults(let codes) = $0 { codes } else { nil } }
    }

    /// The settings that the lock reported, each with the command that the report follows.
    func settings(of number: Int) -> [(settings: LockSettings, after: CommandID?)] {
        reports.filter { $0.deviceID == ConformanceRun.id(number) }.compactMap {
            if case .settings(let settings) = $0.fact { (settings, $0.after) } else { nil }
        }
    }

    func refusals(of number: Int) -> Int {
        facts(of: number).count { if case .refusal = $0 { true } else { false } }
    }
}
