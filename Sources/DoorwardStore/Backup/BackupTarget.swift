package import DoorwardControl
package import DoorwardDomain
import Glibc

/// The target file of a backup. The backup is written under a temporary name in the same folder. It gets its final name only
/// when it is complete and durable.
package struct BackupTarget: Sendable {
    /// The final path of the backup: absolute and without symbolic links.
    package let path: String
    private let folder: String

    /// Validates the path. Creates no file.
    package init(path: String) throws(StoreBackupError) {
        guard path.hasPrefix("/"), !path.utf8.contains(0) else { throw .refused(.notAbsolute) }
        let name = String(path[path.index(after: path.lastIndex(of: "/") ?? path.startIndex)...])
        guard !["", ".", ".."].contains(name), name.utf8.count <= Self.maxNameLength else { throw .refused(.noFileName) }
        let parent = String(path.dropLast(name.count))
        guard let folder = Self.resolvedFolder(parent) else { throw .refused(.folderMissing) }
        guard access(folder, W_OK | X_OK) == 0 else { throw .refused(.folderNotWritable) }
        self.path = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
        self.folder = folder
        guard !Self.exists(self.path) else { throw .refused(.alreadyExists) }
    }

    /// The maximum length of the final name. Linux allows 255 bytes (`NAME_MAX`), and the temporary name is longer than the
    /// final one.
    private static let maxNameLength = 255 - ".partial-".utf8.count - 16 - "-journal".utf8.count

    /// Creates the empty temporary file that the copy is written to. Its name is random, so two backups never share a file.
    package func begin(_ random: RandomSource) throws(StoreBackupError) -> PartialBackup {
        let partial = path + ".partial-" + random.hexadecimal(byteCount: 8)
        let descriptor = open(partial, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(0o600))
        guard descriptor >= 0 else {
            // `access` lets root write everywhere, and not every file system lets root create files.
            let isRefused = [EACCES, EPERM, EROFS, ENOENT].contains(errno)
            throw isRefused ? .refused(.folderNotWritable) : .ofSystem("the copy's file cannot be made")
        }
        return PartialBackup(path: partial, target: path, folder: folder, descriptor: descriptor)
    }

    private static func resolvedFolder(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        var status = stat()
        guard stat(resolved, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        return String(cString: resolved)
    }

    /// Returns whether a file of this name exists. A dangling symbolic link counts too.
    fileprivate static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}

/// A backup that is being written. It ends with `finish` or `abandon`.
package struct PartialBackup: Sendable {
    /// The path of the temporary file.
    package let path: String
    fileprivate let target: String
    fileprivate let folder: String
    fileprivate let descriptor: Int32

    /// Flushes the pages copied so far, so that the last flush has little left to write.
    func flush() throws(StoreBackupError) {
        // Blocks: the reader's thread, or the thread of `finish`.
        guard fsync(descriptor) == 0 else { throw .ofSystem("the copy cannot be flushed") }
    }

    /// Makes the copy durable and gives it its final name. Call it when no connection has the file open any more.
    ///
    /// - Returns: the file's size in bytes.
    package func finish() throws(StoreBackupError) -> Int64 {
        try flush()
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .ofSystem("the size of the copy cannot be read") }
        try rename()
        do {
            try flushFolder()
        } catch {
            unlink(target)
            throw error
        }
        close(descriptor)
        return Int64(status.st_size)
    }

    /// Removes the temporary files. Call it when no connection has them open any more, and only before `finish` has returned.
    package func abandon() {
        close(descriptor)
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
    }

    /// Links the file to the final name and removes the temporary name. The final name must be new: a plain rename would
    /// replace a file that was created under it meanwhile.
    private func rename() throws(StoreBackupError) {
        if link(path, target) == 0 {
            unlink(path)
            return
        }
        guard errno != EEXIST else { throw .refused(.alreadyExists) }
        // Not every file system supports hard links. On the others, check whether the name exists, then rename.
        guard [EPERM, ENOTSUP, ENOSYS].contains(errno) else { throw .ofSystem("the copy cannot be renamed") }
        guard !BackupTarget.exists(target) else { throw .refused(.alreadyExists) }
        guard Glibc.rename(path, target) == 0 else { throw .ofSystem("the copy cannot be renamed") }
    }

    private func flushFolder() throws(StoreBackupError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .ofSystem("the copy's folder cannot be opened") }
        defer { close(descriptor) }
        // Blocks: the thread of `finish`.
        guard fsync(descriptor) == 0 else { throw .ofSystem("the copy's folder cannot be flushed") }
    }
}

extension StoreBackupError {
    /// The error for the system call of this thread that failed last. Make it at once: any other call may change `errno`.
    ///
    /// - Parameter what: what failed, as a clause.
    fileprivate static func ofSystem(_ what: String) -> StoreBackupError {
        let failure = SystemFailure.last
        return [ENOSPC, EDQUOT].contains(failure.code) ? .refused(.diskFull) : .failed("\(what): \(failure)")
    }
}
