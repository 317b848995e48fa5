import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

@testable import AdapterSimulator

/// Tests of which reports are passed on as live.
@Suite struct ReplayFilterTests {
    private static func state(_ state: LockState, _ method: EventMethod? = .remote, _ quality: StateQuality = .confirmed)
        -> LockReport.Fact
    {
        .state(state, quality: quality, method: method, operatorName: nil)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The frames that arrive, with their number and the number of commands that the lock had received.
        let frames: [(number: UInt64, orders: UInt64, fact: LockReport.Fact)]
        var sent: UInt64 = 0
        /// The fact that is passed on for each frame; `nil` if the frame is dropped.
        let heard: [LockReport.Fact?]
    }

    static let rows = [
        Row(
            testDescription: "in order", frames: [(1, 0, state(.unlocked)), (2, 0, state(.locked))],
            heard: [state(.unlocked), state(.locked)]),
        Row(
            testDescription: "a repeated state", frames: [(1, 0, state(.locked)), (1, 0, state(.locked))],
            heard: [state(.locked), state(.locked, .remote, .retained)]),
        Row(
            testDescription: "a state overtaken by a newer one", frames: [(2, 0, state(.locked)), (1, 0, state(.unlocked))],
            heard: [state(.locked), state(.unlocked, .remote, .retained)]),
        Row(
            testDescription: "a manual movement overtaken by a newer state is an event, not a state",
            frames: [(2, 0, state(.locked)), (1, 0, state(.unlocked, .manual))],
            heard: [state(.locked), .event(.unlocked, method: .manual, operatorName: nil)]),
        Row(
            testDescription: "a state reported before the last command", frames: [(1, 0, state(.locked))], sent: 1,
            heard: [state(.locked, .remote, .retained)]),
        Row(testDescription: "a refusal of an earlier command", frames: [(1, 1, .refusal(.other))], sent: 2, heard: [nil]),
        Row(
            testDescription: "a refusal of this command, once", frames: [(1, 2, .refusal(.other)), (1, 2, .refusal(.other))],
            sent: 2,
            heard: [.refusal(.other), nil]),
        Row(
            testDescription: "a late alarm is reported, a repeated one is not",
            frames: [
                (3, 0, state(.locked)), (1, 0, .event(.tamper, method: nil, operatorName: nil)),
                (1, 0, .event(.tamper, method: nil, operatorName: nil)),
            ],
            heard: [state(.locked), .event(.tamper, method: nil, operatorName: nil), nil]),
        Row(
            testDescription: "an overtaken door state is an event, not a state",
            frames: [(2, 0, .door(.closed)), (1, 0, .door(.open)), (1, 0, .door(.open))],
            heard: [.door(.closed), .event(.doorOpened, method: nil, operatorName: nil), nil]),
        Row(
            testDescription: "an outdated battery level is dropped",
            frames: [(2, 0, .battery(level: 80, low: false)), (1, 0, .battery(level: 81, low: false))],
            heard: [.battery(level: 80, low: false), nil]),
        Row(
            testDescription: "availability comes from the transport and always counts",
            frames: [(2, 0, .availability(false)), (2, 0, .availability(false))],
            heard: [.availability(false), .availability(false)]),
        Row(
            testDescription: "each kind of report has its own order", frames: [(5, 0, .door(.open)), (4, 0, state(.locked))],
            heard: [.door(.open), state(.locked)]),
        Row(
            testDescription: "a report that is too old for the replay window is dropped",
            frames: [(100, 0, .door(.open)), (36, 0, .event(.tamper, method: nil, operatorName: nil))],
            heard: [.door(.open), nil]),
    ]

    @Test("A report is live only once, only in its order, and only after the last command", arguments: rows)
    func hear(row: Row) {
        var sieve = ReplayFilter(readsNumbers: true)
        let heard = row.frames.map {
            sieve.hear(Frame(number: $0.number, ordersTaken: $0.orders, fact: $0.fact), ordersSent: row.sent)
        }
        #expect(heard == row.heard)
    }

    @Test("Without numbers every report is live")
    func unnumbered() {
        var sieve = ReplayFilter(readsNumbers: false)
        let frame = Frame(number: 1, ordersTaken: 0, fact: Self.state(.locked))
        #expect(sieve.hear(frame, ordersSent: 3) == frame.fact)
        #expect(sieve.hear(frame, ordersSent: 3) == frame.fact)
    }

    @Test("Each number passes once, in any order, as long as the numbers are close together", arguments: 0..<20 as Range<UInt64>)
    func window(seed: UInt64) {
        var (window, random) = (ReplayWindow(), SeededGenerator(seed: seed))
        var passed: Set<UInt64> = []
        for step in 1...500 as ClosedRange<UInt64> {
            let number = max(1, step + 30 - UInt64.random(in: 0...30, using: &random))
            #expect(window.admit(number) == passed.insert(number).inserted)
        }
    }
}
