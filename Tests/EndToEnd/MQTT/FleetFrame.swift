import Foundation

/// One line of the fleet's frame log: what a played lock heard from the broker, or said to it.
struct FleetFrame: Decodable, Sendable {
    /// `in` or `out`, as the fleet sees it.
    let direction: String
    let topic: String
    /// The connection of the fleet, which serves one bridge or lock.
    let client: String
    /// `nil` for one that is no UTF-8.
    let payload: String?
    let retain: Bool

    /// Whether the fleet said it as the first thing on a connection.
    var isConnectionMark: Bool { direction == "out" && topic.hasPrefix("doorward-mqtt-locks/ready/") }

    /// Whether it tells a lock to move.
    var isOrder: Bool { direction == "in" && (topic.hasSuffix("/set") || topic.hasSuffix("/lockAction")) }
}
