import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

@Suite struct AdapterConformanceTests {
    @discardableResult
    private func check(_ promise: ConformanceCheck, _ fault: AdapterFault?) throws -> ConformanceOutcome {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        return try executor.run { try await promise.check(FaultyHarness(fault, clock: clock, executor: executor)) }
    }

    @Test("An adapter without a fault passes every check", arguments: AdapterConformance.promises)
    func faultless(_ promise: ConformanceCheck) throws { #expect(try check(promise, nil) == .kept) }

    @Test("Every fault makes the check that it is named after fail", arguments: AdapterFault.allCases)
    func faulty(_ fault: AdapterFault) throws {
        let promise = try #require(AdapterConformance.promises.first { $0.description == fault.rawValue })
        #expect(throws: (any Error).self) { try check(promise, fault) }
    }

    @Test("There is a fault for every check, so that an adapter that does nothing cannot pass")
    func everyPromiseCanFail() {
        #expect(Set(AdapterConformance.promises.map(\.description)) == Set(AdapterFault.allCases.map(\.rawValue)))
        #expect(Set(AdapterConformance.promises.map(\.description)).count == AdapterConformance.promises.count)
    }

    @Test("The kit has at least sixty checks for an adapter")
    func count() { #expect(AdapterConformance.promises.count >= 60) }

    @Test("The scripted adapter passes every check that applies to it", arguments: AdapterConformance.promises)
    func scripted(_ promise: ConformanceCheck) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        _ = try executor.run { try await promise.check(ScriptedHarness(clock: clock, executor: executor)) }
    }
}
