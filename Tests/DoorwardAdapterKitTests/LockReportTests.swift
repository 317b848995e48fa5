import DoorwardAdapterKit
import DoorwardDomain
import Testing

@Suite struct LockReportTests {
    private let device = DeviceID(high: 1, low: 1)

    /// Pairs of messages that must not be taken for each other.
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

    @Test("what a lock says is told apart by every part of it", arguments: different)
    func facts(one: LockReport.Fact, other: LockReport.Fact) {
        #expect(one != other)
        #expect(LockReport(deviceID: device, one, after: nil) != LockReport(deviceID: device, other, after: nil))
        #expect(LockReport(deviceID: device, one, after: nil) == LockReport(deviceID: device, one, after: nil))
        #expect(LockReport(deviceID: device, one, after: nil) != LockReport(deviceID: DeviceID(high: 1, low: 2), one, after: nil))
        let command = CommandID(high: 0, low: 1)
        #expect(LockReport(deviceID: device, one, after: nil) != LockReport(deviceID: device, one, after: command))
    }

    @Test("two orders are the same only if they are of one command")
    func orders() {
        let order = { (command: UInt64, operation: LockOperation, deadline: Int64) in
            LockOrder(
                commandID: CommandID(high: 0, low: command), deviceID: device, operation: operation,
                deadline: Timestamp(milliseconds: deadline))
        }
        let orders = [order(1, .lock, 0), order(2, .lock, 0), order(1, .unlock, 0), order(1, .lock, 1)]
        #expect(Set(orders).count == 4)
    }
}
