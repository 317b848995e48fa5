import DoorwardTesting
import Foundation
import Glibc

/// Answers packets as a test has it, where no real broker would.
final class ScriptedBroker: Sendable {
    /// What is done about a packet.
    enum Answer {
        case send([UInt8])
        /// Ends the connection.
        case close
        case nothing
    }

    let port: Int
    private let listener: Int32
    private let answer: @Sendable ([UInt8]) -> Answer

    /// - Parameter answer: is given each packet, whole, and for what is no MQTT at all its first bytes.
    init(_ answer: @escaping @Sendable ([UInt8]) -> Answer) throws {
        let listener = try Listener()
        (port, self.listener, self.answer) = (listener.port, listener.descriptor, answer)
        Thread.detachNewThread { [self] in
            while case let client = accept(self.listener, nil, nil), client >= 0 {
                Thread.detachNewThread { [self] in serve(client) }
            }
        }
    }

    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        Glibc.close(listener)
    }

    private func serve(_ client: Int32) {
        defer { Glibc.close(client) }
        var (bytes, buffer): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 4096))
        while case let count = recv(client, &buffer, buffer.count, 0), count > 0 {
            bytes += buffer[..<count]
            while bytes.count >= 2, case let length = 2 + Int(bytes[1]), bytes.count >= min(length, 16) {
                let packet = Array(bytes.prefix(length))
                bytes.removeFirst(packet.count)
                switch answer(packet) {
                case .send(let answer): send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
                case .close: return
                case .nothing: break
                }
            }
        }
    }
}
