import DoorwardMQTT
import DoorwardTesting
import Testing

@testable import AdapterMQTT

@Suite struct TopicTreeTests {
    private static let words = ["a", "b", "", "$SYS", "+", "#"]

    /// Compares the tree with a linear search in a list.
    @Test("a topic finds exactly the values whose filter matches it", arguments: 0..<40 as Range<UInt64>)
    func finds(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var tree = TopicTree<Int>()
        var list: [(value: Int, filter: MQTTFilter)] = []
        for _ in 0..<300 {
            guard let filter = MQTTFilter(Self.text(from: Self.words, &random)) else { continue }
            let value = Int.random(in: 0..<8, using: &random)
            if Bool.random(using: &random) {
                let isFirst = !list.contains { $0.filter == filter }
                #expect(tree.insert(value, at: filter) == isFirst)
                if !list.contains(where: { $0 == (value, filter) }) { list.append((value, filter)) }
            } else {
                list.removeAll { $0 == (value, filter) }
                #expect(tree.remove(value, at: filter) == !list.contains { $0.filter == filter })
            }
            let topic = Self.text(from: ["a", "b", "", "$SYS"], &random)
            #expect(tree.values(matching: topic) == Set(list.filter { $0.filter.matches(topic) }.map(\.value)))
        }
    }

    private static func text(from words: [String], _ random: inout SeededGenerator) -> String {
        let levels = (0..<Int.random(in: 1...4, using: &random)).map { _ in words.randomElement(using: &random) ?? "a" }
        return levels.joined(separator: "/")
    }

    @Test("the tree is empty after the only value of its only filter is removed")
    func empty() throws {
        var tree = TopicTree<Int>()
        let filter = try #require(MQTTFilter("house/+/lock/#"))
        _ = tree.insert(1, at: filter)
        _ = tree.remove(1, at: filter)
        #expect(tree.isEmpty)
    }
}
