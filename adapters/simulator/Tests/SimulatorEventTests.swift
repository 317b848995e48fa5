import AdapterSimulator
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

@Suite struct SimulatorEventTests {
    typealias Case = SimulatorCommandTests.Case

    private static let condition = ["online@0", "LOCKED@0", "door CLOSED@0", "battery 100@0"]

    @Test("Each event causes the expected reports", arguments: faults + physicalEvents + limits + manualEvents + doorEvents)
    func events(_ example: Case) throws {
        #expect(try SimulatorFixture.play(example.address, example.steps) == example.expected)
    }

    static let faults = [
        Case(
            testDescription: "jam: at once and at every command, until clear",
            address: ["latencyMs": .integer(0)],
            steps: [.event(.jam), .command(.unlock), .command(.lock), .event(.thumbTurn), .event(.clear), .command(.unlock)],
            expected: ["JAMMED@0", "JAMMED/REMOTE@0", "JAMMED/REMOTE@0"] + condition + ["UNLOCKED/REMOTE@0"]),
        Case(
            testDescription: "jam: while the bolt is moving",
            steps: [.command(.unlock), .wait(ms: 100), .event(.jam), .wait(ms: 900)],
            expected: ["UNLOCKING/REMOTE@0", "JAMMED@100"]),
        Case(
            testDescription: "offline: commands throw, movements are not reported; online: the state is reported",
            steps: [
                .command(.unlock), .event(.offline), .wait(ms: 300), .command(.lock), .refresh, .event(.doorOpen),
                .event(.tamper),
                .event(.online),
            ],
            expected: [
                "UNLOCKING/REMOTE@0", "offline@0", "!offline@300", "!offline@300", "online@300", "UNLOCKED@300", "door OPEN@300",
                "battery 100@300",
            ]),
        Case(
            testDescription: "lose_confirmations: the bolt moves without reports, until clear",
            steps: [.event(.loseConfirmations), .command(.unlock), .wait(ms: 900), .event(.clear)],
            expected: ["online@900", "UNLOCKED@900", "door CLOSED@900", "battery 100@900"]),
        Case(
            testDescription: "clear during a movement whose confirmation would have been lost",
            steps: [.event(.loseConfirmations), .command(.unlock), .event(.clear), .wait(ms: 200)],
            expected: ["online@0", "UNLOCKING@0", "door CLOSED@0", "battery 100@0", "UNLOCKED/REMOTE@200"]),
        Case(
            testDescription: "confirm_late: lateConfirmationMs after the movement",
            address: ["latencyMs": .integer(100), "lateConfirmationMs": .integer(700)],
            steps: [.event(.confirmLate), .command(.unlock), .wait(ms: 2000)], expected: ["UNLOCKED/REMOTE@800"]),
        Case(
            testDescription: "confirm_late: the bolt has moved before the report", address: ["latencyMs": .integer(0)],
            steps: [.event(.confirmLate), .command(.unlock), .event(.clear), .wait(ms: 9000)],
            expected: ["online@0", "UNLOCKED@0", "door CLOSED@0", "battery 100@0"]),
        Case(
            testDescription: "confirm_late with lateConfirmationMs 0 is prompt",
            address: ["latencyMs": .integer(0), "lateConfirmationMs": .integer(0)],
            steps: [.event(.confirmLate), .command(.unlock)], expected: ["UNLOCKED/REMOTE@0"]),
        Case(
            testDescription: "refuse: every command is refused, and the bolt does not move",
            steps: [.event(.refuse), .command(.unlock), .wait(ms: 200), .event(.clear)],
            expected: ["refused other@200", "online@200", "LOCKED@200", "door CLOSED@200", "battery 100@200"]),
        Case(
            testDescription: "refuse: while the latch is held", address: ["latencyMs": .integer(0)],
            steps: [.command(.unlatch), .event(.refuse), .command(.lock), .wait(ms: 9000)],
            expected: ["UNLATCHED/REMOTE@0", "refused other@0", "UNLOCKED/AUTO@0"]),
    ]

