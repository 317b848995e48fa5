import Foundation

/// One line of the fleet's frame log: a message that a played lock received or published.
struct FleetFrame: Decodable, Sendable {
    /// `in` or `out`, from the fleet's side.
    let direction: String
    let topic: String
    /// The client id of the fleet's connection, which serves one bridge or lock.
    let client: String
    /// `nil` if the payload is not UTF-8.
    let payload: String?
    let retain: Bool

    /// Whether the frame is the message that the fleet publishes first on each connection.
    var isConnectionMark: Bool { direction == "out" && topic.hasPrefix("doorward-mqtt-locks/ready/") }

    /// Whether the frame is a command to a lock.
    var isOrder: Bool { direction == "in" && (topic.hasSuffix("/set") || topic.hasSuffix("/lockAction")) }
}
