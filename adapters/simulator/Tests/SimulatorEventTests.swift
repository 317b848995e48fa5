import AdapterSimulator
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

@Suite struct SimulatorEventTests {
    typealias Case = SimulatorOrderTests.Case

    private static let condition = ["online@0", "LOCKED@0", "door CLOSED@0", "battery 100@0"]

    @Test("An event does what its name says", arguments: faults + happenings + limits)
    func events(_ example: Case) throws {
        #expect(try Bench.play(example.address, example.steps) == example.heard)
    }

    static let faults = [
        Case(
            testDescription: "jam: now and at every order, until clear",
            address: ["latencyMs": .integer(0)],
            steps: [.event(.jam), .order(.unlock), .order(.lock), .event(.thumbTurn), .event(.clear), .order(.unlock)],
            heard: ["JAMMED@0", "JAMMED/REMOTE@0", "JAMMED/REMOTE@0"] + condition + ["UNLOCKED/REMOTE@0"]),
        Case(
            testDescription: "jam: while the bolt travels",
            steps: [.order(.unlock), .wait(ms: 100), .event(.jam), .wait(ms: 900)],
            heard: ["UNLOCKING/REMOTE@0", "JAMMED@100"]),
        Case(
            testDescription: "offline: orders throw, movements are not heard; online: the condition",
            steps: [
                .order(.unlock), .event(.offline), .wait(ms: 300), .order(.lock), .refresh, .event(.doorOpen), .event(.tamper),
                .event(.online),
            ],
            heard: [
                "UNLOCKING/REMOTE@0", "offline@0", "!offline@300", "!offline@300", "online@300", "UNLOCKED@300", "door OPEN@300",
                "battery 100@300",
            ]),
        Case(
            testDescription: "lose_confirmations: the bolt moves, nothing is said, clear tells",
            steps: [.event(.loseConfirmations), .order(.unlock), .wait(ms: 900), .event(.clear)],
            heard: ["online@900", "UNLOCKED@900", "door CLOSED@900", "battery 100@900"]),
        Case(
            testDescription: "clear while a movement under way would have been lost",
            steps: [.event(.loseConfirmations), .order(.unlock), .event(.clear), .wait(ms: 200)],
            heard: ["online@0", "UNLOCKING@0", "door CLOSED@0", "battery 100@0", "UNLOCKED/REMOTE@200"]),
        Case(
            testDescription: "confirm_late: lateConfirmationMs after the arrival",
            address: ["latencyMs": .integer(100), "lateConfirmationMs": .integer(700)],
            steps: [.event(.confirmLate), .order(.unlock), .wait(ms: 2000)], heard: ["UNLOCKED/REMOTE@800"]),
        Case(
            testDescription: "confirm_late: the bolt is there before the word", address: ["latencyMs": .integer(0)],
            steps: [.event(.confirmLate), .order(.unlock), .event(.clear), .wait(ms: 9000)],
            heard: ["online@0", "UNLOCKED@0", "door CLOSED@0", "battery 100@0"]),
        Case(
            testDescription: "confirm_late by nothing is prompt",
            address: ["latencyMs": .integer(0), "lateConfirmationMs": .integer(0)],
            steps: [.event(.confirmLate), .order(.unlock)], heard: ["UNLOCKED/REMOTE@0"]),
        Case(
            testDescription: "refuse: every order, the bolt stays",
            steps: [.event(.refuse), .order(.unlock), .wait(ms: 200), .event(.clear)],
            heard: ["refused other@200", "online@200", "LOCKED@200", "door CLOSED@200", "battery 100@200"]),
        Case(
            testDescription: "refuse: while the latch is held", address: ["latencyMs": .integer(0)],
            steps: [.order(.unlatch), .event(.refuse), .order(.lock), .wait(ms: 9000)],
            heard: ["UNLATCHED/REMOTE@0", "refused other@0", "UNLOCKED/AUTO@0"]),
    ]

    static let happenings = [
        Case(
            testDescription: "thumb_turn: there and back", steps: [.event(.thumbTurn), .event(.thumbTurn)],
            heard: ["UNLOCKED/MANUAL@0", "LOCKED/MANUAL@0"]),
        Case(
            testDescription: "thumb_turn: overtakes an order", steps: [.order(.lock), .event(.thumbTurn), .wait(ms: 900)],
            heard: ["LOCKING/REMOTE@0", "UNLOCKED/MANUAL@0"]),
        Case(
            testDescription: "thumb_turn: frees a bolt that jammed once",
            address: ["jamRate": .integer(1), "latencyMs": .integer(0)],
            steps: [.order(.unlock), .event(.thumbTurn)], heard: ["JAMMED/REMOTE@0", "UNLOCKED/MANUAL@0"]),
        Case(
            testDescription: "doors", steps: [.event(.doorOpen), .event(.doorOpen), .event(.doorClose)],
            heard: ["door OPEN@0", "door OPEN@0", "door CLOSED@0"]),
        Case(testDescription: "tamper", steps: [.event(.tamper)], heard: ["TAMPER@0"]),
        Case(
            testDescription: "low battery, and clear", steps: [.event(.lowBattery), .event(.clear)],
            heard: ["battery 5 low@0"] + condition),
        Case(
            testDescription: "low battery of a lower one", address: ["batteryLevel": .integer(3)], steps: [.event(.lowBattery)],
            heard: ["battery 3 low@0"]),
    ]

    static let limits = [
        Case(
            testDescription: "no door contact, no battery", address: ["capabilities": .array([.string("LOCK")])],
            steps: [.event(.doorOpen), .event(.doorClose), .event(.lowBattery)],
            heard: ["!unsupported@0", "!unsupported@0", "!unsupported@0"]),
        Case(
            testDescription: "a jam that cannot be reported", address: ["capabilities": .array([.string("LOCK")])],
            steps: [.event(.jam), .order(.lock), .wait(ms: 900)], heard: []),
    ]

    @Test("The names of the events are those of the wire")
    func names() {
        let names = SimulatorEvent.allCases.map(\.rawValue)
        #expect(
            names == [
                "jam", "clear", "offline", "online", "low_battery", "thumb_turn", "door_open", "door_close", "tamper",
                "lose_confirmations", "confirm_late", "refuse",
            ])
        #expect(SimulatorEvent(rawValue: "explode") == nil)
    }

    @Test(
        "clear ends every fault",
        arguments: [.jam, .offline, .loseConfirmations, .confirmLate, .refuse, .lowBattery] as [SimulatorEvent])
    func clearEndsAll(fault: SimulatorEvent) throws {
        let heard = try Bench.play(["latencyMs": .integer(0)], [.event(fault), .event(.clear), .order(.unlock)])
        #expect(heard.suffix(5) == Self.condition + ["UNLOCKED/REMOTE@0"])
    }
}
