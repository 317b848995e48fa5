import DoorwardMQTT
import DoorwardTesting
import Testing

@testable import AdapterMQTT

@Suite struct TopicSubscribersTests {
    /// Compares the index with a linear search in a list.
    @Test("a topic finds exactly the values whose filter matches it", arguments: 0..<40 as Range<UInt64>)
    func finds(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var subscribers = TopicSubscribers<Int>()
        var list: [(value: Int, filter: MQTTFilter)] = []
        for _ in 0..<300 {
            // The filters of locks are exact topics, and topics whose last level is a wildcard.
            let ending = Bool.random(using: &random) ? "/+" : ""
            guard let filter = MQTTFilter(Self.topic(&random) + ending) else { continue }
            let value = Int.random(in: 0..<8, using: &random)
            if Bool.random(using: &random) {
                subscribers.insert(value, at: filter)
                if !list.contains(where: { $0 == (value, filter) }) { list.append((value, filter)) }
            } else {
                list.removeAll { $0 == (value, filter) }
                subscribers.remove(value, at: filter)
            }
            #expect(subscribers[filter] == Set(list.filter { $0.filter == filter }.map(\.value)))
            let topic = Self.topic(&random)
            #expect(subscribers.matching(topic) == Set(list.filter { $0.filter.matches(topic) }.map(\.value)))
        }
        for (value, filter) in list { subscribers.remove(value, at: filter) }
        #expect(subscribers.byFilter.isEmpty, "a filter without values is not kept")
    }

    private static func topic(_ random: inout SeededGenerator) -> String {
        let words = ["a", "b", "", "$SYS", "e\u{301}", "é", "\u{301}b"]
        let levels = (0..<Int.random(in: 1...4, using: &random)).map { _ in words.randomElement(using: &random) ?? "a" }
        return levels.joined(separator: "/")
    }
}
