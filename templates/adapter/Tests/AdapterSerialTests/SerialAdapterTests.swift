import AdapterSerial
import DoorwardAdapterKit
import DoorwardAdapterTesting
import DoorwardDomain
import Synchronization
import Testing

/// Tests of this protocol; the conformance kit tests the rest.
@Suite struct SerialAdapterTests {
    @Test("a command is rejected while the output buffer is full, and accepted when it is not")
    func fullBuffer() throws {
        try SerialRig.run { rig in
            rig.controller.setFull(true)
            #expect(throws: AdapterError.transportBusy) { try rig.send(.unlock, 1) }
            rig.controller.setFull(false)
            try rig.send(.unlock, 2)
            try await rig.pass(.seconds(1))
            #expect(rig.heard.last == rig.report(.unlocked, after: 2))
            #expect(rig.controller.orders(at: 1) == [.unlock])
        }
    }

    @Test("a second command is rejected until the first has a response or its deadline has passed")
    func oneAtATime() throws {
        try SerialRig.run { rig in
            rig.controller.set(.silent, of: 1)
            try rig.send(.unlock, 1)
            #expect(throws: AdapterError.transportBusy) { try rig.send(.lock, 2) }
            try await rig.pass(.seconds(10))
            rig.controller.set(.prompt, of: 1)
            try rig.send(.lock, 3)
            try await rig.pass(.seconds(1))
            #expect(rig.heard.last == rig.report(.locked, after: 3))
        }
    }

    @Test("the response to an earlier command does not end the present one")
    func answerToEarlierOrder() throws {
        try SerialRig.run { rig in
            rig.controller.set(.late, of: 1)
            try rig.send(.unlock, 1)
            try await rig.pass(.seconds(10))
            rig.controller.set(.silent, of: 1)
            try rig.send(.unlock, 2)
            rig.forget()
            // The response to the first command arrives after 30 seconds.
            try await rig.pass(.seconds(25))
            #expect(rig.heard.isEmpty)
        }
    }

    @Test("an invalid line is counted, and the next line is read")
    func malformed() throws {
        try SerialRig.run { rig in
            rig.forget()
            rig.controller.say("STATE 1", "STATE 248 LOCKED", String(repeating: "x", count: 1000), "\u{E9}", "TURNED 1 UNLOCKED")
            #expect(rig.adapter.counts == ["lines_malformed": 4])
            #expect(rig.heard.map(\.fact) == [.state(.unlocked, quality: .confirmed, method: .manual, operatorName: nil)])
        }
    }

    @Test("of two devices at one number the last attached receives the lines, and the first when the last is detached")
    func twoAtOneNumber() throws {
        try SerialRig.run { rig in
            let second = DeviceID(high: 1, low: 2)
            rig.adapter.attach(AttachedLock(id: second, address: ["lock": .integer(1)]))
            let checked = try rig.adapter.check(address: ["lock": .integer(1)])
            #expect(checked.holder == second)
            rig.adapter.detach(second)
            rig.forget()
            rig.controller.turn(1)
            #expect(rig.heard.map(\.deviceID) == [SerialRig.device])
        }
    }
}

/// Test fixture: one lock at number 1, attached to a running adapter, and its reports.
private final class SerialRig: ReportReceiver {
    static let device = DeviceID(high: 1, low: 1)
    let clock: VirtualClock
    let controller: PlayedController
    let adapter: SerialAdapter
    private let reports = Mutex<[LockReport]>([])

    private init(clock: VirtualClock, executor: SeededExecutor) {
        self.clock = clock
        controller = PlayedController(clock: clock, executor: executor)
        adapter = SerialAdapter(stream: controller, clock: clock, executor: executor)
    }

    static func run(_ body: @escaping @Sendable (SerialRig) async throws -> Void) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let rig = SerialRig(clock: clock, executor: executor)
            try await rig.adapter.start(reports: rig)
            rig.adapter.attach(AttachedLock(id: device, address: ["lock": .integer(1)]))
            try await rig.pass(.seconds(1))
            try await body(rig)
            await rig.adapter.stop()
        }
    }

    func receive(_ report: LockReport) { reports.withLock { $0.append(report) } }

    var heard: [LockReport] { reports.withLock { $0 } }

    func forget() { reports.withLock { $0 = [] } }

    func pass(_ time: Duration) async throws {
        try await clock.sleep(until: clock.monotonicNow().advanced(by: time + .nanoseconds(1)))
    }

    /// Sends a command with a deadline in ten seconds.
    func send(_ operation: LockOperation, _ number: UInt64) throws(AdapterError) {
        try adapter.send(
            LockCommand(
                commandID: CommandID(high: 0, low: number), deviceID: Self.device, operation: operation,
                deadline: clock.now().advanced(by: .seconds(10))))
    }

    func report(_ state: LockState, after number: UInt64) -> LockReport {
        LockReport(
            deviceID: Self.device, .state(state, quality: .confirmed, method: .remote, operatorName: nil),
            after: CommandID(high: 0, low: number))
    }
}
