import Foundation
import Glibc
import Synchronization

extension FileHandle {
    /// What has come, at least a byte, or nothing at the end. `availableData` ends the whole program when a signal comes while
    /// it waits.
    package func nextBytes() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(fileDescriptor, &bytes, bytes.count)
            if count >= 0 { return Array(bytes[..<count]) }
            guard errno == EINTR else { return [] }
        }
    }
}

extension Process {
    private static let starting = Mutex(())

    /// Below this many open descriptors `run` is safe. It reads each entry of /proc/self/fd as if its name had 256 bytes. The entries
    /// have 24 and lie in a buffer of 32 KiB, so from about 1,350 on it reads behind the buffer's end, which ends the program where
    /// no memory follows.
    private static let safeDescriptors = 1300
    /// Looks at the open descriptors before a process is started all the same.
    private static let longestWait = 10_000

    /// Starts it as `run` does, when the suites that run beside have few enough descriptors open, and never while another is started
    /// this way. Tests start their processes by this alone.
    package func start() throws {
        try Self.starting.withLock { _ in
            var looks = 0
            while looks < Self.longestWait, Self.openDescriptors >= Self.safeDescriptors {
                looks += 1
                sched_yield()
            }
            try run()
        }
    }

    /// About: what is opened meanwhile may be counted or not.
    private static var openDescriptors: Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }
}
