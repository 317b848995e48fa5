internal import DoorwardDomain
package import Foundation
import Glibc
import Synchronization

extension FileHandle {
    /// Reads at least one byte; returns an empty array at the end of the file. Use it instead of `availableData`, which ends
    /// the program if a signal interrupts the read.
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
    /// The mutex that is held while a process is started, because test suites run concurrently in
    /// this process and share its descriptors.
    private static let starting = Mutex(())

    /// Starts the process as `run` does, but one process at a time. Tests must start processes only with this method.
    package func start() throws {
        try Self.starting.withLock { _ in
            Self.extendHeap()
            try run()
        }
    }

    /// Waits until the process has exited, and returns its exit code or signal.
    package func exitCode() async -> Int32 {
        await blocking {
            // Blocks: a thread of its own.
            self.waitUntilExit()
            return self.terminationStatus
        }
    }

    /// Starts the process, and reads what it prints until it has exited.
    ///
    /// - Parameter withErrors: whether the standard error is read too, in the same pipe.
    package func output(withErrors: Bool = false) async throws -> (status: Int32, bytes: Data) {
        let pipe = Pipe()
        standardOutput = pipe
        if withErrors { standardError = pipe }
        try start()
        return await blocking {
            // Blocks: a thread of its own.
            let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
            // Blocks: the same thread.
            self.waitUntilExit()
            return (self.terminationStatus, bytes)
        }
    }

    /// Works around an out-of-bounds read in `run`: extends the heap, so that other heap memory
    /// follows the list of open descriptors.
    ///
    /// `run` reads each entry of /proc/self/fd as if its name had 256 bytes. An entry has 24 bytes, and the entries are in a
    /// buffer of 32 KiB. With more than about 1,350 open descriptors, which concurrent suites reach, `run` reads past the end of
    /// the buffer. If the buffer is at the end of the heap, this crashes the program.
    private static func extendHeap() {
        var memory: UnsafeMutableRawPointer?
        if posix_memalign(&memory, 16, 96 * 1024) == 0 { free(memory) }
    }
}
