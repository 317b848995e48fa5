import DoorwardControl
import DoorwardStore
import Foundation
import Synchronization

/// A real folder of backups, deleted with this object, whose checks find what a test says.
final class PlayedBackups: BackupStorage {
    private struct State {
        var fault: String?
        var failure: StoreBackupError?
        var checked: [String] = []
    }

    private let folder: BackupFolder
    private let state = Mutex(State())

    init() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "doorward-backups-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        folder = BackupFolder(path: path, personKeyFile: "\(path)/none")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// What each check finds; `nil` for a whole backup.
    func find(_ fault: String?) { state.withLock { $0.fault = fault } }

    /// Makes each look at the folder fail; `nil` for none.
    func fail(_ failure: StoreBackupError?) { state.withLock { $0.failure = failure } }

    /// The files that were checked.
    var checked: [String] { state.withLock { $0.checked } }

    /// All files of the folder, sorted.
    var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    /// Creates empty files.
    func put(_ names: String...) {
        for name in names { _ = FileManager.default.createFile(atPath: "\(path)/\(name)", contents: nil) }
    }

    // MARK: BackupStorage

    var path: String { folder.path }

    func names() async throws(StoreBackupError) -> [String] {
        if let failure = state.withLock(\.failure) { throw failure }
        return try await folder.names()
    }

    func fault(in name: String) async throws(StoreBackupError) -> String? {
        state.withLock { state in
            state.checked.append(name)
            return state.fault
        }
    }

    func rename(_ name: String, to newName: String) async throws(StoreBackupError) {
        try await folder.rename(name, to: newName)
    }

    func remove(_ names: [String]) async throws(StoreBackupError) { try await folder.remove(names) }
}
