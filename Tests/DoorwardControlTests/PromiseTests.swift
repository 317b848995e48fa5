import Testing

@testable import DoorwardControl

/// A value that is given once.
@Suite struct PromiseTests {
    @Test("what was given before somebody waits is there at once")
    func givenBefore() async {
        let promise = Promise<Int>()
        #expect(promise.current == nil)
        #expect(promise.fulfil(1))
        #expect(promise.current == 1)
        #expect(await promise.value == 1)
        #expect(await promise.value == 1, "it stays")
    }

    @Test("the first value wins, and the second giver is told")
    func firstWins() async {
        let promise = Promise<Int>()
        #expect(promise.fulfil(1))
        #expect(!promise.fulfil(2))
        #expect(await promise.value == 1)
    }

    @Test("of many givers on many threads one wins, and the one who waits gets that one's value", arguments: 0..<100)
    func manyGivers(round: Int) async {
        let promise = Promise<Int>()
        let winners = await withTaskGroup(of: Int?.self) { group in
            async let value = promise.value
            for giver in 0..<8 { group.addTask { promise.fulfil(giver) ? giver : nil } }
            var winners: [Int] = []
            for await winner in group { if let winner { winners.append(winner) } }
            winners.append(await value)
            return winners
        }
        #expect(winners.count == 2)
        #expect(winners.first == winners.last)
    }
}
