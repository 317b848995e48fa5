import Glibc

/// The files and sockets that the process may have open: each connection takes some.
enum Descriptors {
    /// As many as the system lets this process have.
    static func allowMost() {
        var limit = rlimit()
        guard getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit)
    }
}
