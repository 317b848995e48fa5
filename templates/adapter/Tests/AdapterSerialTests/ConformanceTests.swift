import DoorwardAdapterTesting
import Testing

@Suite struct ConformanceTests {
    @Test("The adapter keeps every promise that applies to it")
    func conformance() {
        let report = AdapterConformance.report { clock, executor in SerialHarness(clock: clock, executor: executor) }
        print(report)
        #expect(report.failed.isEmpty, "\(report)")
        // By name: a promise that no longer applies is a change to look at.
        #expect(report.notApplicable.map(\.promise) == Self.notApplicable)
    }

    /// The controller has one line for all tenants, keeps no reports, and finds no locks.
    private static let notApplicable = [
        "A way that is not the asker's is answered as one that does not exist, whatever else is wrong",
        "A way is open to its owner's scope, and to the scope of a place in its owner's portfolio alone",
        "What the transport kept is not passed off as live when it is back",
        "A word that the transport kept is not passed off as live",
        "A lock that makes itself known is listed once, and can be attached as it is listed",
        "A lock is not listed while it is attached, and is again when it is detached",
        "A lock that its own system has taken away is no longer listed, and is again when it is back",
        "What is listed has ids of its own in an order that stays, and was seen first before it was seen last",
        "Looking for locks moves none, and what was found and not attached is not heard",
    ]
}
