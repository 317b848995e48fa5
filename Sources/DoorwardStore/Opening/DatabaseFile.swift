internal import DoorwardDomain
import Glibc
import Synchronization

/// The path of the database file.
///
/// Closing any descriptor of a file releases all POSIX locks that the process has on that file, SQLite's included (fcntl(2)).
/// So this type never opens a file that may be in use: it inspects and changes existing files by path. `InodeLock` opens the
/// file, and documents why that is safe.
struct DatabaseFile {
    /// The file's resolved path. Two paths to one file therefore use the same lock file.
    let path: String

    /// Resolves the path, whether or not the file exists. Only a regular file can be a database: opening a pipe would wait forever, and a
    /// folder or a device would lose the mode that other programs need.
    init(at path: String) throws(StoreOpenError) {
        if let resolved = Self.resolve(path) {
            if let status = fileStatus(resolved), status.type != S_IFREG {
                let isFolder = status.type == S_IFDIR
                let file = resolved == "/" ? "/doorward.db" : "\(resolved)/doorward.db"
                throw .failed(
                    path: path, reason: isFolder ? "it is a folder; name the database file, such as \(file)" : "it is not a file")
            }
            self.path = resolved
            return
        }
        guard errno == ENOENT, !Self.isLink(path) else {
            throw .failed(path: path, reason: systemError("its path cannot be resolved"))
        }
        let (folder, name) = Self.split(path)
        guard !name.isEmpty, let resolved = Self.resolve(folder) else {
            throw .failed(path: path, reason: systemError("its folder \(folder) cannot be used"))
        }
        self.path = resolved == "/" ? "/\(name)" : "\(resolved)/\(name)"
    }

    /// Creates the file if it does not exist, and restricts its mode. Call it under the file's lock.
    ///
    /// - Returns: the paths of the file and its companions that other users could access before
    ///   this call. After this call, only the owner can access them.
    func prepare() throws(StoreOpenError) -> [String] {
        // `O_EXCL` creates a new file or fails. No connection has a new file open, so closing its descriptor releases no locks.
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(0o600))
        if descriptor >= 0 {
            Glibc.close(descriptor)
        } else if errno != EEXIST {
            throw .failed(path: path, reason: systemError("the file cannot be created"))
        }
        guard access(path, R_OK | W_OK) == 0 else {
            throw .failed(path: path, reason: systemError("the file cannot be opened for writing"))
        }
        var tightened: [String] = []
        for name in ["", "-wal", "-shm"].map({ path + $0 }) where Self.isOpenToOthers(name) {
            guard chmod(name, mode_t(0o600)) == 0 else {
                throw .failed(path: path, reason: systemError("others may read \(name), and its mode cannot be changed to 0600"))
            }
            tightened.append(name)
        }
        return tightened
    }

    /// Returns whether the file exists. Throws if `prepare` could not create or use the file, judged by permissions alone.
    /// Creates and changes nothing.
    func check() throws(StoreOpenError) -> Bool {
        if fileStatus(path) != nil {
            guard access(path, R_OK | W_OK) == 0 else {
                throw .failed(path: path, reason: systemError("the file cannot be opened for writing"))
            }
            return true
        }
        guard access(Self.split(path).folder, W_OK | X_OK) == 0 else {
            throw .failed(path: path, reason: systemError("the file cannot be created"))
        }
        return false
    }

    /// The number of hard links to the file; `nil` if it cannot be determined.
    var nameCount: Int? { fileStatus(path).map { Int($0.st_nlink) } }

    private static func isOpenToOthers(_ path: String) -> Bool { fileStatus(path)?.isOpenToOthers ?? false }

    private static func isLink(_ path: String) -> Bool {
        defer { errno = ENOENT }
        return fileStatus(path, followsLinks: false) != nil
    }

    /// Returns the absolute path without symbolic links; `nil` if there is no such file.
    static func resolve(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = path[..<slash]
        return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
    }
}

