internal import DoorwardDomain
import Glibc
import Synchronization

/// The lock on `<path>.lock` that prevents a second store from opening a database file.
///
/// The lock is an `flock`. The kernel releases the lock with the last descriptor of the file, even
/// if the process crashes. The lock also excludes a second store in the same process.
final class FileLock: Sendable {
    /// `nil` after `release`.
    private let descriptor: Mutex<Int32?>

    /// Takes the lock without waiting. This is the first step of opening a database, so it also fails if no file descriptors
    /// are free for the later steps.
    init(for path: String) throws(StoreOpenError) {
        guard DescriptorReserve.isFree else { throw .failed(path: path, reason: "too many open files") }
        let descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, mode_t(0o600))
        guard descriptor >= 0 else { throw .failed(path: path, reason: systemError("its lock file cannot be opened")) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let isHeld = errno == EWOULDBLOCK
            let reason = systemError("its lock file cannot be locked")
            Glibc.close(descriptor)
            throw isHeld ? .inUse(path: path) : .failed(path: path, reason: reason)
        }
        self.descriptor = Mutex(descriptor)
    }

    /// Releases the lock.
    ///
    /// Unlocks explicitly: closing alone does not release the lock while a forked child that has not yet called `exec` has a copy of
    /// the descriptor.
    func release() {
        descriptor.withLock { descriptor in
            guard let held = descriptor else { return }
            flock(held, LOCK_UN)
            Glibc.close(held)
            descriptor = nil
        }
    }

    deinit { release() }
}
