import DoorwardTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct MQTTConformanceTests {
    @Test("The MQTT adapter passes every conformance check, with a real broker", arguments: AdapterConformance.checks)
    func keeps(_ conformanceCheck: ConformanceCheck) async throws {
        let harness = try await NukiHarness()
        try await conformanceCheck.check(harness)
        await harness.end()
    }
}
