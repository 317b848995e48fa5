import DoorwardTesting
import Testing

@Suite struct InMemoryStoreConformanceTests {
    @Test("The in-memory store passes every conformance check of a store", arguments: StoreConformance.promises)
    func keeps(_ promise: StoreConformanceCheck) async throws {
        try await promise.check(InMemoryStore())
    }
}
