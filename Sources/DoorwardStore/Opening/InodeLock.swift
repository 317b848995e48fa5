import Glibc
import Synchronization

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

    /// `nil` after `release`.
    private let descriptor: Mutex<Int32?>
    private let inode: Inode

    /// Takes the lock without waiting.
    ///
    /// - Parameter path: the path of an existing file.
    /// - Throws: `.inUseByAnotherName` when another store holds the file.
    init(for path: String) throws(StoreOpenError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .failed(path: path, reason: systemError("the file cannot be found")) }
        let inode = Inode(status)
        guard Self.held.withLock({ $0.insert(inode).inserted }) else { throw .inUseByAnotherName(path: path) }
        do {
            descriptor = Mutex(try Self.lock(path, inode))
        } catch {
            Self.held.withLock { _ = $0.remove(inode) }
            throw error
        }
        self.inode = inode
    }

    private static func lock(_ path: String, _ inode: Inode) throws(StoreOpenError) -> Int32 {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failed(path: path, reason: systemError("the file cannot be opened")) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let isHeld = errno == EWOULDBLOCK
            let reason = systemError("the file cannot be locked")
            Glibc.close(descriptor)
            throw isHeld ? .inUseByAnotherName(path: path) : .failed(path: path, reason: reason)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, Inode(status) == inode else {
            Glibc.close(descriptor)
            throw .failed(path: path, reason: "it was replaced by another file meanwhile")
        }
        return descriptor
    }

    /// Releases the lock. Called after SQLite has closed its last connection to the file.
    func release() {
        descriptor.withLock { descriptor in
            guard let locked = descriptor else { return }
            // Closing alone does not release the lock while a forked child that has not yet called `exec` has a copy of the descriptor.
            flock(locked, LOCK_UN)
            Glibc.close(locked)
            Self.held.withLock { _ = $0.remove(inode) }
            descriptor = nil
        }
    }

    deinit { release() }
}
