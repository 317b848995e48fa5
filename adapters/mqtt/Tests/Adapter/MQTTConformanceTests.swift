import DoorwardTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct MQTTConformanceTests {
    @Test("The MQTT adapter passes every conformance check, with a real broker", arguments: AdapterConformance.promises)
    func keeps(_ promise: ConformanceCheck) async throws {
        let harness = try await NukiHarness()
        try await promise.check(harness)
        await harness.end()
    }
}
