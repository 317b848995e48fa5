import DoorwardControl
import DoorwardTesting
import Foundation
import Testing

@testable import DoorwardStore

/// The folder of the gateway's own backups, with backups of a real database.
@Suite struct BackupFolderTests {
    /// A database with some content, and a folder with an unchecked backup of it.
    private func backedUp() async throws -> (database: TemporaryDatabase, folder: BackupFolder, name: String) {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 5)
        _ = try await store.commit(script.tenancy)
        for _ in 0..<40 { _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.event(on: script.door))])) }
        let folder = try emptyFolder(of: database)
        let name = "doorward-20261121T080000Z.db.unchecked"
        _ = try await store.backup(to: "\(folder.path)/\(name)")
        try await store.close()
        return (database, folder, name)
    }

    private func emptyFolder(of database: TemporaryDatabase) throws -> BackupFolder {
        let path = database.folder.appending(path: "backups").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        return BackupFolder(path: path, personKeyFile: "\(database.path).person-keys")
    }

    @Test("A backup of the database is found whole with its personal values, gets its name, and leaves no other file")
    func whole() async throws {
        let (database, folder, name) = try await backedUp()
        #expect(try await folder.fault(in: name) == nil)
        #expect(try await folder.names() == [name])
        let final = String(name.dropLast(".unchecked".count))
        try await folder.rename(name, to: final)
        #expect(try await folder.names() == [final])
        let report = try StoreCheck.run(path: "\(folder.path)/\(final)", personKeyFile: "\(database.path).person-keys")
        #expect(report.fault == nil)
        let copy = try database.open(path: "\(folder.path)/\(final)")
        try await copy.close()
    }

    @Test("Each damaged page of a backup is a fault, or the check fails", arguments: [0, 1, 3, 7])
    func damaged(_ page: Int) async throws {
        let (database, folder, name) = try await backedUp()
        defer { withExtendedLifetime(database) {} }
        let file = "\(folder.path)/\(name)"
        var bytes = try Data(contentsOf: URL(filePath: file))
        let offset = page * 4096
        try #require(bytes.count > offset + 4096)
        for index in offset..<offset + 4096 { bytes[index] ^= 0x5A }
        try bytes.write(to: URL(filePath: file))
        do throws(StoreBackupError) {
            #expect(try await folder.fault(in: name) != nil)
        } catch {
            guard case .failed = error else { return #expect(Bool(false), "\(error)") }
        }
    }

    @Test("A file that is no database is a fault, and a missing one cannot be checked")
    func noDatabase() async throws {
        let database = try TemporaryDatabase()
        defer { withExtendedLifetime(database) {} }
        let folder = try emptyFolder(of: database)
        try Data("no database at all, but long enough to look at its first page".utf8)
            .write(to: URL(filePath: "\(folder.path)/a.db"))
        #expect(try await folder.fault(in: "a.db") != nil)
        await #expect(throws: StoreBackupError.self) { try await folder.fault(in: "b.db") }
        #expect(try await folder.names() == ["a.db"])
    }

    @Test("Files alone are listed and deleted; a missing folder is refused")
    func files() async throws {
        let database = try TemporaryDatabase()
        defer { withExtendedLifetime(database) {} }
        let folder = try emptyFolder(of: database)
        try Data().write(to: URL(filePath: "\(folder.path)/a"))
        try FileManager.default.createDirectory(atPath: "\(folder.path)/b", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/c", withDestinationPath: "a")
        #expect(try await folder.names() == ["a"])
        try await folder.remove(["a", "never there"])
        #expect(try await folder.names() == [])
        await #expect(throws: StoreBackupError.self) { try await folder.remove(["b"]) }
        let missing = BackupFolder(path: "\(folder.path)/none", personKeyFile: "")
        await #expect(throws: StoreBackupError.refused(.folderMissing)) { try await missing.names() }
        #expect(BackupFolder.problem(of: folder.path) == nil)
        #expect(BackupFolder.problem(of: "\(folder.path)/a") == .folderMissing)
    }
}
