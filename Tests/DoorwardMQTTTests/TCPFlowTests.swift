import DoorwardTesting
import Glibc
import Testing

@testable import DoorwardMQTT

/// A connection that is refused and one that is reset need different explanations.
@Suite struct TCPFlowTests {
    @Test("a connection that was reset at once was accepted; one to a port without a listener was not")
    func accepted() throws {
        let listener = try Listener()
        defer { close(listener.descriptor) }
        let client = connected(to: listener.port)
        defer { close(client) }
        let server = accept(listener.descriptor, nil, nil)
        // Closing resets the connection.
        TCPFlow.dropOnClose(server)
        close(server)
        #expect(waitForEnd(of: client) & POLLHUP != 0)
        #expect(TCPFlow.wasAccepted(client))

        // Bound, so that no other program listens there.
        let (held, port) = boundPort()
        defer { close(held) }
        let refused = connected(to: port)
        defer { close(refused) }
        #expect(waitForEnd(of: refused) & POLLHUP != 0)
        #expect(!TCPFlow.wasAccepted(refused))
    }

    /// A socket whose connection has been requested.
    private func connected(to port: Int) -> Int32 {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        _ = fcntl(client, F_SETFL, O_NONBLOCK)
        withLoopbackAddress(port) { _ = Glibc.connect(client, $0, $1) }
        return client
    }

    /// A socket that does not listen, and its port.
    private func boundPort() -> (socket: Int32, port: Int) {
        let held = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let port = withLoopbackAddress(0) { address, length in
            var length = length
            bind(held, address, length)
            getsockname(held, address, &length)
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { Int($0.pointee.sin_port.bigEndian) }
        }
        return (held, port)
    }

    private func withLoopbackAddress<Result>(_ port: Int, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result) -> Result
    {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = in_port_t(port).bigEndian
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }

    /// - Returns: what `poll` says of the socket when its connection has ended.
    private func waitForEnd(of socket: Int32) -> Int32 {
        var entry = pollfd(fd: socket, events: 0, revents: 0)
        while poll(&entry, 1, -1) < 0 {}
        return Int32(entry.revents)
    }
}
