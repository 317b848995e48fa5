internal import Synchronization

extension MQTTAdapter {
    /// Counters over all brokers: ended connections (`disconnects`), those of them that the gateway cut so that nothing arrives
    /// late (`connections_cut`), frames that were sent (`orders`, `questions`) or rejected (`frames_refused`), and messages: all
    /// received, dropped as too long or too many (`messages_dropped`), and malformed or unexpected (`messages_odd`).
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
