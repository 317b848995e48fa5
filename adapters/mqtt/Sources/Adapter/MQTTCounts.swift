internal import DoorwardMQTT

/// What an adapter has counted over all its brokers since it was made, and how they are. Names nobody.
package struct MQTTCounts: Hashable, Sendable {
    /// Brokers of the configuration.
    package internal(set) var brokers = 0
    /// Those whose connection stands.
    package internal(set) var connected = 0
    /// Connections that ended, or could not be made.
    package internal(set) var disconnects = 0
    /// Connections that were cut since a frame could not get to its broker while it meant anything.
    package internal(set) var cutAsStuck = 0
    /// Frames of orders that were handed over.
    package internal(set) var orders = 0
    /// Frames that only ask.
    package internal(set) var questions = 0
    /// Frames that a connection did not take.
    package internal(set) var framesRefused = 0
    /// Messages that came.
    package internal(set) var messages = 0
    /// Messages that were too long or too many to be looked at.
    package internal(set) var messagesDropped = 0
    /// Messages that were odd: not readable, unknown words, old events, retained commands.
    package internal(set) var messagesOdd = 0
}

extension MQTTAdapter {
    /// How the brokers are, and what was counted.
    package var counts: MQTTCounts {
        var counts = MQTTCounts()
        counts.brokers = links.count
        for link in links.values {
            guard let health = link.health else { continue }
            if health.connectedSince != nil { counts.connected += 1 }
            counts.disconnects += health.counts.disconnects
            counts.cutAsStuck += health.counts.cutAsStuck
            counts.framesRefused += health.counts.framesRefused
            counts.messages += health.counts.messagesIn
            counts.messagesDropped += health.counts.messagesDropped
        }
        let counters = surroundings.counters
        counts.orders = counters.orders.load(ordering: .relaxed)
        counts.questions = counters.questions.load(ordering: .relaxed)
        counts.messagesDropped += counters.dropped.load(ordering: .relaxed)
        counts.messagesOdd = counters.odd.load(ordering: .relaxed)
        return counts
    }
}
