package import DoorwardControl
package import DoorwardDomain
import Glibc

/// The file that a backup becomes. It is written under another name in the same folder, and takes its own name only when
/// it is whole and durable.
package struct BackupTarget: Sendable {
    /// The name that the backup will have: absolute, and without links in it.
    package let path: String
    private let folder: String

    /// Looks at the place, and makes nothing.
    package init(path: String) throws(StoreBackupError) {
        guard path.hasPrefix("/"), !path.utf8.contains(0) else { throw .refused(.notAbsolute) }
        let name = String(path[path.index(after: path.lastIndex(of: "/") ?? path.startIndex)...])
        guard !["", ".", ".."].contains(name), name.utf8.count <= Self.longestName else { throw .refused(.noFileName) }
        let parent = String(path.dropLast(name.count))
        guard let folder = Self.resolvedFolder(parent) else { throw .refused(.folderMissing) }
        guard access(folder, W_OK | X_OK) == 0 else { throw .refused(.folderNotWritable) }
        self.path = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
        self.folder = folder
        guard !Self.exists(self.path) else { throw .refused(.alreadyExists) }
    }

    /// A name in a folder has 255 bytes at most (Linux, `NAME_MAX`), and the file's first one is longer than its own.
    private static let longestName = 255 - ".partial-".utf8.count - 16 - "-journal".utf8.count

    /// Makes the empty file that the copy is written to. Two backups never meet in one.
    package func begin(_ random: RandomSource) throws(StoreBackupError) -> PartialBackup {
        let partial = path + ".partial-" + random.hexadecimal(byteCount: 8)
        let descriptor = open(partial, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(0o600))
        guard descriptor >= 0 else { throw .failed(systemError("the copy's file cannot be made")) }
        return PartialBackup(path: partial, target: path, folder: folder, descriptor: descriptor)
    }

    private static func resolvedFolder(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        var status = stat()
        guard stat(resolved, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        return String(cString: resolved)
    }

    /// Whether the name is taken, by a link to nothing too.
    fileprivate static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}

/// A backup on its way. It ends with `finish` or `abandon`.
package struct PartialBackup: Sendable {
    /// Where the copy is written.
    package let path: String
    fileprivate let target: String
    fileprivate let folder: String
    fileprivate let descriptor: Int32

    /// Writes what was copied so far out to the disk, so that the last flush has little left to do.
    func flush() throws(StoreBackupError) {
        guard fsync(descriptor) == 0 else { throw .failed(systemError("the copy cannot be flushed")) }
    }

    /// Makes the copy durable and gives it its name. Called when nobody has it open any more.
    ///
    /// - Returns: the file's size in bytes.
    package func finish() throws(StoreBackupError) -> Int64 {
        try flush()
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .failed(systemError("the copy cannot be looked at")) }
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

    /// Removes what was written. Called when nobody has it open any more, and only before `finish` has returned.
    package func abandon() {
        close(descriptor)
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
    }

    /// A second name that must be new, then one name less: a plain rename would replace what came there meanwhile.
    private func rename() throws(StoreBackupError) {
        if link(path, target) == 0 {
            unlink(path)
            return
        }
        guard errno != EEXIST else { throw .refused(.alreadyExists) }
        // Not every file system gives a file two names: there it is look, then rename.
        guard [EPERM, ENOTSUP, ENOSYS].contains(errno) else { throw .failed(systemError("the copy cannot be given its name")) }
        guard !BackupTarget.exists(target) else { throw .refused(.alreadyExists) }
        guard Glibc.rename(path, target) == 0 else { throw .failed(systemError("the copy cannot be given its name")) }
    }

    private func flushFolder() throws(StoreBackupError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failed(systemError("the copy's folder cannot be opened")) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .failed(systemError("the copy's folder cannot be flushed")) }
    }
}
