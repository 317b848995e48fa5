package import DoorwardDomain
package import DoorwardKernel
import GRDB
import Glibc
import Synchronization

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
        guard let folder = DatabaseFile.resolve(parent), fileStatus(folder)?.type == S_IFDIR else {
            throw .refused(.folderMissing)
        }
        guard access(folder, W_OK | X_OK) == 0 else { throw .refused(.folderNotWritable) }
        self.path = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
        self.folder = folder
        // A dangling symbolic link counts, too.
        guard fileStatus(self.path, followsLinks: false) == nil else { throw .refused(.alreadyExists) }
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
            throw isRefused ? .refused(.folderNotWritable) : .ofSystem("the copy's file cannot be created")
        }
        return PartialBackup(path: partial, target: path, folder: folder, descriptor: descriptor)
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
        guard fileStatus(target, followsLinks: false) == nil else { throw .refused(.alreadyExists) }
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

/// Copies a database page by page within one snapshot of it.
///
/// The snapshot is a read transaction of the source connection. Later commits are not visible in the snapshot and do not restart
/// the copy, and the writer never waits for the copy. Pages are copied unchanged, so the cost is the cost of reading the file
/// once. Deleted data is overwritten with zeros in the copy, as in the original.
struct BackupCopy {
    /// The number of steps between two flushes. A single flush at the end would delay the writer's own flushes on the same disk.
    private static let stepsPerFlush = 8

    struct Stopped: Error {}

    let partial: PartialBackup
    let context: StoreContext

    /// Copies the snapshot of `source`, which is in a read transaction.
    ///
    /// - Returns: the logs in the copy.
    func write(from source: Database) throws -> [LogSize] {
        let logs = try StoredLog.all(where: "size > 0 ORDER BY log_id", in: source).map { LogSize(log: $0.id, size: $0.size) }
        let copy = try DatabaseQueue(path: partial.path)
        do {
            try copy.writeWithoutTransaction { destination in
                // Disable SQLite's journal and flushes: a crash leaves only a partial file, which
                // does not have the backup's name.
                try destination.execute(
                    sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE")
                var steps = 0
                try source.backup(to: destination, pagesPerStep: CInt(clamping: context.limits.pagesPerBackupStep)) { progress in
                    try context.hooks.duringBackup(progress.remainingPageCount)
                    // Neither throw nor flush after the last step: an error thrown there would be
                    // lost, and the system reports a failed flush only once.
                    if progress.isCompleted { return }
                    if context.backups.isStopped { throw Stopped() }
                    steps += 1
                    if steps.isMultiple(of: Self.stepsPerFlush) { try partial.flush() }
                }
            }
        } catch {
            try? copy.close()
            throw error
        }
        try copy.close()
        try makeOneFile()
        return logs
    }

    /// Switches the copy from WAL to a rollback journal: a database in WAL mode cannot be read in a folder without write permission.
    /// A store that opens the copy switches it back.
    private func makeOneFile() throws {
        let copy = try DatabaseQueue(path: partial.path)
        defer { try? copy.close() }
        try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
    }

}

/// Tracks whether a backup is running: at most one runs at a time, and none starts after `stop`.
final class RunningBackup: Sendable {
    private let state = Mutex((isRunning: false, isStopped: false))

    /// Checks that a backup could begin now, and lets it begin.
    ///
    /// - Throws: `.refused(.alreadyRunning)`; `.unavailable` if the store is closing.
    func requireFree(andBegin begins: Bool = false) throws(StoreBackupError) {
        try state.withLock { state throws(StoreBackupError) in
            if state.isStopped { throw .unavailable }
            if state.isRunning { throw .refused(.alreadyRunning) }
            state.isRunning = begins
        }
    }

    func end() { state.withLock { $0.isRunning = false } }

    /// Prevents new backups, and stops the running one at its next step.
    func stop() { state.withLock { $0.isStopped = true } }

    var isRunning: Bool { state.withLock { $0.isRunning } }
    var isStopped: Bool { state.withLock { $0.isStopped } }
}
