import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

@Suite struct AdapterConformanceTests {
    @discardableResult
    private func check(_ conformanceCheck: ConformanceCheck, _ fault: AdapterFault?) throws -> ConformanceOutcome {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        return try executor.run { try await conformanceCheck.check(FaultyHarness(fault, clock: clock, executor: executor)) }
    }

    @Test("An adapter without a fault passes every check", arguments: AdapterConformance.checks)
    func faultless(_ conformanceCheck: ConformanceCheck) throws { #expect(try check(conformanceCheck, nil) == .passed) }

    @Test("Every fault makes the check that it is named after fail", arguments: AdapterFault.allCases)
    func faulty(_ fault: AdapterFault) throws {
        let conformanceCheck = try #require(AdapterConformance.checks.first { $0.description == fault.rawValue })
        #expect(throws: (any Error).self) { try check(conformanceCheck, fault) }
    }

    @Test("There is a fault for every check, so that an adapter that does nothing cannot pass")
    func everyCheckCanFail() {
        #expect(Set(AdapterConformance.checks.map(\.description)) == Set(AdapterFault.allCases.map(\.rawValue)))
        #expect(Set(AdapterConformance.checks.map(\.description)).count == AdapterConformance.checks.count)
    }

    @Test("The kit has at least sixty checks for an adapter")
    func count() { #expect(AdapterConformance.checks.count >= 60) }

    @Test("The scripted adapter passes every check that applies to it", arguments: AdapterConformance.checks)
    func scripted(_ conformanceCheck: ConformanceCheck) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        _ = try executor.run { try await conformanceCheck.check(ScriptedHarness(clock: clock, executor: executor)) }
    }
}
