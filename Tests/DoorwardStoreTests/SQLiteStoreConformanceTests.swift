import DoorwardDomain
import DoorwardStore
import DoorwardTesting
import Testing

@Suite struct SQLiteStoreConformanceTests {
    @Test("The SQLite store passes every conformance check of a store", arguments: StoreConformance.checks)
    func keeps(_ conformanceCheck: StoreConformanceCheck) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        try await conformanceCheck.check(store)
        try await store.close()
        let logs = try StoredLogs(path: database.path)
        #expect(logs.integrity == "ok")
        #expect(logs.faults.isEmpty)
    }

    @Test("Lists pass the conformance checks even if a page may examine only one row", arguments: StoreConformance.queryChecks)
    func shortPages(_ conformanceCheck: StoreConformanceCheck) async throws {
        let database = try TemporaryDatabase()
        var limits = TemporaryDatabase.limits
        limits.rowsPerPage = 1
        let store = try database.open(limits: limits)
        try await conformanceCheck.check(store)
        try await store.close()
    }
}
