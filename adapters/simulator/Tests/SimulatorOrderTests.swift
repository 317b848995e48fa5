import AdapterSimulator
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

@Suite struct SimulatorOrderTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var address: [String: JSONValue] = [:]
        let steps: [Bench.Step]
        let heard: [String]
    }

    @Test("A command moves the bolt, and the lock reports the movement", arguments: movements + faultyMovements)
    func orders(_ example: Case) throws {
        #expect(try Bench.play(example.address, example.steps) == example.heard)
    }

    static let movements = [
        Case(
            testDescription: "unlock", steps: [.order(.unlock), .wait(ms: 200)],
            heard: ["UNLOCKING/REMOTE@0", "UNLOCKED/REMOTE@200"]),
        Case(
            testDescription: "lock", address: ["initialState": .string("UNLOCKED"), "latencyMs": .integer(1500)],
            steps: [.order(.lock), .wait(ms: 1499), .refresh, .wait(ms: 1)],
            heard: [
                "LOCKING/REMOTE@0", "online@1499", "LOCKING@1499", "door CLOSED@1499", "battery 100@1499", "LOCKED/REMOTE@1500",
            ]),
        Case(
            testDescription: "a lock that is already locked", steps: [.order(.lock), .wait(ms: 200)],
            heard: ["LOCKING/REMOTE@0", "LOCKED/REMOTE@200"]),
        Case(
            testDescription: "unlatch holds the latch for three seconds", steps: [.order(.unlatch), .wait(ms: 4000)],
            heard: ["UNLOCKING/REMOTE@0", "UNLATCHED/REMOTE@200", "UNLOCKED/AUTO@3200"]),
        Case(
            testDescription: "a command ends the hold of the latch",
            steps: [.order(.unlatch), .wait(ms: 1000), .order(.lock), .wait(ms: 9000)],
            heard: ["UNLOCKING/REMOTE@0", "UNLATCHED/REMOTE@200", "LOCKING/REMOTE@1000", "LOCKED/REMOTE@1200"]),
        Case(
            testDescription: "no latency: all reports come inside send", address: ["latencyMs": .integer(0)],
            steps: [.order(.unlock), .order(.lock), .order(.unlatch)],
            heard: ["UNLOCKED/REMOTE@0", "LOCKED/REMOTE@0", "UNLATCHED/REMOTE@0"]),
        Case(
            testDescription: "a lock without intermediate states",
            address: ["capabilities": .array([.string("LOCK"), .string("UNLOCK")])], steps: [.order(.unlock), .wait(ms: 200)],
            heard: ["UNLOCKED/REMOTE@200"]),
        Case(
            testDescription: "a new command interrupts the one in progress",
            steps: [.order(.unlock), .wait(ms: 100), .order(.lock), .wait(ms: 1000)],
            heard: ["UNLOCKING/REMOTE@0", "LOCKING/REMOTE@100", "LOCKED/REMOTE@300"]),
        Case(
            testDescription: "unsupported commands",
            address: ["capabilities": .array([.string("LOCK")])],
            steps: [.order(.unlock), .order(.unlatch), .order(.viewStatus), .refresh],
            heard: ["!unsupported@0", "!unsupported@0", "!unsupported@0", "!unsupported@0"]),
    ]

    static let faultyMovements = [
        Case(
            testDescription: "every command jams", address: ["jamRate": .integer(1)],
            steps: [.order(.unlock), .wait(ms: 200), .refresh],
            heard: [
                "UNLOCKING/REMOTE@0", "JAMMED/REMOTE@200", "online@200", "JAMMED@200", "door CLOSED@200", "battery 100@200",
            ]),
        Case(
            testDescription: "a jam that the lock cannot report",
            address: ["jamRate": .integer(1), "capabilities": .array([.string("UNLOCK"), .string("REFRESH")])],
            steps: [.order(.unlock), .wait(ms: 900), .refresh], heard: ["online@900"]),
        Case(
            testDescription: "every confirmation is lost, but the bolt moves", address: ["lostConfirmationRate": .integer(1)],
            steps: [.order(.unlock), .wait(ms: 900), .refresh],
            heard: ["online@900", "UNLOCKED@900", "door CLOSED@900", "battery 100@900"]),
    ]

    @Test("Attaching reports the state that the address describes")
    func attaching() async throws {
        let clock = VirtualClock()
        let heard = Heard(clock: clock)
        let adapter = SimulatorAdapter(clock: clock)
        let device = DeviceID(high: 1, low: 1)
        try await adapter.start(reports: heard)
        adapter.attach(AttachedLock(id: device, address: [:]))
        #expect(heard.texts == ["online@0", "LOCKED@0", "door CLOSED@0", "battery 100@0"])
        heard.forget()
        let address: [String: JSONValue] = [
            "initialState": .string("UNLOCKED"), "batteryLevel": .integer(20),
            "capabilities": .array([.string("LOCK"), .string("BATTERY")]),
        ]
        adapter.attach(AttachedLock(id: device, address: address))
        #expect(heard.texts == ["online@0", "UNLOCKED@0", "battery 20 low@0"])
        #expect(heard.reports.allSatisfy { $0.deviceID == device })
    }

    @Test("Locks attached before the start report at the start, in the order of their ids")
    func startAfterAttach() async throws {
        let clock = VirtualClock()
        let heard = Heard(clock: clock)
        let adapter = SimulatorAdapter(clock: clock)
        for low in [3, 1, 2] as [UInt64] {
            adapter.attach(AttachedLock(id: DeviceID(high: 0, low: low), address: ["capabilities": .array([])]))
        }
        #expect(heard.texts.isEmpty)
        try await adapter.start(reports: heard)
        #expect(heard.reports.map(\.deviceID.low) == [1, 1, 2, 2, 3, 3])
    }

    @Test("A detached or stopped lock accepts no command, and does not report a movement in progress")
    func silence() throws {
        let detached = try Bench.play([:], [.order(.unlock), .detach, .wait(ms: 900), .order(.lock), .refresh, .event(.jam)])
        #expect(detached == ["UNLOCKING/REMOTE@0", "!notAttached@900", "!notAttached@900", "!notAttached@900"])
        let stopped = try Bench.play([:], [.order(.unlock), .stop, .wait(ms: 900), .order(.lock), .refresh, .event(.jam)])
        #expect(stopped == ["UNLOCKING/REMOTE@0", "!offline@900", "!offline@900", "!notAttached@900"])
    }

    @Test("Attaching again replaces the lock with a new one")
    func reattach() throws {
        let heard = try Bench.play([:], [.order(.unlock), .attach, .wait(ms: 900)])
        #expect(heard == ["UNLOCKING/REMOTE@0", "online@0", "LOCKED@0", "door CLOSED@0", "battery 100@0"])
    }

    @Test("A command can be sent from inside `receive`, and the reports keep their order")
    func reentrant() async throws {
        let clock = VirtualClock()
        let adapter = SimulatorAdapter(clock: clock)
        let device = DeviceID(high: 0, low: 1)
        let order = { @Sendable (operation: LockOperation) in
            LockCommand(commandID: CommandID(high: 0, low: 2), deviceID: device, operation: operation, deadline: clock.now())
        }
        let heard = Heard(clock: clock) { report in
            guard case .state(.unlocked, _, _, _) = report.fact else { return }
            try? adapter.send(order(.lock))
        }
        try await adapter.start(reports: heard)
        adapter.attach(
            AttachedLock(
                id: device, address: ["latencyMs": .integer(0), "capabilities": .array([.string("LOCK"), .string("UNLOCK")])]))
        try adapter.send(order(.unlock))
        #expect(heard.texts == ["online@0", "LOCKED@0", "UNLOCKED/REMOTE@0", "LOCKED/REMOTE@0"])
    }

    @Test("A report made before a command does not confirm it, even if it is delivered after the command")
    func overtakenByOrder() async throws {
        let clock = VirtualClock()
        let adapter = SimulatorAdapter(clock: clock)
        let device = DeviceID(high: 0, low: 1)
        let order = LockCommand(commandID: CommandID(high: 0, low: 2), deviceID: device, operation: .lock, deadline: clock.now())
        let heard = Heard(clock: clock) { report in
            // Send the command at the first of several reports that are delivered together.
            guard case .availability(true) = report.fact else { return }
            try? adapter.send(order)
        }
        try await adapter.start(reports: heard)
        adapter.attach(AttachedLock(id: device, address: ["latencyMs": .integer(60_000)]))
        #expect(
            heard.texts == ["online@0", "LOCKED RETAINED by nobody@0", "door CLOSED@0", "battery 100@0", "LOCKING/REMOTE@0"])
    }

    @Test("Each of the commands from many threads is answered by one report")
    func threads() async throws {
        let clock = VirtualClock()
        let (adapter, heard) = (SimulatorAdapter(clock: clock), Heard(clock: clock))
        let device = DeviceID(high: 0, low: 1)
        try await adapter.start(reports: heard)
        adapter.attach(AttachedLock(id: device, address: ["latencyMs": .integer(0)]))
        heard.forget()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                let order = LockCommand(
                    commandID: CommandID(high: 0, low: UInt64(worker)), deviceID: device,
                    operation: worker.isMultiple(of: 2) ? .lock : .unlock, deadline: clock.now())
                group.addTask { for _ in 0..<200 { try adapter.send(order) } }
            }
            try await group.waitForAll()
        }
        // A report that is delayed while another thread sends the next command is no longer live,
        // so reports of every quality are counted.
        let states = heard.reports.reduce(into: [LockState: Int]()) { counts, report in
            if case .state(let state, _, .remote?, _) = report.fact { counts[state, default: 0] += 1 }
        }
        #expect(states == [.locked: 800, .unlocked: 800])
    }
}
