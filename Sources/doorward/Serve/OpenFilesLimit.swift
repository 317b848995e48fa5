import Dispatch
import Glibc

/// The process's limit on open file descriptors (`RLIMIT_NOFILE`), and the part of it that connections may not use.
enum OpenFilesLimit {
    /// Minimum number of connections with which the gateway starts.
    static let leastConnections = 16

    /// The desired soft limit, if the hard limit permits it.
    private static let wanted: rlim_t = 65_536

    /// Raises the soft limit towards the hard one.
    ///
    /// - Returns: the limit in force.
    static func raise() -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        let before = limit.rlim_cur
        limit.rlim_cur = max(before, min(limit.rlim_max, wanted))
        if setrlimit(resource, &limit) != 0 { limit.rlim_cur = before }
        return Int(clamping: limit.rlim_cur)
    }

    /// Descriptors reserved for other purposes than connections: the database and its backups, the event loops, the adapters, and
    /// connections that are being closed.
    ///
    /// - Parameter adapters: the number of descriptors that the adapters need.
    static func reserve(adapters: Int) -> Int { 96 + 4 * Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) + adapters }

    /// Makes Dispatch open the timer descriptor of each of its clocks. Otherwise Dispatch opens each descriptor at its first use,
    /// and crashes with an illegal instruction if none is available then.
    static func openTimers() async {
        // Long enough that the deadline is still in the future when Dispatch checks it. Otherwise Dispatch would open no timer.
        let moment = DispatchTimeInterval.milliseconds(50)
        async let continuous: ()? = try? ContinuousClock().sleep(for: .milliseconds(50))
        async let suspending: ()? = try? SuspendingClock().sleep(for: .milliseconds(50))
        await withCheckedContinuation { continuation in
            let group = DispatchGroup()
            for _ in 0..<2 { group.enter() }
            DispatchQueue.global().asyncAfter(deadline: .now() + moment) { group.leave() }
            DispatchQueue.global().asyncAfter(wallDeadline: .now() + moment) { group.leave() }
            group.notify(queue: .global()) { continuation.resume() }
        }
        _ = await (continuous, suspending)
    }
}
