import DoorwardAdapterKit
import DoorwardDomain
import Testing

@Suite struct LockReportTests {
    private let device = DeviceID(high: 1, low: 1)

    /// Pairs of reports that must not be equal.
    static let different: [(LockReport.Fact, LockReport.Fact)] = [
        (
            .state(.locked, quality: .confirmed, method: nil, operatorName: nil),
            .state(.locked, quality: .retained, method: nil, operatorName: nil)
        ),
        (
            .state(.locked, quality: .confirmed, method: .remote, operatorName: nil),
            .state(.locked, quality: .confirmed, method: .manual, operatorName: nil)
        ),
        (
            .state(.locked, quality: .confirmed, method: .keypad, operatorName: nil),
            .state(.locked, quality: .confirmed, method: .keypad, operatorName: "Grandma")
        ),
        (.battery(level: 0, low: nil), .battery(level: nil, low: nil)),
        (.battery(level: 20, low: false), .battery(level: 20, low: nil)),
        (.availability(nil), .availability(false)),
        (.refusal(.busy), .refusal(.other)),
        (.faults([]), .faults(["tamper"])),
        (.door(.unknown), .door(.closed)),
        (.event(.tamper, method: nil, operatorName: nil), .event(.attemptFailed, method: nil, operatorName: nil)),
    ]

    @Test("what a lock says about itself is one short printable line for each part, whatever the adapter passes")
    func product() {
        func reported(_ text: String) -> LockReport.Fact {
            LockReport(deviceID: device, .product(LockProduct(model: text)), after: nil).fact
        }
        #expect(reported(" Nova\u{1B}[2J\r\n  7\u{202E} ") == .product(LockProduct(model: "Nova [2J 7")))
        #expect(reported("\0\n") == .product(LockProduct()))
        guard case .product(let long) = reported(String(repeating: "M", count: 10_000)) else {
            Issue.record("no product"); return
        }
        #expect(long.model?.count == 120)
        guard case .product(let marked) = reported("M" + String(repeating: "\u{301}", count: 9000)) else {
            Issue.record("no product"); return
        }
        #expect((marked.model?.utf8.count ?? 0) < 2000 && marked.model?.isStreamSafe == true)
    }

    @Test("reports are equal only if all their values are equal", arguments: different)
    func facts(one: LockReport.Fact, other: LockReport.Fact) {
        #expect(one != other)
        #expect(LockReport(deviceID: device, one, after: nil) != LockReport(deviceID: device, other, after: nil))
        #expect(LockReport(deviceID: device, one, after: nil) == LockReport(deviceID: device, one, after: nil))
        #expect(LockReport(deviceID: device, one, after: nil) != LockReport(deviceID: DeviceID(high: 1, low: 2), one, after: nil))
        let command = CommandID(high: 0, low: 1)
        #expect(LockReport(deviceID: device, one, after: nil) != LockReport(deviceID: device, one, after: command))
    }

    /// A sequence of combining marks that takes quadratic time to compare.
    private static let marks = String(repeating: "\u{345}\u{301}", count: 16_000)

    @Test("an operator's name is truncated to the maximum length and made stream-safe")
    func operatorNames() {
        func bounded(_ name: String) -> (String?, String?) {
            let state = LockReport(
                deviceID: device, .state(.locked, quality: .confirmed, method: .keypad, operatorName: name), after: nil)
            let event = LockReport(deviceID: device, .event(.tamper, method: nil, operatorName: name), after: nil)
            guard case .state(_, _, .keypad, let ofState) = state.fact, case .event(.tamper, nil, let ofEvent) = event.fact else {
                return (nil, nil)
            }
            return (ofState, ofEvent)
        }
        #expect(bounded("Grandma") == ("Grandma", "Grandma"))
        for name in [Self.marks, String(repeating: "é", count: 5_000)] {
            let (ofState, ofEvent) = bounded(name)
            #expect(ofState?.isStreamSafe == true && ofEvent?.isStreamSafe == true)
            // The size includes the joiners that separate sequences of marks.
            #expect((1...LockReport.maxOperatorNameBytes * 16 / 15).contains(ofState?.utf8.count ?? 0))
            #expect(ofEvent == ofState)
        }
    }

    @Test("faults are kept up to the maximum number, and invalid ones are dropped")
    func faultCodes() {
        func bounded(_ codes: Set<String>) -> Set<String> {
            guard case .faults(let bounded) = LockReport(deviceID: device, .faults(codes), after: nil).fact else {
                return ["none"]
            }
            return bounded
        }
        #expect(bounded(["tamper", "gone"]) == ["tamper", "gone"])
        #expect(
            bounded(["tamper", String(repeating: "x", count: 65), String(Self.marks.unicodeScalars.prefix(31))]) == ["tamper"])
        #expect(bounded(Set((0..<1_000).map { "f\($0)" })).count == LockReport.maxFaults)
    }

    @Test("two commands are equal only if all their values are equal")
    func commands() {
        let command = { (command: UInt64, operation: LockOperation, deadline: Int64) in
            LockCommand(
                commandID: CommandID(high: 0, low: command), deviceID: device, operation: operation,
                deadline: Timestamp(milliseconds: deadline))
        }
        let commands = [command(1, .lock, 0), command(2, .lock, 0), command(1, .unlock, 0), command(1, .lock, 1)]
        #expect(Set(commands).count == 4)
    }
}
