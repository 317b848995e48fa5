internal import Glibc

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
