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
    /// Whoever starts a process has this; Foundation has crashed when several suites started theirs at once.
    private static let starting = Mutex(())

    /// Starts it as `run` does, and never while another is started this way. Tests start their processes by this alone.
    package func start() throws { try Self.starting.withLock { _ in try run() } }
}
