import Foundation

/// One line of the fleet's frame log: what a played lock heard from the broker, or said to it.
struct FleetFrame: Decodable, Sendable {
    /// Milliseconds since 1970, by the clock that the gateway's times come from too.
    let wallMs: Int64
    /// `in` or `out`, as the fleet sees it.
    let direction: String
    let topic: String
    /// `nil` for one that is no UTF-8.
    let payload: String?
    let retain: Bool

    /// Whether it tells a lock to move.
    var isOrder: Bool { direction == "in" && (topic.hasSuffix("/set") || topic.hasSuffix("/lockAction")) }
}
