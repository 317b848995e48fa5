import DoorwardTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct MQTTConformanceTests {
    @Test("The MQTT adapter passes every conformance check, with a real broker", arguments: AdapterConformance.checks)
    func passes(_ check: ConformanceCheck) async throws {
        let harness = try await NukiHarness()
        try await check.check(harness)
        await harness.end()
    }
}
