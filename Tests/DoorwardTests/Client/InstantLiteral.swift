import DoorwardClient

/// Instants of test data, as the API writes them. A text that is none becomes an instant that no test expects.
extension Doorward.Instant: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self = Doorward.Instant(text) ?? Doorward.Instant(milliseconds: .min / 2) }
}
