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
        try SerialFixture.run { fixture in
            fixture.controller.setFull(true)
            #expect(throws: AdapterError.transportBusy) { try fixture.send(.unlock, 1) }
            fixture.controller.setFull(false)
            try fixture.send(.unlock, 2)
            try await fixture.pass(.seconds(1))
            #expect(fixture.received.last == fixture.report(.unlocked, after: 2))
            #expect(fixture.controller.receivedCommands(at: 1) == [.unlock])
        }
    }

    @Test("a second command is rejected until the first has a response or its deadline has passed")
    func oneAtATime() throws {
        try SerialFixture.run { fixture in
            fixture.controller.set(.silent, of: 1)
            try fixture.send(.unlock, 1)
            #expect(throws: AdapterError.transportBusy) { try fixture.send(.lock, 2) }
            try await fixture.pass(.seconds(10))
            fixture.controller.set(.prompt, of: 1)
            try fixture.send(.lock, 3)
            try await fixture.pass(.seconds(1))
            #expect(fixture.received.last == fixture.report(.locked, after: 3))
        }
    }

    @Test("the response to an earlier command does not end the present one")
    func responseToEarlierCommand() throws {
        try SerialFixture.run { fixture in
            fixture.controller.set(.late, of: 1)
            try fixture.send(.unlock, 1)
            try await fixture.pass(.seconds(10))
            fixture.controller.set(.silent, of: 1)
            try fixture.send(.unlock, 2)
            fixture.forget()
            // The response to the first command arrives after 30 seconds.
            try await fixture.pass(.seconds(25))
            #expect(fixture.received.isEmpty)
        }
    }

    @Test("an invalid line is counted, and the next line is read")
    func malformed() throws {
        try SerialFixture.run { fixture in
            fixture.forget()
            fixture.controller.send(
                "STATE 1", "STATE 248 LOCKED", String(repeating: "x", count: 1000), "\u{E9}", "TURNED 1 UNLOCKED")
            #expect(fixture.adapter.counts == ["lines_malformed": 4])
            #expect(fixture.received.map(\.fact) == [.state(.unlocked, quality: .confirmed, method: .manual, operatorName: nil)])
        }
    }

    @Test("of two devices at one number the last attached receives the lines, and the first when the last is detached")
    func twoAtOneNumber() throws {
        try SerialFixture.run { fixture in
            let second = DeviceID(high: 1, low: 2)
            fixture.adapter.attach(AttachedLock(id: second, address: ["lock": .integer(1)]))
            let checked = try fixture.adapter.check(address: ["lock": .integer(1)])
            #expect(checked.attachedDevice == second)
            fixture.adapter.detach(second)
            fixture.forget()
            fixture.controller.turn(1)
            #expect(fixture.received.map(\.deviceID) == [SerialFixture.device])
        }
    }
}

/// Test fixture: one lock at number 1, attached to a running adapter, and its reports.
private final class SerialFixture: ReportReceiver {
    static let device = DeviceID(high: 1, low: 1)
    let clock: VirtualClock
    let controller: SimulatedController
    let adapter: SerialAdapter
    private let reports = Mutex<[LockReport]>([])

    private init(clock: VirtualClock, executor: SeededExecutor) {
        self.clock = clock
        controller = SimulatedController(clock: clock, executor: executor)
        adapter = SerialAdapter(stream: controller, clock: clock, executor: executor)
    }

    static func run(_ body: @escaping @Sendable (SerialFixture) async throws -> Void) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let fixture = SerialFixture(clock: clock, executor: executor)
            try await fixture.adapter.start(reports: fixture)
            fixture.adapter.attach(AttachedLock(id: device, address: ["lock": .integer(1)]))
            try await fixture.pass(.seconds(1))
            try await body(fixture)
            await fixture.adapter.stop()
        }
    }

    func receive(_ report: LockReport) { reports.withLock { $0.append(report) } }

    var received: [LockReport] { reports.withLock { $0 } }

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
