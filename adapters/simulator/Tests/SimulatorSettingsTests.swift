import AdapterSimulator
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

/// Commands that change the settings of a simulated lock.
@Suite struct SimulatorSettingsTests {
    typealias Case = SimulatorCommandTests.Case

    @Test("A command changes the auto-relock, the lock confirms it, and its bolt follows the new time", arguments: cases)
    func settings(_ example: Case) throws {
        #expect(try SimulatorFixture.play(example.address, example.steps) == example.expected)
    }

    private static let silent: JSONValue = .array(["UNLOCK", "SETTINGS", "DOOR"].map { .string($0) })
    private static let (unlocked, never): ([String: JSONValue], [String: JSONValue]) = (
        ["capabilities": silent, "initialState": .string("UNLOCKED")], ["capabilities": silent]
    )

    static let cases = [
        Case(
            testDescription: "after the latency, and the next unlock relocks after the new time", address: never,
            steps: [.settings(2), .wait(ms: 200), .command(.unlock), .wait(ms: 9000)],
            expected: ["relocks after 2@200", "UNLOCKED/REMOTE@400", "LOCKED/AUTO@2600"]),
        Case(
            testDescription: "an unlocked bolt relocks after the new time, counted from the change", address: unlocked,
            steps: [.wait(ms: 1000), .settings(1), .wait(ms: 9000)],
            expected: ["relocks after 1@1200", "LOCKED/AUTO@2400"]),
        Case(
            testDescription: "0 ends an auto-relock that is scheduled",
            address: never.merging(["autoRelockSeconds": .integer(2)]) { $1 },
            steps: [.command(.unlock), .wait(ms: 1000), .settings(0), .wait(ms: 9000)],
            expected: ["UNLOCKED/REMOTE@200", "relocks after 0@1200"]),
        Case(
            testDescription: "a movement in progress is not interrupted", address: never,
            steps: [.command(.unlock), .wait(ms: 100), .settings(3), .wait(ms: 9000)],
            expected: ["UNLOCKED/REMOTE@200", "relocks after 3@300", "LOCKED/AUTO@3500"]),
        Case(
            testDescription: "an open door keeps the bolt withdrawn", address: unlocked,
            steps: [.event(.doorOpen), .settings(1), .wait(ms: 9000), .event(.doorClose), .wait(ms: 2000)],
            expected: ["door OPEN@0", "relocks after 1@200", "door CLOSED@9000", "LOCKED/AUTO@10200"]),
        Case(
            testDescription: "no latency: the confirmation comes inside send",
            address: never.merging(["latencyMs": .integer(0)]) { $1 }, steps: [.settings(3600)],
            expected: ["relocks after 3600@0"]),
        Case(
            testDescription: "refused: the bolt follows the old time", address: unlocked,
            steps: [.event(.refuse), .settings(1), .wait(ms: 9000)], expected: ["refused other@200"]),
        Case(
            testDescription: "a lost confirmation: the bolt follows the new time", address: unlocked,
            steps: [.event(.loseConfirmations), .settings(1), .wait(ms: 1100), .event(.clear), .wait(ms: 900)],
            expected: ["online@1100", "UNLOCKED@1100", "door CLOSED@1100", "LOCKED/AUTO@1400"]),
        Case(
            testDescription: "a late confirmation: the bolt follows the new time at once", address: unlocked,
            steps: [.event(.confirmLate), .settings(1), .wait(ms: 5200)], expected: ["relocks after 1@5200"]),
        Case(
            testDescription: "a lock without the capability",
            address: ["capabilities": .array([.string("LOCK")])], steps: [.settings(1), .event(.offline), .settings(1)],
            expected: ["!unsupported@0", "offline@0", "!unsupported@0"]),
        Case(
            testDescription: "times out of range, no time, and an offline lock", address: never,
            steps: [.settings(3601), .settings(-1), .command(.changeSettings), .event(.offline), .settings(1)],
            expected: ["!unsupported@0", "!unsupported@0", "!unsupported@0", "offline@0", "!offline@0"]),
        Case(
            testDescription: "a lock that is attached again has the time of its address", address: never,
            steps: [.settings(1), .wait(ms: 200), .attach, .command(.unlock), .wait(ms: 9000)],
            expected: ["relocks after 1@200", "online@200", "LOCKED@200", "door CLOSED@200", "UNLOCKED/REMOTE@400"]),
        Case(
            testDescription: "a detached lock confirms nothing", address: never,
            steps: [.settings(1), .detach, .wait(ms: 9000)], expected: []),
    ]

    @Test("A lock attached with the settings that it has confirmed keeps them instead of those of its address")
    func kept() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let (adapter, recorder) = (SimulatorAdapter(clock: clock, executor: executor), ReportRecorder(clock: clock))
            let device = DeviceID(high: 0, low: 1)
            try await adapter.start(reports: recorder)
            for (kept, relocks) in [(LockSettings(autoRelockSeconds: 0), false), (LockSettings(), true)] {
                adapter.attach(AttachedLock(id: device, address: ["autoRelockSeconds": .integer(2)], settings: kept))
                let unlock = LockCommand(
                    commandID: CommandID(high: 0, low: 2), deviceID: device, operation: .unlock, deadline: clock.now())
                try adapter.send(unlock)
                try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(60)))
                #expect((adapter.condition(of: device)?.position == .locked) == relocks)
            }
        }
    }
}
