/// A message that a lock or its bridge publishes.
struct OutgoingMessage: Hashable, Sendable {
    var topic: String
    var payload: [UInt8]
    /// 0 or 1. Messages that an ecosystem sends with QoS 2 have 1.
    var qos = 0
    var isRetained = false

    init(_ topic: String, _ payload: [UInt8], qos: Int = 0, isRetained: Bool = false) {
        (self.topic, self.payload, self.qos, self.isRetained) = (topic, payload, qos, isRetained)
    }

    init(_ topic: String, _ text: String, qos: Int = 0, isRetained: Bool = false) {
        self.init(topic, Array(text.utf8), qos: qos, isRetained: isRetained)
    }
}

/// A message that a lock or its bridge receives.
struct IncomingMessage: Hashable, Sendable {
    let topic: String
    let payload: [UInt8]
    /// Whether the message is a retained one. Most ecosystems ignore this.
    var isRetained = false

    init(_ topic: String, _ payload: [UInt8], isRetained: Bool = false) {
        (self.topic, self.payload, self.isRetained) = (topic, payload, isRetained)
    }

    init(_ topic: String, _ text: String, isRetained: Bool = false) {
        self.init(topic, Array(text.utf8), isRetained: isRetained)
    }

    /// The payload as text. Invalid UTF-8 is repaired, and matches no value of a lock.
    var text: String { String(decoding: payload, as: UTF8.self) }
}
