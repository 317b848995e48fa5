internal import Synchronization

extension MQTTAdapter {
    /// What was counted over all brokers: connections that ended (`disconnects`), of these the ones that the gateway cut so that
    /// nothing arrives late (`connections_cut`), frames that left (`orders`, `questions`) or did not (`frames_refused`), and
    /// messages: all that were handed on, those too long or too many to be looked at (`messages_dropped`), and odd ones
    /// (`messages_odd`).
    package var counts: [String: Int] {
        let counters = surroundings.counters
        return [
            "disconnects": counters.disconnects.load(ordering: .relaxed),
            "connections_cut": counters.cuts.load(ordering: .relaxed),
            "orders": counters.orders.load(ordering: .relaxed),
            "questions": counters.questions.load(ordering: .relaxed),
            "frames_refused": counters.refused.load(ordering: .relaxed),
            "messages": counters.messages.load(ordering: .relaxed),
            "messages_dropped": counters.dropped.load(ordering: .relaxed) + links.values.reduce(0) { $0 + $1.untaken },
            "messages_odd": counters.odd.load(ordering: .relaxed),
        ]
    }
}