    static let physicalEvents = [
        Case(
            testDescription: "thumb_turn: unlocks and locks", steps: [.event(.thumbTurn), .event(.thumbTurn)],
            expected: ["UNLOCKED/MANUAL@0", "LOCKED/MANUAL@0"]),
        Case(
            testDescription: "thumb_turn: interrupts a command", steps: [.command(.lock), .event(.thumbTurn), .wait(ms: 900)],
            expected: ["LOCKING/REMOTE@0", "UNLOCKED/MANUAL@0"]),
        Case(
            testDescription: "thumb_turn: frees a bolt that jammed once",
            address: ["jamRate": .integer(1), "latencyMs": .integer(0)],
            steps: [.command(.unlock), .event(.thumbTurn)], expected: ["JAMMED/REMOTE@0", "UNLOCKED/MANUAL@0"]),
        Case(
            testDescription: "door_open and door_close", steps: [.event(.doorOpen), .event(.doorOpen), .event(.doorClose)],
            expected: ["door OPEN@0", "door OPEN@0", "door CLOSED@0"]),
        Case(testDescription: "tamper", steps: [.event(.tamper)], expected: ["TAMPER@0"]),
        Case(
            testDescription: "low battery, and clear", steps: [.event(.lowBattery), .event(.clear)],
            expected: ["battery 5 low@0"] + condition),
        Case(
            testDescription: "low_battery at a lower level", address: ["batteryLevel": .integer(3)], steps: [.event(.lowBattery)],
            expected: ["battery 3 low@0"]),
    ]

    static let manualEvents = [
        Case(
            testDescription: "thumb_lock and thumb_unlock: reported only if the bolt moves",
            steps: [.event(.thumbLock), .event(.thumbUnlock), .event(.thumbUnlock), .event(.thumbLock)],
            expected: ["UNLOCKED/MANUAL@0", "LOCKED/MANUAL@0"]),
        Case(
            testDescription: "keypad: the motor moves, and the slot is reported", address: keypad,
            steps: [.event(.keypad), .wait(ms: 200), .event(.keypadLock), .wait(ms: 200), .code("Ben"), .wait(ms: 200)],
            expected: [
                "UNLOCKING CONFIRMED by Ada@0", "UNLOCKED CONFIRMED by Ada@200", "LOCKING/KEYPAD@200", "LOCKED/KEYPAD@400",
                "UNLOCKING CONFIRMED by Ben@400", "UNLOCKED CONFIRMED by Ben@600",
            ]),
        Case(
            testDescription: "keypad: a lock that cannot report the operator",
            address: ["keypadSlots": .string("Ada"), "capabilities": .array([.string("UNLOCK"), .string("FAILED_ATTEMPTS")])],
            steps: [.event(.keypad), .wait(ms: 200), .event(.wrongCode)],
            expected: ["UNLOCKED/KEYPAD@200", "ATTEMPT_FAILED@200"]),
        Case(
            testDescription: "keypad: five wrong codes block it for a minute, a right one resets the count", address: keypad,
            steps: Array(repeating: .event(.wrongCode), count: 4) + [.event(.keypad), .wait(ms: 200)]
                + Array(repeating: .event(.wrongCode), count: 6) + [.event(.keypadLock), .wait(ms: 60_000), .event(.keypadLock)],
            expected: Array(repeating: "ATTEMPT_FAILED@0", count: 4)
                + ["UNLOCKING CONFIRMED by Ada@0", "UNLOCKED CONFIRMED by Ada@200"]
                + Array(repeating: "ATTEMPT_FAILED@200", count: 5) + ["KEYPAD_LOCKOUT@200", "LOCKING/KEYPAD@60200"]),
        Case(testDescription: "keypad: an unknown slot", address: keypad, steps: [.code("Eve")], expected: ["!unknownSlot@0"]),
        Case(
            testDescription: "no keypad", steps: [.event(.keypad), .event(.keypadLock), .event(.wrongCode)],
            expected: ["!unsupported@0", "!unsupported@0", "!unsupported@0"]),
        Case(
            testDescription: "auto-relock: after every unlock",
            address: ["autoRelockSeconds": .integer(5), "latencyMs": .integer(100)],
            steps: [.command(.unlock), .wait(ms: 6000), .event(.thumbUnlock), .wait(ms: 6000)],
            expected: [
                "UNLOCKING/REMOTE@0", "UNLOCKED/REMOTE@100", "LOCKING/AUTO@5100", "LOCKED/AUTO@5200", "UNLOCKED/MANUAL@6000",
                "LOCKING/AUTO@11000", "LOCKED/AUTO@11100",
            ]),
        Case(
            testDescription: "auto-relock: waits for the door, and restarts when it closes",
            address: ["autoRelockSeconds": .integer(5), "latencyMs": .integer(0)],
            steps: [.command(.unlock), .event(.doorOpen), .wait(ms: 60_000), .event(.doorClose), .wait(ms: 5000)],
            expected: ["UNLOCKED/REMOTE@0", "door OPEN@0", "door CLOSED@60000", "LOCKED/AUTO@65000"]),
        Case(
            testDescription: "auto-relock: not after a LOCK, and not for a jammed bolt",
            address: ["autoRelockSeconds": .integer(5), "latencyMs": .integer(0)],
            steps: [.command(.unlock), .command(.lock), .wait(ms: 9000), .command(.unlock), .event(.jam), .wait(ms: 9000)],
            expected: ["UNLOCKED/REMOTE@0", "LOCKED/REMOTE@0", "UNLOCKED/REMOTE@9000", "JAMMED@9000"]),
        Case(
            testDescription: "auto-relock: after the latch has sprung back",
            address: ["autoRelockSeconds": .integer(1), "latencyMs": .integer(0)], steps: [.command(.unlatch), .wait(ms: 9000)],
            expected: ["UNLATCHED/REMOTE@0", "UNLOCKED/AUTO@3000", "LOCKED/AUTO@4000"]),
    ]

