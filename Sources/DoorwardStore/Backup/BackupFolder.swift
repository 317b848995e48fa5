internal import DoorwardDomain
package import DoorwardKernel
import FoundationEssentials
import Glibc

/// The folder of the gateway's own backups on a local disk. The calls run one after the other on a thread of their own, because
/// reading a whole backup takes long.
package final class BackupFolder: BackupStorage {
    /// The absolute path, as it was configured: links are not resolved.
    package let path: String
    private let personKeyFile: String
    private let thread = BlockingThread("backups")

    /// - Parameters:
    ///   - path: an absolute path.
    ///   - personKeyFile: the person-key file of the running gateway, with which personal values in a backup are checked.
    package init(path: String, personKeyFile: String) { (self.path, self.personKeyFile) = (path, personKeyFile) }

    /// Finds out by names and permissions alone whether backups can be written into a folder; `nil` if they can.
    package static func problem(of path: String) -> StoreBackupProblem? {
        guard fileStatus(path)?.type == S_IFDIR else { return .folderMissing }
        return access(path, R_OK | W_OK | X_OK) == 0 ? nil : .folderNotWritable
    }

    /// Links and folders are left out: the gateway makes none.
    package func names() async throws(StoreBackupError) -> [String] {
        try await thread.run { [path] () throws(StoreBackupError) in
            if let problem = Self.problem(of: path) { throw .refused(problem) }
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
                throw .failed(systemError("the folder \(path) cannot be read"))
            }
            return names.filter { fileStatus("\(path)/\($0)", followsLinks: false)?.type == S_IFREG }
        }
    }

    /// Runs `StoreCheck`, about 10 s for a million records. For a file that is not a database, it reports a fault, too.
    package func fault(in name: String) async throws(StoreBackupError) -> String? {
        try await thread.run { [path, personKeyFile] () throws(StoreBackupError) in
            let file = "\(path)/\(name)"
            // The check locks the file as every program does that opens a database.
            defer { unlink("\(file).lock") }
            do throws(StoreOpenError) {
                return try StoreCheck.run(path: file, personKeyFile: personKeyFile).fault.map { "\($0)" }
            } catch {
                switch error {
                case .notOurs, .newerSchema: return error.description
                default: throw .failed(error.description)
                }
            }
        }
    }

    /// Flushes the folder too, so that the new name survives a power cut.
    package func rename(_ name: String, to newName: String) async throws(StoreBackupError) {
        try await thread.run { [path] () throws(StoreBackupError) in
            do throws(DurableFile.Failure) {
                try DurableFile.rename("\(path)/\(name)", to: "\(path)/\(newName)")
            } catch {
                throw .failed("the backup \(path)/\(name) cannot be \(error.verb): \(error.reason)")
            }
        }
    }

    /// Stops at the first file that cannot be deleted.
    package func remove(_ names: [String]) async throws(StoreBackupError) {
        try await thread.run { [path] () throws(StoreBackupError) in
            for name in names where unlink("\(path)/\(name)") != 0 && errno != ENOENT {
                throw .failed(systemError("\(path)/\(name) cannot be deleted"))
            }
        }
    }
}
