import DoorwardTesting
import Testing

@Suite struct ConformanceReportTests {
    @Test("An adapter without a fault passes all checks")
    func faultless() {
        let report = AdapterConformance.report { clock, executor in FaultyHarness(nil, clock: clock, executor: executor) }
        let count = AdapterConformance.checks.count
        #expect(report.passed == AdapterConformance.checks.map(\.description))
        #expect(report.description == "\(count) promises: \(count) kept, 0 not applicable, 0 failed")
    }

    @Test("A fault is reported with its check and the problem found, and the other checks still run")
    func faulty() throws {
        let report = AdapterConformance.report { clock, executor in
            FaultyHarness(.kindWithCapital, clock: clock, executor: executor)
        }
        let failure = try #require(report.failed.first)
        #expect(report.failed.count == 1)
        #expect(failure.requirement == AdapterFault.kindWithCapital.rawValue)
        #expect(failure.problem == "the kind is 'Faulty'")
        #expect(report.passed.count == AdapterConformance.checks.count - 1)
        #expect(report.description.hasSuffix("failed: \(failure.requirement): \(failure.problem)"))
    }

    @Test("Checks of features that the locks lack are not applicable, with a reason, and count neither as passed nor as failed")
    func notApplicable() {
        let report = AdapterConformance.report { clock, executor in ScriptedHarness(clock: clock, executor: executor) }
        let expected = Self.aboutWhatScriptedLocksLack
        #expect(report.notApplicable.map(\.requirement) == expected)
        #expect(report.notApplicable.allSatisfy { !$0.reason.isEmpty })
        #expect(report.failed.isEmpty, "\(report)")
        #expect(report.passed.count + expected.count == report.entries.count)
        #expect(report.summary.hasSuffix("\(report.passed.count) kept, \(expected.count) not applicable, 0 failed"))
    }

    /// The scripted locks have no address fields, no transport and no discovery.
    private static let aboutWhatScriptedLocksLack = [
        "An unknown key in an address is rejected, not ignored",
        "All errors of an address are reported at once, sorted, each with its field",
        "`check` accepts the listed default values",
        "An address without a required key gets exactly one error: `required` for that key",
        "A key that is not required may be absent",
        "Values at both ends of a range are accepted, values outside it are rejected",
        "Only the listed values are accepted",
        "Attaching a lock again replaces its address",
        "A lock with an invalid address can be attached, and rejects commands",
        "A command that the lock does not support is not sent",
        "A change of the settings is confirmed with the new settings, and moves nothing",
        "A change of the settings of an unavailable lock is rejected, and not made later",
        "A command sent while the transport is disconnected is rejected, and never sent later",
        "A lock executes commands again when its transport has reconnected",
        "Health is not `ok` while the transport is disconnected, and `ok` when it has reconnected",
        "While its transport is disconnected, a lock is not available and reports no live state",
        "A command that was in flight when the transport disconnected is not sent again",
        "When the transport has reconnected, a retained report is not reported as live",
        "An adapter stopped while its transport is disconnected sends nothing when it reconnects",
        "Locks can be attached and detached while the transport is disconnected",
        "An adapter starts without its transport; its locks execute commands once it is connected",
        "A state request returns the lock's state if that is supported, and moves no lock",
        "Malformed input is dropped, and the lock still executes commands",
        "A discovered lock is listed once, and can be attached with the listed address",
        "A discovered lock is not listed while it is attached, and is listed again when detached",
        "A lock removed from its own system is no longer listed, and is listed again when it is back",
        "Discovered locks have different ids and a stable order, and were first seen no later than last seen",
        "Discovery moves no lock, and nothing is reported for locks that are not attached",
    ]

    @Test("If the harness cannot be created, every check fails")
    func noHarness() {
        struct NoHarness: Error {}
        let report = AdapterConformance.report { _, _ in throw NoHarness() }
        #expect(report.failed.count == AdapterConformance.checks.count)
    }

    @Test("An adapter's own checks are counted in the same way, and a thrown error is a failure")
    func ownChecks() async {
        struct Thrown: Error {}
        let outcomes: [ConformanceOutcome?] = [.passed, .notApplicable("no battery"), nil]
        var number = 0
        let report = await AdapterConformance.report(checking: { _ in
            defer { number += 1 }
            guard let outcome = outcomes[number % 3] else { throw Thrown() }
            return outcome
        })
        #expect(report.passed.count == (AdapterConformance.checks.count + 2) / 3)
        #expect(report.notApplicable.first?.reason == "no battery")
        #expect(report.failed.first?.problem == "Thrown()")
    }
}
