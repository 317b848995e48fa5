internal import Foundation
import Glibc

/// A broker whose response to each MQTT packet a test determines. It simulates brokers that behave unusually or incorrectly.
package final class ScriptedBroker: Sendable {
    /// The response to a packet.
    package enum Response {
        /// Sends these bytes.
        case send([UInt8])
        /// Closes the connection.
        case close
        /// Sends nothing.
        case nothing
    }

    /// The loopback port that the broker listens on.
    package let port: Int
    private let listener: Int32
    private let respond: @Sendable ([UInt8]) -> Response

    /// - Parameter respond: returns the response to a packet. It is called with each complete packet, one packet at a time per
    ///   connection. While the call blocks, the connection is not read.
    package init(_ respond: @escaping @Sendable ([UInt8]) -> Response) throws {
        let listener = try Listener()
        (port, self.listener, self.respond) = (listener.port, listener.descriptor, respond)
        listener.accept { [self] client in serve(client) }
    }

    /// Stops listening: no further connection is accepted.
    package func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        Glibc.close(listener)
    }

    private func serve(_ client: Int32) {
        defer { Glibc.close(client) }
        var (bytes, buffer): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 65_536))
        while case let count = recv(client, &buffer, buffer.count, 0), count > 0 {
            bytes += buffer[..<count]
            var start = 0
            while let length = ScriptedPacket.length(of: bytes[start...]), bytes.count - start >= length {
                let packet = Array(bytes[start..<start + length])
                start += length
                switch respond(packet) {
                case .send(let response): send(client, response, response.count, Int32(MSG_NOSIGNAL))
                case .close: return
                case .nothing: break
                }
            }
            bytes.removeFirst(start)
        }
    }
}

/// MQTT 5.0 packets for a `ScriptedBroker`.
package enum ScriptedPacket {
    /// Returns a CONNACK, with a Receive Maximum if one is given.
    package static func connack(receiveMaximum: UInt8? = nil) -> [UInt8] {
        guard let receiveMaximum else { return [0x20, 3, 0, 0, 0] }
        return [0x20, 6, 0, 0, 3, 0x21, 0, receiveMaximum]
    }

    /// Returns the SUBACK for a SUBSCRIBE, with these reason codes. A single code is repeated for all filters.
    package static func suback(_ subscribe: [UInt8], _ codes: UInt8...) -> [UInt8] {
        let codes = codes.count == 1 ? filters(of: subscribe).map { _ in codes[0] } : codes
        let header: [UInt8] = [0x90, UInt8(3 + codes.count)]
        return header + identifier(of: subscribe) + [0] + codes
    }

    /// Returns an UNSUBACK for one filter, with the reason code "no subscription existed".
    package static func unsuback(_ unsubscribe: [UInt8]) -> [UInt8] {
        let identifier = identifier(of: unsubscribe)
        return [0xB0, 4, identifier[0], identifier[1], 0, 0x11]
    }

    /// Returns a PUBACK with a reason code, for a PUBLISH with QoS 1.
    package static func puback(_ publish: [UInt8], _ code: UInt8 = 0) -> [UInt8] {
        let start = headerLength(of: publish)
        let topic = Int(publish[start]) << 8 | Int(publish[start + 1])
        let identifier = Array(publish[(start + 2 + topic)...].prefix(2))
        return [0x40, 3, identifier[0], identifier[1], code]
    }

    /// Returns the packet identifier of a SUBSCRIBE or UNSUBSCRIBE.
    package static func identifier(of packet: [UInt8]) -> [UInt8] { Array(packet[headerLength(of: packet)...].prefix(2)) }

    /// Returns the filters of a SUBSCRIBE without properties.
    package static func filters(of subscribe: [UInt8]) -> [String] {
        var (rest, filters) = (subscribe.dropFirst(headerLength(of: subscribe) + 3), [] as [String])
        while rest.count > 2 {
            let length = Int(rest.removeFirst()) << 8 | Int(rest.removeFirst())
            filters.append(String(decoding: rest.prefix(length), as: UTF8.self))
            rest = rest.dropFirst(length + 1)
        }
        return filters
    }

    /// Returns the length of the packet that begins with `bytes`; `nil` if its length field is incomplete.
    fileprivate static func length(of bytes: ArraySlice<UInt8>) -> Int? {
        var (length, shift) = (0, 0)
        for (index, byte) in bytes.dropFirst().prefix(4).enumerated() {
            length |= Int(byte & 0x7F) << shift
            shift += 7
            if byte & 0x80 == 0 { return 2 + index + length }
        }
        return nil
    }

    private static func headerLength(of packet: [UInt8]) -> Int { 2 + packet.dropFirst().prefix { $0 & 0x80 != 0 }.count }
}
