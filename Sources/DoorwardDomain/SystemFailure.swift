internal import Dispatch
internal import Glibc

/// An error of the operating system, in words for the person who runs the program: what happened, and what to do next.
///
/// The words follow a colon after what could not be done, and the path: `/data/x.db: the file cannot be created: …`.
package struct SystemFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The number of the error, such as `ENOSPC`.
    package let code: Int32

    package init(_ code: Int32) { self.code = code }

    /// The failure of the last system call of this thread. Read it at once: any other call may change it.
    package static var last: SystemFailure { SystemFailure(errno) }

    /// A clause without a full stop. An error without a next step has the system's message (`strerror`).
    package var description: String {
        switch code {
        case ENOENT: "there is no such file or folder; create it, or correct the path"
        case ENOTDIR: "a part of the path is a file and not a folder; correct the path"
        case EISDIR: "it is a folder and not a file; name a file"
        case EACCES, EPERM: "the user who runs this program may not do that; change the owner or the mode, or choose another path"
        case EROFS: "the file system is read-only; mount it for writing, or choose another path"
        case ENOSPC: "the disk is full; free space on it"
        case EDQUOT: "the user's share of the disk is used up; raise the quota, or free space"
        case ENAMETOOLONG: "the path is too long; choose a shorter one"
        case ELOOP: "its symbolic links lead in a circle; correct them"
        case EMFILE, ENFILE: "too many files are open; raise the limit, with `ulimit -n` or systemd's LimitNOFILE"
        case EIO: "the disk reports an error; check it before you go on"
        default: String(cString: strerror(code))
        }
    }
}

/// A number of file descriptors that the gateway keeps free. If fewer are free, the gateway accepts
/// no connection, connects to no broker and starts no backup.
///
/// libdispatch opens a file every second to count its running threads. If no descriptor is free, it crashes the process with an
/// illegal instruction (libdispatch, event/workqueue.c, `_dispatch_workq_count_runnable_workers`).
package enum DescriptorReserve {
    private static let count = 8

    /// Whether at least `count` descriptors are free now, within the process's descriptor limit.
    /// The check opens no descriptor itself.
    package static var isFree: Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return true }
        var (number, free) = (Int32(clamping: limit.rlim_cur), 0)
        // Search from the highest number down: the kernel always allocates the lowest free number,
        // so the highest numbers are usually free.
        while number > 0, free < count {
            number -= 1
            if fcntl(number, F_GETFD) < 0 { free += 1 }
        }
        return free == count
    }
}
