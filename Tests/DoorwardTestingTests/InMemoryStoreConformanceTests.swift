import DoorwardTesting
import Testing

@Suite struct InMemoryStoreConformanceTests {
    @Test("The store in memory keeps every promise of a store", arguments: StoreConformance.promises)
    func keeps(_ promise: StoreConformanceCheck) async throws {
        try await promise.check(InMemoryStore())
    }
}
