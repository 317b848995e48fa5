import DoorwardTesting
import Glibc
import Testing

@testable import DoorwardMQTT

/// Tests that a refused TCP connection is distinguished from one that is accepted and then reset.
@Suite struct TCPInfoTests {
    @Test("a connection that is reset at once counts as accepted")
    func reset() throws {
        let listener = try Listener()
        defer { close(listener.descriptor) }
        let (client, isConnected) = LoopbackPort.connect(to: listener.port)
        defer { close(client) }
        #expect(isConnected)
        let server = accept(listener.descriptor, nil, nil)
        TCPInfo.resetOnClose(server)
        close(server)
        // Wait for the reset.
        var byte: UInt8 = 0
        #expect(recv(client, &byte, 1, 0) == -1)
        #expect(TCPInfo.wasAccepted(client))
    }

    @Test("a connection to a port without a listener counts as not accepted")
    func refused() throws {
        let held = try Listener(isListening: false)
        defer { close(held.descriptor) }
        let (client, isConnected) = LoopbackPort.connect(to: held.port)
        defer { close(client) }
        #expect(!isConnected)
        #expect(!TCPInfo.wasAccepted(client))
    }
}
