import DoorwardDomain
import DoorwardStore
import DoorwardTesting
import Foundation
import Logging

/// A database file in a folder of its own, gone with this value.
final class TemporaryDatabase: Sendable {
    let folder: URL
    let clock = VirtualClock()

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "doorward-store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var path: String { folder.appending(path: "doorward.db").path }

    /// Opens the store; its person keys are the same again for the same seed.
    func open(
        limits: StoreLimits = StoreLimits(), hooks: StoreHooks = StoreHooks(), path: String? = nil
    ) throws(StoreOpenError) -> SQLiteStore {
        try SQLiteStore.open(
            path: path ?? self.path, clock: clock, random: SeededGenerator(seed: 1),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            limits: limits, hooks: hooks)
    }

    /// A copy of the database as it lies on the disk at this moment, the write-ahead log included.
    func copyFiles(to name: String) throws -> String {
        let copy = folder.appending(path: name).path
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        return copy
    }
}
