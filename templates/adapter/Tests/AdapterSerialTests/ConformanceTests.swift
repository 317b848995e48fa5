import DoorwardAdapterTesting
import Testing

@Suite struct ConformanceTests {
    @Test("the adapter passes every conformance check that applies to it")
    func conformance() {
        let report = AdapterConformance.report { clock, executor in SerialHarness(clock: clock, executor: executor) }
        print(report)
        #expect(report.failed.isEmpty, "\(report)")
        // The checks are listed by name, so that a check that no longer applies is noticed.
        #expect(report.notApplicable.map(\.requirement) == Self.notApplicable)
    }

    /// The controller has one connection for all tenants, retains no reports, and discovers no locks.
    private static let notApplicable = [
        "A transport outside the caller's scope gives the same result as one that does not exist",
        "A portfolio's transport is accepted within its owner's scope, and only for locks in that portfolio",
        "A change of the settings is confirmed with the new settings, and moves nothing",
        "A change of the settings of an unavailable lock is rejected, and not made later",
        "When the transport has reconnected, a retained report is not reported as live",
        "A report retained by the transport is not reported as live",
        "A discovered lock is listed once, and can be attached with the listed address",
        "A discovered lock is not listed while it is attached, and is listed again when detached",
        "A lock removed from its own system is no longer listed, and is listed again when it is back",
        "Discovered locks have different ids and a stable order, and were first seen no later than last seen",
        "Discovery moves no lock, and nothing is reported for locks that are not attached",
    ]
}