    static let keypad: [String: JSONValue] = ["keypadSlots": .string("Ada, Ben")]

    static let doorEvents = [
        Case(
            testDescription: "locking an open door: the bolt locks, and the door cannot close",
            address: ["initialState": .string("UNLOCKED"), "latencyMs": .integer(0)],
            steps: [.event(.doorOpen), .command(.lock), .event(.doorClose), .command(.unlock), .event(.doorClose)],
            expected: ["door OPEN@0", "LOCKED/REMOTE@0", "door OPEN@0", "UNLOCKED/REMOTE@0", "door CLOSED@0"]),
        Case(
            testDescription: "locking a door that is ajar: the bolt jams at the frame",
            address: ["initialState": .string("UNLOCKED"), "latencyMs": .integer(0)],
            steps: [.event(.doorAjar), .command(.lock), .event(.thumbLock), .event(.doorClose), .command(.lock)],
            expected: ["door OPEN@0", "JAMMED/REMOTE@0", "door CLOSED@0", "LOCKED/REMOTE@0"]),
        Case(testDescription: "door_force", steps: [.event(.doorForce)], expected: ["DOOR_FORCED@0", "door OPEN@0"]),
        Case(
            testDescription: "a dead battery: offline, manual turns work, and a new battery reports the state",
            address: ["keypadSlots": .string("Ada")],
            steps: [
                .command(.unlock), .event(.deadBattery), .wait(ms: 900), .command(.lock), .event(.thumbUnlock), .event(.online),
                .event(.keypad), .event(.replaceBattery),
            ],
            expected: [
                "UNLOCKING/REMOTE@0", "offline@0", "!offline@900", "!batteryDead@900", "!batteryDead@900", "online@900",
                "UNLOCKED@900", "door CLOSED@900", "battery 100@900",
            ]),
        Case(
            testDescription: "the battery drains by movements, warns, and is empty",
            address: [
                "batteryLevel": .integer(30), "batteryPerMovement": .integer(10), "latencyMs": .integer(0),
            ],
            steps: [.command(.unlock), .command(.lock), .command(.unlock), .command(.lock)],
            expected: [
                "UNLOCKED/REMOTE@0", "battery 20 low@0", "LOCKED/REMOTE@0", "battery 10 low@0", "UNLOCKED/REMOTE@0", "offline@0",
                "!offline@0",
            ]),
        Case(
            testDescription: "the battery drains by time, with a report per percent", address: ["batteryPerDay": .integer(2)],
            steps: [.wait(ms: 86_400_000)], expected: ["battery 99@43200000", "battery 98@86400000"]),
        Case(
            testDescription: "the warning ends five percent above its threshold", address: ["batteryLevel": .integer(22)],
            steps: [.event(.lowBattery), .event(.clear), .event(.replaceBattery)],
            expected: ["battery 5 low@0", "online@0", "LOCKED@0", "door CLOSED@0", "battery 22 low@0", "battery 100@0"]),
        Case(
            testDescription: "wrong_state: the opposite state is reported, until clear", address: ["latencyMs": .integer(0)],
            steps: [.event(.wrongState), .command(.unlock), .command(.lock), .event(.thumbTurn), .event(.clear)],
            expected: ["LOCKED/REMOTE@0", "UNLOCKED/REMOTE@0", "LOCKED/MANUAL@0", "online@0", "UNLOCKED@0"]
                + ["door CLOSED@0", "battery 100@0"]),
        Case(
            testDescription: "duplicate_reports: a repeat is recognised", address: ["disorderMs": .integer(0)],
            steps: [.event(.duplicateReports), .event(.thumbUnlock), .event(.tamper), .event(.doorOpen)],
            expected: ["UNLOCKED/MANUAL@0", "UNLOCKED RETAINED by nobody@0", "TAMPER@0", "door OPEN@0"]),
        Case(
            testDescription: "duplicate_reports without numbers: both are live",
            address: ["disorderMs": .integer(0), "reportsNumbered": .bool(false)],
            steps: [.event(.duplicateReports), .event(.thumbUnlock), .event(.tamper)],
            expected: ["UNLOCKED/MANUAL@0", "UNLOCKED/MANUAL@0", "TAMPER@0", "TAMPER@0"]),
        Case(
            testDescription: "offlineMemory: the newest missed events are reported",
            address: ["offlineMemory": .integer(3)],
            steps: [.event(.offline)] + Array(repeating: .event(.thumbTurn), count: 5) + [.event(.tamper), .event(.online)],
            expected: ["offline@0", "online@0", "LOCKED@0", "TAMPER@0", "UNLOCKED/MANUAL@0", "door CLOSED@0", "battery 100@0"]),
    ]

