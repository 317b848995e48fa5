import Dispatch
import Glibc

/// A TCP connection for requests that no client library would send, such as half a request.
final class RawConnection: Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "doorward.tests.raw-connection")

    struct Failed: Error { let reason: String }

    /// - Parameters:
    ///   - source: the last byte of the local address, `127.0.0.N`.
    ///   - receiveBuffer: the size of the receive buffer in bytes; by default that of the operating system.
    init(port: Int, from source: UInt8 = 1, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failed(reason: String(cString: strerror(errno))) }
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        let own = Self.address(source, port: 0)
        let server = Self.address(1, port: port)
        let descriptor = descriptor
        let results = [(own, bind), (server, connect)].map { address, call in
            withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        guard results == [0, 0] else { throw Failed(reason: String(cString: strerror(errno))) }
    }

    deinit { close(descriptor) }

    private static func address(_ host: UInt8, port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = (UInt32(0x7F00_0000) + UInt32(host)).bigEndian
        return address
    }

    /// - Returns: `false` if the peer has closed the connection.
    @discardableResult
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Sends `text` again and again, until `bytes` bytes have been sent or the peer has closed the connection.
    ///
    /// - Returns: whether the peer has closed the connection.
    func flood(_ text: String, upTo bytes: Int) async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                var sent = 0
                while sent < bytes, send(text) { sent += text.utf8.count }
                continuation.resume(returning: sent < bytes)
            }
        }
    }

    /// Closes the sending direction of the connection.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads until the peer closes the connection.
    func rest() async -> String {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                var text = ""
                while let part = read() { text += part }
                continuation.resume(returning: text)
            }
        }
    }

    /// Reads up to and including the end of a response head.
    func head() async -> String { await text(upTo: "\r\n\r\n") }

    /// Reads up to and including `end`, with any bytes received together with it.
    func text(upTo end: String) async -> String {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                var text = ""
                while !text.contains(end), let part = read() { text += part }
                continuation.resume(returning: text)
            }
        }
    }

    private func read() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
