import Dispatch
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

/// A datagram socket of this machine, such as the one on which a service manager receives the states of its services.
package final class DatagramReceiver: Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "doorward.tests.datagrams")

    /// Why no socket could be bound.
    package struct Failed: Error {
        /// The error of the operating system.
        package let reason: String
    }

    /// - Parameter name: a path, or `@` and a name in the abstract namespace.
    package init(_ name: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = name.hasPrefix("@") ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path) + bytes.count)
        let descriptor = descriptor
        guard withSocketAddress(&address, { bind(descriptor, $0, length) }) == 0 else {
            throw Failed(reason: String(cString: strerror(errno)))
        }
    }

    deinit { close(descriptor) }

    /// Waits for the next datagram, on a thread of its own.
    package func next() async -> String {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = recv(descriptor, &bytes, bytes.count, 0)
                continuation.resume(returning: String(decoding: bytes[..<max(0, count)], as: UTF8.self))
            }
        }
    }
}
