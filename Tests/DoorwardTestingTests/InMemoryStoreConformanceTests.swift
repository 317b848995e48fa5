import DoorwardTesting
import Testing

@Suite struct InMemoryStoreConformanceTests {
    @Test("The in-memory store passes every conformance check of a store", arguments: StoreConformance.checks)
    func passes(_ conformanceCheck: StoreConformanceCheck) async throws {
        try await conformanceCheck.check(InMemoryStore())
    }
}
