/// The subscriptions by which the response to a message arrives.
package struct MQTTResponseSubscriptions: Sendable {
    /// Subscriptions that the broker must have granted.
    package var required: [MQTTFilter]
    /// Subscriptions that the broker must have granted or refused.
    package var optional: [MQTTFilter]

    package init(required: [MQTTFilter], optional: [MQTTFilter] = []) { (self.required, self.optional) = (required, optional) }

    /// For a message that expects no response.
    package static let none = MQTTResponseSubscriptions(required: [])
}