/// Returns the status of a file; `nil` if the system does not tell it, for the reason in `errno`.
func fileStatus(_ path: String, followsLinks: Bool = true) -> stat? {
    var status = stat()
    return (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 ? status : nil
}

extension stat {
    /// The type of the file, such as `S_IFREG`.
    var type: mode_t { st_mode & S_IFMT }

    var isOpenToOthers: Bool { st_mode & 0o077 != 0 }
}

/// Returns `what` followed by the reason for which the last system call failed.
func systemError(_ what: String) -> String { "\(what): \(SystemFailure.last)" }

/// The lock on `<path>.lock` that prevents a second store from opening a database file.
///
/// The lock is an `flock`. The kernel releases the lock with the last descriptor of the file, even
/// if the process crashes. The lock also excludes a second store in the same process.
final class FileLock: Sendable {
    /// `nil` after `release`.
    private let descriptor: Mutex<Int32?>

    /// Takes the lock without waiting. This is the first step of opening a database, so it also fails if no file descriptors
    /// are free for the later steps.
    convenience init(for path: String) throws(StoreOpenError) {
        guard DescriptorReserve.isFree else { throw .failed(path: path, reason: "too many open files") }
        try self.init(on: path + ".lock", O_RDWR | O_CREAT, of: path, name: "its lock file", ifHeld: .inUse(path: path))
    }

    /// - Parameters:
    ///   - path: the path of the database, for messages.
    ///   - name: what the file is, for messages.
    fileprivate init(
        on file: String, _ flags: Int32, of path: String, name: String, ifHeld held: StoreOpenError
    ) throws(StoreOpenError) {
        let descriptor = open(file, flags | O_CLOEXEC, mode_t(0o600))
        guard descriptor >= 0 else { throw .failed(path: path, reason: systemError("\(name) cannot be opened")) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = errno == EWOULDBLOCK ? held : .failed(path: path, reason: systemError("\(name) cannot be locked"))
            Glibc.close(descriptor)
            throw error
        }
        self.descriptor = Mutex(descriptor)
    }

    /// The status of the locked file; `nil` after `release`.
    fileprivate var status: stat? {
        descriptor.withLock { descriptor in
            var status = stat()
            return descriptor.flatMap { fstat($0, &status) == 0 ? status : nil }
        }
    }

    /// Releases the lock.
    ///
    /// Unlocks explicitly: closing alone does not release the lock while a forked child that has not yet called `exec` has a copy of
    /// the descriptor.
    ///
    /// - Returns: false if it was released before.
    @discardableResult
    func release() -> Bool {
        descriptor.withLock { descriptor in
            guard let held = descriptor.take() else { return false }
            flock(held, LOCK_UN)
            Glibc.close(held)
            return true
        }
    }

    deinit { release() }
}

/// Locks the database file itself, so that a second store cannot open it under another name, such as a hard link. The lock on
/// `<path>.lock` does not prevent that: each name has its own lock file and its own write-ahead log.
///
/// The lock is an `flock` on a descriptor of the file, independent of SQLite's own locks. Closing any descriptor of the file
/// releases the POSIX locks that this process has on it (fcntl(2)). So this type never opens a file that a store of this
/// process holds, and closes the descriptor only after SQLite has closed its own descriptors.
final class InodeLock: Sendable {
    private struct Inode: Hashable {
        let device: dev_t
        let number: ino_t

        init(_ status: stat) { (device, number) = (status.st_dev, status.st_ino) }
    }

    /// The files that stores of this process hold.
    private static let held = Mutex<Set<Inode>>([])

    private let lock: FileLock
    private let inode: Inode

    /// Takes the lock without waiting.
    ///
    /// - Parameter path: the path of an existing file.
    /// - Throws: `.inUseByAnotherName` when another store holds the file.
    init(for path: String) throws(StoreOpenError) {
        guard let status = fileStatus(path) else { throw .failed(path: path, reason: systemError("the file cannot be found")) }
        let inode = Inode(status)
        guard Self.held.withLock({ $0.insert(inode).inserted }) else { throw .inUseByAnotherName(path: path) }
        do throws(StoreOpenError) {
            lock = try FileLock(on: path, O_RDONLY, of: path, name: "the file", ifHeld: .inUseByAnotherName(path: path))
            guard lock.status.map(Inode.init) == inode else {
                throw .failed(path: path, reason: "it was replaced by another file meanwhile")
            }
        } catch {
            Self.held.withLock { _ = $0.remove(inode) }
            throw error
        }
        self.inode = inode
    }

    /// Releases the lock. Called after SQLite has closed its last connection to the file.
    func release() {
        guard lock.release() else { return }
        Self.held.withLock { _ = $0.remove(inode) }
    }

    deinit { release() }
}
