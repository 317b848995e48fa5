import Glibc

/// The limit of open file descriptors: each connection needs some.
enum FileDescriptors {
    /// Raises the soft limit to the hard limit.
    static func raiseLimit() {
        var limit = rlimit()
        guard getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit)
    }
}
