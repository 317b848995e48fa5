import AdapterSimulator
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

@Suite struct SimulatorCommandTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var address: [String: JSONValue] = [:]
        let steps: [SimulatorFixture.Step]
        let expected: [String]
    }

    @Test("A command moves the bolt, and the lock reports the movement", arguments: movements + faultyMovements)
    func commands(_ example: Case) throws {
        #expect(try SimulatorFixture.play(example.address, example.steps) == example.expected)
    }

    static let movements = [
        Case(
            testDescription: "unlock", steps: [.command(.unlock), .wait(ms: 200)],
            expected: ["UNLOCKING/REMOTE@0", "UNLOCKED/REMOTE@200"]),
        Case(
            testDescription: "lock", address: ["initialState": .string("UNLOCKED"), "latencyMs": .integer(1500)],
            steps: [.command(.lock), .wait(ms: 1499), .refresh, .wait(ms: 1)],
            expected: [
                "LOCKING/REMOTE@0", "online@1499", "LOCKING@1499", "door CLOSED@1499", "battery 100@1499", "LOCKED/REMOTE@1500",
            ]),
        Case(
            testDescription: "a lock that is already locked", steps: [.command(.lock), .wait(ms: 200)],
            expected: ["LOCKING/REMOTE@0", "LOCKED/REMOTE@200"]),
        Case(
            testDescription: "unlatch holds the latch for three seconds", steps: [.command(.unlatch), .wait(ms: 4000)],
            expected: ["UNLOCKING/REMOTE@0", "UNLATCHED/REMOTE@200", "UNLOCKED/AUTO@3200"]),
        Case(
            testDescription: "a command ends the hold of the latch",
            steps: [.command(.unlatch), .wait(ms: 1000), .command(.lock), .wait(ms: 9000)],
            expected: ["UNLOCKING/REMOTE@0", "UNLATCHED/REMOTE@200", "LOCKING/REMOTE@1000", "LOCKED/REMOTE@1200"]),
        Case(
            testDescription: "no latency: all reports come inside send", address: ["latencyMs": .integer(0)],
            steps: [.command(.unlock), .command(.lock), .command(.unlatch)],
            expected: ["UNLOCKED/REMOTE@0", "LOCKED/REMOTE@0", "UNLATCHED/REMOTE@0"]),
        Case(
            testDescription: "a lock without intermediate states",
            address: ["capabilities": .array([.string("LOCK"), .string("UNLOCK")])], steps: [.command(.unlock), .wait(ms: 200)],
            expected: ["UNLOCKED/REMOTE@200"]),
        Case(
            testDescription: "a new command interrupts the one in progress",
            steps: [.command(.unlock), .wait(ms: 100), .command(.lock), .wait(ms: 1000)],
            expected: ["UNLOCKING/REMOTE@0", "LOCKING/REMOTE@100", "LOCKED/REMOTE@300"]),
        Case(
            testDescription: "unsupported commands",
            address: ["capabilities": .array([.string("LOCK")])],
            steps: [.command(.unlock), .command(.unlatch), .command(.viewStatus), .refresh],
            expected: ["!unsupported@0", "!unsupported@0", "!unsupported@0", "!unsupported@0"]),
    ]

    static let faultyMovements = [
        Case(
            testDescription: "every command jams", address: ["jamRate": .integer(1)],
            steps: [.command(.unlock), .wait(ms: 200), .refresh],
            expected: [
                "UNLOCKING/REMOTE@0", "JAMMED/REMOTE@200", "online@200", "JAMMED@200", "door CLOSED@200", "battery 100@200",
            ]),
        Case(
            testDescription: "a jam that the lock cannot report",
            address: ["jamRate": .integer(1), "capabilities": .array([.string("UNLOCK"), .string("REFRESH")])],
            steps: [.command(.unlock), .wait(ms: 900), .refresh], expected: ["online@900"]),
        Case(
            testDescription: "every confirmation is lost, but the bolt moves", address: ["lostConfirmationRate": .integer(1)],
            steps: [.command(.unlock), .wait(ms: 900), .refresh],
            expected: ["online@900", "UNLOCKED@900", "door CLOSED@900", "battery 100@900"]),
    ]

    @Test("Attaching reports the state that the address describes")
    func attaching() async throws {
        let clock = VirtualClock()
        let recorder = ReportRecorder(clock: clock)
        let adapter = SimulatorAdapter(clock: clock)
        let device = DeviceID(high: 1, low: 1)
        try await adapter.start(reports: recorder)
        adapter.attach(AttachedLock(id: device, address: [:]))
        #expect(recorder.texts == ["online@0", "LOCKED@0", "door CLOSED@0", "battery 100@0"])
        recorder.forget()
        let address: [String: JSONValue] = [
            "initialState": .string("UNLOCKED"), "batteryLevel": .integer(20),
            "capabilities": .array([.string("LOCK"), .string("BATTERY")]),
        ]
        adapter.attach(AttachedLock(id: device, address: address))
        #expect(recorder.texts == ["online@0", "UNLOCKED@0", "battery 20 low@0"])
        #expect(recorder.reports.allSatisfy { $0.deviceID == device })
    }

    @Test("Locks attached before the start report at the start, in the order of their ids")
    func startAfterAttach() async throws {
        let clock = VirtualClock()
        let recorder = ReportRecorder(clock: clock)
        let adapter = SimulatorAdapter(clock: clock)
        for low in [3, 1, 2] as [UInt64] {
            adapter.attach(AttachedLock(id: DeviceID(high: 0, low: low), address: ["capabilities": .array([])]))
        }
        #expect(recorder.texts.isEmpty)
        try await adapter.start(reports: recorder)
        #expect(recorder.reports.map(\.deviceID.low) == [1, 1, 2, 2, 3, 3])
    }

    @Test("A detached or stopped lock accepts no command, and does not report a movement in progress")
    func silence() throws {
        let detached = try SimulatorFixture.play(
            [:], [.command(.unlock), .detach, .wait(ms: 900), .command(.lock), .refresh, .event(.jam)])
        #expect(detached == ["UNLOCKING/REMOTE@0", "!notAttached@900", "!notAttached@900", "!notAttached@900"])
        let stopped = try SimulatorFixture.play(
            [:], [.command(.unlock), .stop, .wait(ms: 900), .command(.lock), .refresh, .event(.jam)])
        #expect(stopped == ["UNLOCKING/REMOTE@0", "!offline@900", "!offline@900", "!notAttached@900"])
    }

    @Test("Attaching again replaces the lock with a new one")
    func reattach() throws {
        let reports = try SimulatorFixture.play([:], [.command(.unlock), .attach, .wait(ms: 900)])
        #expect(reports == ["UNLOCKING/REMOTE@0", "online@0", "LOCKED@0", "door CLOSED@0", "battery 100@0"])
    }

    @Test("A command can be sent from inside `receive`, and the reports keep their order")
    func reentrant() async throws {
        let clock = VirtualClock()
        let adapter = SimulatorAdapter(clock: clock)
        let device = DeviceID(high: 0, low: 1)
        let command = { @Sendable (operation: LockOperation) in
            LockCommand(commandID: CommandID(high: 0, low: 2), deviceID: device, operation: operation, deadline: clock.now())
        }
        let recorder = ReportRecorder(clock: clock) { report in
            guard case .state(.unlocked, _, _, _) = report.fact else { return }
            try? adapter.send(command(.lock))
        }
        try await adapter.start(reports: recorder)
        adapter.attach(
            AttachedLock(
                id: device, address: ["latencyMs": .integer(0), "capabilities": .array([.string("LOCK"), .string("UNLOCK")])]))
        try adapter.send(command(.unlock))
        #expect(recorder.texts == ["online@0", "LOCKED@0", "UNLOCKED/REMOTE@0", "LOCKED/REMOTE@0"])
    }

    @Test("A report made before a command does not confirm it, even if it is delivered after the command")
    func overtakenByCommand() async throws {
        let clock = VirtualClock()
        let adapter = SimulatorAdapter(clock: clock)
        let device = DeviceID(high: 0, low: 1)
        let command = LockCommand(
            commandID: CommandID(high: 0, low: 2), deviceID: device, operation: .lock, deadline: clock.now())
        let recorder = ReportRecorder(clock: clock) { report in
            // Send the command at the first of several reports that are delivered together.
            guard case .availability(true) = report.fact else { return }
            try? adapter.send(command)
        }
        try await adapter.start(reports: recorder)
        adapter.attach(AttachedLock(id: device, address: ["latencyMs": .integer(60_000)]))
        #expect(
            recorder.texts == ["online@0", "LOCKED RETAINED by nobody@0", "door CLOSED@0", "battery 100@0", "LOCKING/REMOTE@0"])
    }

    @Test("Each of the commands from many threads is answered by one report")
    func threads() async throws {
        let clock = VirtualClock()
        let (adapter, recorder) = (SimulatorAdapter(clock: clock), ReportRecorder(clock: clock))
        let device = DeviceID(high: 0, low: 1)
        try await adapter.start(reports: recorder)
        adapter.attach(AttachedLock(id: device, address: ["latencyMs": .integer(0)]))
        recorder.forget()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                let command = LockCommand(
                    commandID: CommandID(high: 0, low: UInt64(worker)), deviceID: device,
                    operation: worker.isMultiple(of: 2) ? .lock : .unlock, deadline: clock.now())
                group.addTask { for _ in 0..<200 { try adapter.send(command) } }
            }
            try await group.waitForAll()
        }
        // A report that is delayed while another thread sends the next command is no longer live,
        // so reports of every quality are counted.
        let states = recorder.reports.reduce(into: [LockState: Int]()) { counts, report in
            if case .state(let state, _, .remote?, _) = report.fact { counts[state, default: 0] += 1 }
        }
        #expect(states == [.locked: 800, .unlocked: 800])
    }
}
