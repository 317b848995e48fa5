import DoorwardTesting
import Foundation
import Glibc

/// A device that writes the bytes of MQTT 3.1.1 packets itself, to send packets that a library would reject.
struct RawDevice {
    private let descriptor: Int32

    /// Connects, and waits for a CONNACK that accepts the connection.
    init(port: Int, id: String = UUID().uuidString) throws {
        let isConnected: Bool
        (descriptor, isConnected) = LoopbackPort.connect(to: port)
        guard isConnected else { throw POSIXError(.ECONNREFUSED) }
        send(Self.packet(0x10, Self.text(Array("MQTT".utf8)) + [4, 2, 0, 0] + Self.text(Array(id.utf8))))
        guard receive(4) == [0x20, 2, 0, 0] else { throw POSIXError(.ECONNREFUSED) }
    }

    func close() { Glibc.close(descriptor) }

    /// Returns whether the broker has closed the connection. Sends a PINGREQ and waits for the answer or the close.
    func isDisconnected() -> Bool {
        send([0xC0, 0])
        return receive(2) != [0xD0, 0]
    }

    func publish(_ topic: [UInt8], _ payload: [UInt8], isRetained: Bool = false) {
        send(Self.publish(topic, payload, isRetained: isRetained))
    }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private func receive(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
    }

    static func publish(_ topic: [UInt8], _ payload: [UInt8], isRetained: Bool = false) -> [UInt8] {
        packet(isRetained ? 0x31 : 0x30, text(topic) + payload)
    }

    private static func text(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes }

    private static func packet(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
        var (length, rest): ([UInt8], Int) = ([], body.count)
        repeat {
            length.append(UInt8(rest % 128) | (rest >= 128 ? 0x80 : 0))
            rest /= 128
        } while rest > 0
        return [type] + length + body
    }
}
