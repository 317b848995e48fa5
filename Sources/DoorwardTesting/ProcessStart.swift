import Foundation
import Glibc
import Synchronization

extension FileHandle {
    /// Reads at least one byte; empty at the end of the file. Replaces `availableData`, which ends the program when a signal
    /// interrupts it.
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
    /// Held while a process is started: test suites run concurrently, and share this process and its descriptors.
    private static let starting = Mutex(())

    /// Starts the process as `run` does, one at a time. Tests must start processes only by this.
    package func start() throws {
        try Self.starting.withLock { _ in
            Self.extendHeap()
            try run()
        }
    }

    /// Works around an out-of-bounds read in `run`: makes sure that the list of open descriptors has other heap memory behind it.
    ///
    /// `run` reads each entry of /proc/self/fd as if its name had 256 bytes. The entries have 24 and are in a buffer of 32 KiB:
    /// with more than about 1,350 open descriptors, as concurrent suites have, it reads past the end of the buffer. At the end of
    /// the heap this crashes the program.
    private static func extendHeap() {
        var memory: UnsafeMutableRawPointer?
        if posix_memalign(&memory, 16, 96 * 1024) == 0 { free(memory) }
    }
}
