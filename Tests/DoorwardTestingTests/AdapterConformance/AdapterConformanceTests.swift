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

    @Test("An adapter without a fault keeps every promise", arguments: AdapterConformance.promises)
    func faultless(_ promise: ConformanceCheck) throws { #expect(try check(promise, nil) == .kept) }

    @Test("Every fault breaks the promise that it is a fault against", arguments: AdapterFault.allCases)
    func faulty(_ fault: AdapterFault) throws {
        let promise = try #require(AdapterConformance.promises.first { $0.description == fault.rawValue })
        #expect(throws: (any Error).self) { try check(promise, fault) }
    }

    @Test("There is a fault against every promise, so that none can be kept by doing nothing")
    func everyPromiseCanFail() {
        #expect(Set(AdapterConformance.promises.map(\.description)) == Set(AdapterFault.allCases.map(\.rawValue)))
        #expect(Set(AdapterConformance.promises.map(\.description)).count == AdapterConformance.promises.count)
    }

    @Test("The kit tries an adapter by no fewer than sixty promises")
    func count() { #expect(AdapterConformance.promises.count >= 60) }

    @Test("The scripted adapter keeps every promise of an adapter", arguments: AdapterConformance.promises)
    func scripted(_ promise: ConformanceCheck) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        _ = try executor.run { try await promise.check(ScriptedHarness(clock: clock, executor: executor)) }
    }
}
