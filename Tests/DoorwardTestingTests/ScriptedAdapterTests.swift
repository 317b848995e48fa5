import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

@Suite struct ScriptedAdapterTests {
    private let device = DeviceID(high: 0, low: 1)

    @Test(
        "A scripted lock reports what its behaviour specifies",
        arguments: [
            (.confirmAtOnce, ["UNLOCKED@0"]),
            (.confirm(after: .milliseconds(30)), ["UNLOCKED@30"]),
            (.silent, []),
            (.refuse(.lowPower, after: .milliseconds(5)), ["low_power@5"]),
            (.jam(after: .zero), ["JAMMED@0"]),
        ] as [(ScriptedAdapter.Behaviour, [String])])
    func behaviours(behaviour: ScriptedAdapter.Behaviour, expected: [String]) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        let adapter = ScriptedAdapter(clock: clock, executor: executor)
        let listener = ReportListener(clock)
        let device = device
        try executor.run {
            try await adapter.start(reports: listener)
            adapter.attach(AttachedLock(id: device, address: [:]))
            adapter.set(behaviour, for: device)
            try adapter.send(command(.unlock, clock))
            try await clock.sleep(until: MonotonicInstant(nanoseconds: 1_000_000_000))
        }
        #expect(listener.trace.text == expected.joined(separator: " "))
        #expect(adapter.sentCommands.map(\.command.operation) == [.unlock])
        #expect(adapter.sentCommands.map(\.at) == [MonotonicInstant(nanoseconds: 0)])
    }

    @Test("A command for which send throws is not recorded", arguments: [AdapterError.offline, .transportBusy, .unsupported])
    func failing(error: AdapterError) {
        let clock = VirtualClock()
        let adapter = ScriptedAdapter(clock: clock, behaviour: .fail(error))
        #expect(throws: AdapterError.notAttached) { try adapter.send(command(.lock, clock)) }
        adapter.attach(AttachedLock(id: device, address: [:]))
        #expect(throws: error) { try adapter.send(command(.lock, clock)) }
        #expect(adapter.sentCommands.isEmpty)
    }

    @Test("Injected reports are delivered only while the lock is attached and the adapter runs")
    func onDemand() async throws {
        let clock = VirtualClock()
        let adapter = ScriptedAdapter(clock: clock)
        let listener = ReportListener(clock)
        adapter.attach(AttachedLock(id: device, address: [:]))
        adapter.report(.locked, from: device)
        try await adapter.start(reports: listener)
        adapter.report(.unlocked, method: .manual, from: device)
        adapter.detach(device)
        adapter.report(.locked, from: device)
        adapter.attach(AttachedLock(id: device, address: [:]))
        await adapter.stop()
        adapter.report(.locked, from: device)
        #expect(listener.trace.text == "UNLOCKED@0")
    }

    @Test("Stopping the adapter cancels pending reports")
    func stopping() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        let adapter = ScriptedAdapter(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(1)))
        let listener = ReportListener(clock)
        let device = device
        try executor.run {
            try await adapter.start(reports: listener)
            adapter.attach(AttachedLock(id: device, address: [:]))
            try adapter.send(command(.lock, clock))
            await Task.yield()
            await adapter.stop()
        }
        #expect(clock.sleeperCount == 0)
        #expect(listener.trace.text == "")
    }

    @Test("onSend runs before the command is recorded")
    func onSend() async throws {
        let clock = VirtualClock()
        let adapter = ScriptedAdapter(clock: clock, behaviour: .silent)
        try await adapter.start(reports: ReportListener(clock))
        let trace = Trace()
        adapter.attach(AttachedLock(id: device, address: [:]))
        adapter.onSend { trace.add("\($0.operation.rawValue) after \(adapter.sentCommands.count)") }
        try adapter.send(command(.lock, clock))
        try adapter.send(command(.unlock, clock))
        #expect(trace.text == "LOCK after 0 UNLOCK after 1")
    }

    @Test("Addresses are accepted unless the test sets errors, and refreshes are recorded")
    func addresses() async throws {
        let clock = VirtualClock()
        let adapter = ScriptedAdapter(clock: clock, capabilities: [.lock])
        try await adapter.start(reports: ReportListener(clock))
        #expect(try adapter.check(address: ["any": .null]).capabilities == [.lock])
        let errors = AddressErrors([.init(field: "address.any", problem: "unknown_key")])
        adapter.set(errors: errors)
        #expect(throws: errors) { try adapter.check(address: [:]) }
        #expect(throws: AdapterError.notAttached) { try adapter.refresh(device) }
        adapter.attach(AttachedLock(id: device, address: [:]))
        try adapter.refresh(device)
        #expect(adapter.refreshes == [device])
        #expect(adapter.attached.map(\.id) == [device])
    }

    private func command(_ operation: LockOperation, _ clock: VirtualClock) -> LockCommand {
        LockCommand(commandID: CommandID(high: 0, low: 7), deviceID: device, operation: operation, deadline: clock.now())
    }
}

private struct ReportListener: ReportReceiver {
    let clock: VirtualClock
    let trace = Trace()

    init(_ clock: VirtualClock) { self.clock = clock }

    func receive(_ report: LockReport) {
        let word: String? =
            switch report.fact {
            case .state(let state, _, _, _): state.rawValue
            case .refusal(let cause): cause.rawValue
            default: nil
            }
        if let word { trace.add("\(word)@\(clock.monotonicNow().nanoseconds / 1_000_000)") }
    }
}
