import DoorwardTesting
import Glibc
import Testing

@testable import DoorwardMQTT

/// A connection that is refused and one that is reset need different explanations.
@Suite struct TCPInfoTests {
    @Test("a connection that was reset at once was accepted")
    func reset() throws {
        let listener = try Listener()
        defer { close(listener.descriptor) }
        let (client, isConnected) = LoopbackPort.connect(to: listener.port)
        defer { close(client) }
        #expect(isConnected)
        let server = accept(listener.descriptor, nil, nil)
        TCPInfo.dropOnClose(server)
        close(server)
        // Waits for the reset.
        var byte: UInt8 = 0
        #expect(recv(client, &byte, 1, 0) == -1)
        #expect(TCPInfo.wasAccepted(client))
    }

    @Test("a connection to a port without a listener was not accepted")
    func refused() throws {
        let held = try Listener(isListening: false)
        defer { close(held.descriptor) }
        let (client, isConnected) = LoopbackPort.connect(to: held.port)
        defer { close(client) }
        #expect(!isConnected)
        #expect(!TCPInfo.wasAccepted(client))
    }
}
