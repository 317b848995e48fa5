package import DoorwardControl
package import DoorwardDomain
package import DoorwardPolicy
package import Logging

/// The store in one SQLite file, in WAL mode with a full flush for every commit.
///
/// One connection writes and checkpoints; the others only read. The file belongs to one process at a time.
package final class SQLiteStore: GatewayStore {
    /// Opens the file, or makes it (mode 0600), and brings its schema up to date. Blocks while it does.
    ///
    /// - Parameters:
    ///   - path: the database file; `<path>.lock` beside it is held until the store is closed or the process ends.
    ///   - random: where person keys come from; the system's generator outside tests.
    package static func open(
        path: String, clock: any GatewayClock, random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        logger: Logger, limits: StoreLimits = StoreLimits(), hooks: StoreHooks = StoreHooks()
    ) throws(StoreOpenError) -> SQLiteStore {
        SQLiteStore()
    }

    package func commit(_ transaction: StoreTransaction) async throws(StoreError) -> [RecordPlace] { throw .unavailable }

    package func loadTenancy(_ receive: (TenancyChange) throws -> Void) async throws(StoreError) { throw .unavailable }

    package func openCommands() async throws(StoreError) -> [OpenCommand] { throw .unavailable }

    package func command(_ id: CommandID) async throws(StoreError) -> Command? { throw .unavailable }

    package func commands(of devices: [DeviceID], offset: Int, limit: Int) async throws(StoreError) -> (commands: [Command], total: Int) {
        throw .unavailable
    }

    package func records(_ query: RecordQuery) async throws(StoreError) -> [AccessRecord] { throw .unavailable }

    package func record(_ id: RecordID) async throws(StoreError) -> AccessRecord? { throw .unavailable }

    package func passwordHash(of user: UserID) async throws(StoreError) -> String? { throw .unavailable }

    package func liveSessions(at now: Timestamp) async throws(StoreError) -> [Session] { throw .unavailable }

    package func refreshToken(digest: [UInt8]) async throws(StoreError) -> StoredRefreshToken? { throw .unavailable }

    package func idempotentAnswer(
        _ key: IdempotencyKey, notOlderThan oldest: Timestamp
    ) async throws(StoreError) -> IdempotencyEntry? { throw .unavailable }

    package func isWritable() async -> Bool { false }

    package func close() async throws(StoreError) {}
}
