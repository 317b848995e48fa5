import DoorwardTesting
import Testing

@Suite struct ConformanceReportTests {
    @Test("Of an adapter without a fault every promise is kept")
    func faultless() {
        let report = AdapterConformance.report { clock, executor in FaultyHarness(nil, clock: clock, executor: executor) }
        let count = AdapterConformance.promises.count
        #expect(report.kept == AdapterConformance.promises.map(\.description))
        #expect(report.description == "\(count) promises: \(count) kept, 0 not applicable, 0 failed")
    }

    @Test("A fault is reported with its promise and what was found, and the other promises are checked all the same")
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

    @Test("What locks of a kind lack is not applicable, with a reason, and neither kept nor failed")
    func notApplicable() {
        let report = AdapterConformance.report { clock, executor in ScriptedHarness(clock: clock, executor: executor) }
        let expected = AdapterConformance.promises.map(\.description).filter(Self.isAboutWhatScriptedLocksLack)
        #expect(report.notApplicable.map(\.promise) == expected)
        #expect(report.notApplicable.allSatisfy { !$0.reason.isEmpty })
        #expect(report.failed.isEmpty, "\(report)")
        #expect(report.kept.count + expected.count == report.entries.count)
        #expect(report.summary.hasSuffix("\(report.kept.count) kept, \(expected.count) not applicable, 0 failed"))
    }

    private static func isAboutWhatScriptedLocksLack(_ promise: String) -> Bool {
        ["transport", "makes itself known", "Rubbish"].contains { promise.contains($0) }
    }

    @Test("A harness that cannot be made is a failure of each promise")
    func noHarness() {
        struct NoHarness: Error {}
        let report = AdapterConformance.report { _, _ in throw NoHarness() }
        #expect(report.failed.count == AdapterConformance.promises.count)
    }

    @Test("Checks of one's own are counted alike, and what they throw is a failure")
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
