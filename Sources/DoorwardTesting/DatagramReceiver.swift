import Dispatch
import Glibc

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
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard result == 0 else { throw Failed(reason: String(cString: strerror(errno))) }
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
