/// What a lock or its bridge publishes.
struct Frame: Hashable, Sendable {
    var topic: String
    var payload: [UInt8]
    /// 0 or 1. What an ecosystem sends with 2 goes with 1.
    var qos = 0
    var isRetained = false

    init(_ topic: String, _ payload: [UInt8], qos: Int = 0, isRetained: Bool = false) {
        (self.topic, self.payload, self.qos, self.isRetained) = (topic, payload, qos, isRetained)
    }

    init(_ topic: String, _ text: String, qos: Int = 0, isRetained: Bool = false) {
        self.init(topic, Array(text.utf8), qos: qos, isRetained: isRetained)
    }
}

/// What a lock or its bridge hears.
struct Message: Hashable, Sendable {
    let topic: String
    let payload: [UInt8]
    /// The broker had kept it. Most ecosystems do not look at this.
    var isRetained = false

    init(_ topic: String, _ payload: [UInt8], isRetained: Bool = false) {
        (self.topic, self.payload, self.isRetained) = (topic, payload, isRetained)
    }

    init(_ topic: String, _ text: String, isRetained: Bool = false) {
        self.init(topic, Array(text.utf8), isRetained: isRetained)
    }

    /// What is no UTF-8 reads as no word that any lock knows.
    var text: String { String(decoding: payload, as: UTF8.self) }
}
