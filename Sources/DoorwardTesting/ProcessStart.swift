import Foundation
import Synchronization

extension Process {
    /// Whoever starts a process has this; Foundation has crashed when several suites started theirs at once.
    private static let starting = Mutex(())

    /// Starts it as `run` does, and never while another is started this way. Tests start their processes by this alone.
    package func start() throws { try Self.starting.withLock { _ in try run() } }
}
