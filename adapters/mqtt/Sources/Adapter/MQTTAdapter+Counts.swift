internal import Synchronization

extension MQTTAdapter {
    /// Counters over all brokers.
    ///
    /// - `disconnects`: established connections that ended.
    /// - `connections_cut`: connections that the gateway reset, so that no message arrives late.
    /// - `orders`, `questions`: commands and state requests that were sent.
    /// - `frames_refused`: messages that a connection rejected.
    /// - `messages`: all messages that were received.
    /// - `messages_dropped`: messages that were dropped because they were too long or too many.
    /// - `messages_odd`: malformed or unexpected messages.
    package var counts: [String: Int] {
        let counters = context.counters
        return [
            "disconnects": counters.disconnects.load(ordering: .relaxed),
            "connections_cut": counters.writeTimeouts.load(ordering: .relaxed),
            "orders": counters.commandsPublished.load(ordering: .relaxed),
            "questions": counters.stateRequestsPublished.load(ordering: .relaxed),
            "frames_refused": counters.publishesFailed.load(ordering: .relaxed),
            "messages": counters.messagesReceived.load(ordering: .relaxed),
            "messages_dropped": counters.messagesDropped.load(ordering: .relaxed)
                + sessions.values.reduce(0) { $0 + $1.droppedMessages },
            "messages_odd": counters.malformedMessages.load(ordering: .relaxed),
        ]
    }
}
