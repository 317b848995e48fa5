internal import Synchronization

extension MQTTAdapter {
    /// Counters over all brokers.
    ///
    /// - `disconnects`: established connections that ended.
    /// - `connections_cut`: connections that the gateway cut, so that no frame arrives late.
    /// - `orders`, `questions`: commands and state requests that were sent.
    /// - `frames_refused`: frames that a connection rejected.
    /// - `messages`: all messages that were received.
    /// - `messages_dropped`: messages that were dropped because they were too long or too many.
    /// - `messages_odd`: malformed or unexpected messages.
    package var counts: [String: Int] {
        let counters = surroundings.counters
        return [
            "disconnects": counters.disconnects.load(ordering: .relaxed),
            "connections_cut": counters.cuts.load(ordering: .relaxed),
            "orders": counters.orders.load(ordering: .relaxed),
            "questions": counters.questions.load(ordering: .relaxed),
            "frames_refused": counters.refused.load(ordering: .relaxed),
            "messages": counters.messages.load(ordering: .relaxed),
            "messages_dropped": counters.dropped.load(ordering: .relaxed) + links.values.reduce(0) { $0 + $1.droppedMessages },
            "messages_odd": counters.odd.load(ordering: .relaxed),
        ]
    }
}
