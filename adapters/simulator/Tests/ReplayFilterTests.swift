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

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The reports that arrive, with their number and the number of commands that the lock had received.
        let reports: [(number: UInt64, commands: UInt64, fact: LockReport.Fact)]
        var sent: UInt64 = 0
        /// The fact that is passed on for each report; `nil` if the report is dropped.
        let expected: [LockReport.Fact?]
    }

    static let cases = [
        Case(
            testDescription: "in order", reports: [(1, 0, state(.unlocked)), (2, 0, state(.locked))],
            expected: [state(.unlocked), state(.locked)]),
        Case(
            testDescription: "a repeated state", reports: [(1, 0, state(.locked)), (1, 0, state(.locked))],
            expected: [state(.locked), state(.locked, .remote, .retained)]),
        Case(
            testDescription: "a state overtaken by a newer one", reports: [(2, 0, state(.locked)), (1, 0, state(.unlocked))],
            expected: [state(.locked), state(.unlocked, .remote, .retained)]),
        Case(
            testDescription: "a manual movement overtaken by a newer state is an event, not a state",
            reports: [(2, 0, state(.locked)), (1, 0, state(.unlocked, .manual))],
            expected: [state(.locked), .event(.unlocked, method: .manual, operatorName: nil)]),
        Case(
            testDescription: "a state reported before the last command", reports: [(1, 0, state(.locked))], sent: 1,
            expected: [state(.locked, .remote, .retained)]),
        Case(testDescription: "a refusal of an earlier command", reports: [(1, 1, .refusal(.other))], sent: 2, expected: [nil]),
        Case(
            testDescription: "a refusal of this command, once", reports: [(1, 2, .refusal(.other)), (1, 2, .refusal(.other))],
            sent: 2,
            expected: [.refusal(.other), nil]),
        Case(
            testDescription: "a late alarm is reported, a repeated one is not",
            reports: [
                (3, 0, state(.locked)), (1, 0, .event(.tamper, method: nil, operatorName: nil)),
                (1, 0, .event(.tamper, method: nil, operatorName: nil)),
            ],
            expected: [state(.locked), .event(.tamper, method: nil, operatorName: nil), nil]),
        Case(
            testDescription: "an overtaken door state is an event, not a state",
            reports: [(2, 0, .door(.closed)), (1, 0, .door(.open)), (1, 0, .door(.open))],
            expected: [.door(.closed), .event(.doorOpened, method: nil, operatorName: nil), nil]),
        Case(
            testDescription: "an outdated battery level is dropped",
            reports: [(2, 0, .battery(level: 80, low: false)), (1, 0, .battery(level: 81, low: false))],
            expected: [.battery(level: 80, low: false), nil]),
        Case(
            testDescription: "availability comes from the transport and always counts",
            reports: [(2, 0, .availability(false)), (2, 0, .availability(false))],
            expected: [.availability(false), .availability(false)]),
        Case(
            testDescription: "each kind of report has its own order", reports: [(5, 0, .door(.open)), (4, 0, state(.locked))],
            expected: [.door(.open), state(.locked)]),
        Case(
            testDescription: "a report that is too old for the replay window is dropped",
            reports: [(100, 0, .door(.open)), (36, 0, .event(.tamper, method: nil, operatorName: nil))],
            expected: [.door(.open), nil]),
    ]

    @Test("A report is live only once, only in its order, and only after the last command", arguments: cases)
    func receive(example: Case) {
        var replayFilter = ReplayFilter(usesSequenceNumbers: true)
        let passedOn = example.reports.map {
            replayFilter.receive(
                SequencedReport(number: $0.number, commandsAccepted: $0.commands, fact: $0.fact), commandsSent: example.sent)
        }
        #expect(passedOn == example.expected)
    }

    @Test("Without numbers every report is live")
    func unnumbered() {
        var replayFilter = ReplayFilter(usesSequenceNumbers: false)
        let report = SequencedReport(number: 1, commandsAccepted: 0, fact: Self.state(.locked))
        #expect(replayFilter.receive(report, commandsSent: 3) == report.fact)
        #expect(replayFilter.receive(report, commandsSent: 3) == report.fact)
    }

    @Test("Each number passes once, in any order, as long as the numbers are close together", arguments: 0..<20 as Range<UInt64>)
    func window(seed: UInt64) {
        var (window, random) = (ReplayWindow(), SeededGenerator(seed: seed))
        var passed: Set<UInt64> = []
        for step in 1...500 as ClosedRange<UInt64> {
            let number = max(1, step + 30 - UInt64.random(in: 0...30, using: &random))
            #expect(window.accept(number) == passed.insert(number).inserted)
        }
    }
}
