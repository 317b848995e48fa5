import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import GRDB
import GRDBSQLite
import Logging

@testable import DoorwardStore

/// A database file in its own folder, which is deleted with this value.
final class TemporaryDatabase: Sendable {
    let folder: URL
    let clock = VirtualClock()

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "doorward-store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var path: String { folder.appending(path: "doorward.db").path }

    /// Limits with which some entries of a test are projected and some are not.
    static var limits: StoreLimits {
        var limits = StoreLimits()
        limits.entriesPerProjection = 7
        return limits
    }

    /// Copies the person-key file beside a copy of the database that has none, such as a backup.
    func giveKeys(to path: String) {
        guard !FileManager.default.fileExists(atPath: "\(path).person-keys") else { return }
        try? FileManager.default.copyItem(atPath: "\(self.path).person-keys", toPath: "\(path).person-keys")
    }

    /// Opens the store. Its person keys are the same on each run, because the seed is fixed.
    ///
    /// - Parameter path: a copy of the database, which gets a copy of the person-key file if it has none.
    func open(
        limits: StoreLimits = TemporaryDatabase.limits, hooks: StoreHooks = StoreHooks(), path: String? = nil,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) throws(StoreOpenError) -> SQLiteStore {
        if let path { giveKeys(to: path) }
        return try SQLiteStore.open(
            path: path ?? self.path, clock: clock, random: SeededGenerator(seed: 1),
            logger: logger, limits: limits, hooks: hooks)
    }

    /// The keys of the person-key file that belongs to the database at `path`.
    func keys(of path: String? = nil) throws -> PersonKeyFile {
        let path = path ?? self.path
        return try PersonKeyFile.reading("\(path).person-keys", knownTo: path, id: nil) ?? .inMemory()
    }

    /// Runs statements on the file without the store.
    func edit(_ sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    }

    /// Returns the number that a query gives, without the store.
    func count(_ sql: String) throws -> Int {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        return try queue.read { try Int.fetchOne($0, sql: sql) } ?? -1
    }

    /// Copies the database as it is on the disk at this moment, including the write-ahead log, and returns the path of the copy.
    func copyFiles(of path: String? = nil, to name: String) throws -> String {
        let (path, copy) = (path ?? self.path, folder.appending(path: name).path)
        for suffix in ["", "-wal", ".person-keys"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        return copy
    }
}

extension PersonKeyFile {
    /// The keys of the person-key file that belongs to an open database.
    static func beside(_ db: Database) -> PersonKeyFile {
        guard let name = sqlite3_db_filename(db.sqliteConnection, "main") else { return .inMemory() }
        let path = String(cString: name)
        let keys = try? PersonKeyFile.reading("\(path).person-keys", knownTo: path, id: nil)
        return keys ?? .inMemory()
    }
}

extension WriterConnection {
    /// Opens the connection with the person-key file beside the database.
    static func open(
        path: String, limits: StoreLimits, schema: Schema = .current
    ) throws(StoreOpenError) -> WriterConnection {
        try open(path: path, limits: limits, schema: schema) { known throws(StoreOpenError) in
            try .open("\(path).person-keys", knownTo: path, id: known, random: SystemRandomNumberGenerator())
        }
    }
}

extension CommandReading {
    init(_ db: Database) { self.init(db, .beside(db)) }
}

extension RecordReading {
    convenience init(_ db: Database) { self.init(db, .beside(db)) }
}

extension RecordQueryReading {
    convenience init(_ query: RecordQuery, in db: Database) { self.init(query, in: db, .beside(db)) }
}

extension StoreWriter {
    /// The value of a pragma of the writer's connection; `nil` while there is no connection.
    func pragma(_ name: String) throws -> DatabaseValue? {
        try connection?.queue.writeWithoutTransaction { try DatabaseValue.fetchOne($0, sql: "PRAGMA \(name)") } ?? nil
    }
}
