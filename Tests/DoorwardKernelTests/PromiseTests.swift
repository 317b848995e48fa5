import Testing

@testable import DoorwardKernel

/// A value that is set once, and that tasks can wait for.
@Suite struct PromiseTests {
    @Test("a value that was set before a task waits is available immediately")
    func givenBefore() async {
        let promise = Promise<Int>()
        #expect(promise.current == nil)
        #expect(promise.fulfil(1))
        #expect(promise.current == 1)
        #expect(await promise.value == 1)
        #expect(await promise.value == 1, "the value stays")
    }

    @Test("the first value wins, and setting another one returns `false`")
    func firstWins() async {
        let promise = Promise<Int>()
        #expect(promise.fulfil(1))
        #expect(!promise.fulfil(2))
        #expect(await promise.value == 1)
    }

    @Test("if many threads set a value, exactly one wins, and a waiting task gets its value", arguments: 0..<100)
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
