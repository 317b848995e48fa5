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
    /// Held while a process is started: the suites run at the same time, and share this process and its descriptors.
    private static let starting = Mutex(())

    /// Starts it as `run` does, and never while another is started this way. Tests start their processes by this alone.
    package func start() throws {
        try Self.starting.withLock { _ in
            Self.extendHeap()
            try run()
        }
    }

    /// Sees to it that the list of open descriptors lies before other memory of this thread's heap.
    ///
    /// `run` reads each entry of /proc/self/fd as if its name had 256 bytes. The entries have 24 and lie in a buffer of 32 KiB: with
    /// more than some 1,350 open descriptors, as many suites that run beside have, it reads behind the buffer's end. Where that is
    /// the end of the heap, the program ends.
    private static func extendHeap() {
        var memory: UnsafeMutableRawPointer?
        if posix_memalign(&memory, 16, 96 * 1024) == 0 { free(memory) }
    }
}
