import DoorwardTesting
import Testing

@Suite struct ConformanceReportTests {
    @Test("An adapter without a fault passes all checks")
    func faultless() {
        let report = AdapterConformance.report { clock, executor in FaultyHarness(nil, clock: clock, executor: executor) }
        let count = AdapterConformance.promises.count
        #expect(report.kept == AdapterConformance.promises.map(\.description))
        #expect(report.description == "\(count) promises: \(count) kept, 0 not applicable, 0 failed")
    }

    @Test("A fault is reported with its check and the problem found, and the other checks still run")
    func faulty() throws {
        let report = AdapterConformance.report { clock, executor in
            FaultyHarness(.kindWithCapital, clock: clock, executor: executor)
        }
        let failure = try #require(report.failed.first)
        #expect(report.failed.count == 1)
        #expect(failure.promise == AdapterFault.kindWithCapital.rawValue)
        #expect(failure.problem == "the kind is 'Faulty'")
        #expect(report.kept.count == AdapterConformance.promises.count - 1)
        #expect(report.description.hasSuffix("failed: \(failure.promise): \(failure.problem)"))
    }

    @Test("Checks of features that the locks lack are not applicable, with a reason, and count neither as passed nor as failed")
    func notApplicable() {
        let report = AdapterConformance.report { clock, executor in ScriptedHarness(clock: clock, executor: executor) }
        let expected = Self.aboutWhatScriptedLocksLack
        #expect(report.notApplicable.map(\.promise) == expected)
        #expect(report.notApplicable.allSatisfy { !$0.reason.isEmpty })
        #expect(report.failed.isEmpty, "\(report)")
        #expect(report.kept.count + expected.count == report.entries.count)
        #expect(report.summary.hasSuffix("\(report.kept.count) kept, \(expected.count) not applicable, 0 failed"))
    }

    /// The scripted locks have no address fields, no transport and no discovery.
    private static let aboutWhatScriptedLocksLack = [
        "A key that an address does not have is a mistake, not overlooked",
        "All mistakes of an address are told at once, sorted, each with its field",
        "What is listed as a default is a value that check takes",
        "An address without a required key is refused for just that",
        "A key that is not required may be absent",
        "A range is taken up to its ends and not beyond",
        "The listed words are taken, and no others",
        "Attaching a lock again replaces its address",
        "A lock whose address check refuses can be attached, and takes no order",
        "What a lock cannot do is not sent",
        "While the transport is away no order is taken, and none arrives when it is back",
        "A lock obeys again when its transport is back",
        "An adapter whose transport is away is not well, and is well again when it is back",
        "Of a lock whose transport is away nobody says that it is in reach, or where it is",
        "An order that was under way when the transport went is not sent again",
        "What the transport kept is not passed off as live when it is back",
        "An adapter that is stopped while its transport is away sends nothing when that is back",
        "Locks may be attached and detached while the transport is away",
        "An adapter starts without its transport, and its locks obey once that is there",
        "A question brings the lock's state where it can be asked, and moves nothing",
        "Rubbish is dropped: nothing is made of it, and the lock obeys as before",
        "A lock that makes itself known is listed once, and can be attached as it is listed",
        "A lock is not listed while it is attached, and is again when it is detached",
        "A lock that its own system has taken away is no longer listed, and is again when it is back",
        "What is listed has ids of its own in an order that stays, and was seen first before it was seen last",
        "Looking for locks moves none, and what was found and not attached is not heard",
    ]

    @Test("If the harness cannot be created, every check fails")
    func noHarness() {
        struct NoHarness: Error {}
        let report = AdapterConformance.report { _, _ in throw NoHarness() }
        #expect(report.failed.count == AdapterConformance.promises.count)
    }

    @Test("An adapter's own checks are counted in the same way, and a thrown error is a failure")
    func ownChecks() async {
        struct Thrown: Error {}
        let outcomes: [ConformanceOutcome?] = [.kept, .notApplicable("no battery"), nil]
        var number = 0
        let report = await AdapterConformance.report(checking: { _ in
            defer { number += 1 }
            guard let outcome = outcomes[number % 3] else { throw Thrown() }
            return outcome
        })
        #expect(report.kept.count == (AdapterConformance.promises.count + 2) / 3)
        #expect(report.notApplicable.first?.reason == "no battery")
        #expect(report.failed.first?.problem == "Thrown()")
    }
}