    static let limits = [
        Case(
            testDescription: "no door contact, no battery", address: ["capabilities": .array([.string("LOCK")])],
            steps: [.event(.doorOpen), .event(.doorClose), .event(.lowBattery)],
            expected: ["!unsupported@0", "!unsupported@0", "!unsupported@0"]),
        Case(
            testDescription: "a jam that cannot be reported", address: ["capabilities": .array([.string("LOCK")])],
            steps: [.event(.jam), .command(.lock), .wait(ms: 900)], expected: []),
    ]

    @Test("The names of the events are those of the API")
    func names() {
        let names = SimulatorEvent.allCases.map(\.rawValue)
        #expect(
            names == [
                "jam", "clear", "offline", "online", "low_battery", "dead_battery", "replace_battery", "thumb_turn", "thumb_lock",
                "thumb_unlock", "keypad", "keypad_lock", "wrong_code", "door_open", "door_close", "door_ajar", "door_force",
                "tamper", "lose_confirmations", "confirm_late", "refuse", "wrong_state", "duplicate_reports", "disorder_reports",
            ])
        #expect(SimulatorEvent(rawValue: "explode") == nil)
    }

    @Test(
        "`clear` ends every fault",
        arguments: [
            .jam, .offline, .loseConfirmations, .confirmLate, .refuse, .lowBattery, .deadBattery, .wrongState,
        ] as [SimulatorEvent])
    func clearEndsAll(fault: SimulatorEvent) throws {
        let reports = try SimulatorFixture.play(["latencyMs": .integer(0)], [.event(fault), .event(.clear), .command(.unlock)])
        #expect(reports.suffix(5) == Self.condition + ["UNLOCKED/REMOTE@0"])
    }
}
