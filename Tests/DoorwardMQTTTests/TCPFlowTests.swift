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
        let client = try connected(to: listener.port)
        defer { close(client) }
        let server = accept(listener.descriptor, nil, nil)
        // Closing resets the connection.
        TCPFlow.dropOnClose(server)
        close(server)
        #expect(waitForEnd(of: client) & POLLHUP != 0)
        #expect(TCPFlow.wasAccepted(client))

        let refused = try connected(to: LoopbackPort.free())
        defer { close(refused) }
        #expect(waitForEnd(of: refused) & POLLHUP != 0)
        #expect(!TCPFlow.wasAccepted(refused))
    }

    /// A socket whose connection has been requested.
    private func connected(to port: Int) throws -> Int32 {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        _ = fcntl(client, F_SETFL, O_NONBLOCK)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = in_port_t(port).bigEndian
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return client
    }

    private func waitForEnd(of socket: Int32) -> Int32 {
        var entry = pollfd(fd: socket, events: 0, revents: 0)
        while poll(&entry, 1, -1) < 0 {}
        return Int32(entry.revents)
    }
}
