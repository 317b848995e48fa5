/// The subscriptions by which the answer to a frame arrives.
package struct MQTTAnswerPaths: Sendable {
    /// Subscriptions that the broker must have granted.
    package var needed: [MQTTFilter]
    /// Subscriptions that the broker must have granted or refused.
    package var asked: [MQTTFilter]

    package init(needed: [MQTTFilter], asked: [MQTTFilter] = []) { (self.needed, self.asked) = (needed, asked) }

    /// For a frame that expects no answer.
    package static let none = MQTTAnswerPaths(needed: [])
}
