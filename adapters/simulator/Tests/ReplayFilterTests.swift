import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

@testable import AdapterSimulator

/// Which reports count as live words of the lock.
@Suite struct ReplayFilterTests {
    private static func state(_ state: LockState, _ method: EventMethod? = .remote, _ quality: StateQuality = .confirmed)
        -> LockReport.Fact
    {
        .state(state, quality: quality, method: method, operatorName: nil)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What arrives, with its number and the orders that the lock had taken by then.
        let frames: [(number: UInt64, orders: UInt64, fact: LockReport.Fact)]
        var sent: UInt64 = 0
        /// What the gateway hears, `nil` where nothing.
        let heard: [LockReport.Fact?]
    }

    static let rows = [
        Row(
            testDescription: "in order", frames: [(1, 0, state(.unlocked)), (2, 0, state(.locked))],
            heard: [state(.unlocked), state(.locked)]),
        Row(
            testDescription: "a repeat of a state", frames: [(1, 0, state(.locked)), (1, 0, state(.locked))],
            heard: [state(.locked), state(.locked, .remote, .retained)]),
        Row(
            testDescription: "overtaken by a newer one", frames: [(2, 0, state(.locked)), (1, 0, state(.unlocked))],
            heard: [state(.locked), state(.unlocked, .remote, .retained)]),
        Row(
            testDescription: "by hand, overtaken: it happened, and is not so any more",
            frames: [(2, 0, state(.locked)), (1, 0, state(.unlocked, .manual))],
            heard: [state(.locked), .event(.unlocked, method: .manual, operatorName: nil)]),
        Row(
            testDescription: "said before the last order", frames: [(1, 0, state(.locked))], sent: 1,
            heard: [state(.locked, .remote, .retained)]),
        Row(testDescription: "a refusal of an earlier order", frames: [(1, 1, .refusal(.other))], sent: 2, heard: [nil]),
        Row(
            testDescription: "a refusal of this order, once", frames: [(1, 2, .refusal(.other)), (1, 2, .refusal(.other))],
            sent: 2,
            heard: [.refusal(.other), nil]),
        Row(
            testDescription: "an alarm is never too late, and never twice",
            frames: [
                (3, 0, state(.locked)), (1, 0, .event(.tamper, method: nil, operatorName: nil)),
                (1, 0, .event(.tamper, method: nil, operatorName: nil)),
            ],
            heard: [state(.locked), .event(.tamper, method: nil, operatorName: nil), nil]),
        Row(
            testDescription: "a door overtaken: it was opened, and is not open",
            frames: [(2, 0, .door(.closed)), (1, 0, .door(.open)), (1, 0, .door(.open))],
            heard: [.door(.closed), .event(.doorOpened, method: nil, operatorName: nil), nil]),
        Row(
            testDescription: "an old battery level",
            frames: [(2, 0, .battery(level: 80, low: false)), (1, 0, .battery(level: 81, low: false))],
            heard: [.battery(level: 80, low: false), nil]),
        Row(
            testDescription: "reach is the transport's own word",
            frames: [(2, 0, .availability(false)), (2, 0, .availability(false))],
            heard: [.availability(false), .availability(false)]),
        Row(
            testDescription: "kinds do not overtake each other", frames: [(5, 0, .door(.open)), (4, 0, state(.locked))],
            heard: [.door(.open), state(.locked)]),
        Row(
            testDescription: "far too old to tell",
            frames: [(100, 0, .door(.open)), (36, 0, .event(.tamper, method: nil, operatorName: nil))],
            heard: [.door(.open), nil]),
    ]

    @Test("A report is live once, in its order, and after the last order", arguments: rows)
    func hear(row: Row) {
        var sieve = ReplayFilter(readsNumbers: true)
        let heard = row.frames.map {
            sieve.hear(Frame(number: $0.number, ordersTaken: $0.orders, fact: $0.fact), ordersSent: row.sent)
        }
        #expect(heard == row.heard)
    }

    @Test("Without numbers everything is live")
    func unnumbered() {
        var sieve = ReplayFilter(readsNumbers: false)
        let frame = Frame(number: 1, ordersTaken: 0, fact: Self.state(.locked))
        #expect(sieve.hear(frame, ordersSent: 3) == frame.fact)
        #expect(sieve.hear(frame, ordersSent: 3) == frame.fact)
    }

    @Test("Each number passes once, whatever their order, as long as they are close together", arguments: 0..<20 as Range<UInt64>)
    func window(seed: UInt64) {
        var (window, random) = (ReplayWindow(), SeededGenerator(seed: seed))
        var passed: Set<UInt64> = []
        for step in 1...500 as ClosedRange<UInt64> {
            let number = max(1, step + 30 - UInt64.random(in: 0...30, using: &random))
            #expect(window.admit(number) == passed.insert(number).inserted)
        }
    }
}
