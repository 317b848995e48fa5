import DoorwardControl
import Testing

@testable import DoorwardStore

@Suite struct WriteQueueTests {
    @Test("The first queued transaction wakes the writer, and then only the first after the writer found the queue empty")
    func wakeUps() async {
        let queue = WriteQueue(limit: 10)
        await withWaiting(5) { waiting in
            #expect(enqueue(waiting[0], queue) == "first 1")
            #expect(enqueue(waiting[1], queue) == "2")
            #expect(queue.take(10).count == 2)
            // The writer is still running: it takes transactions again before it sleeps.
            #expect(enqueue(waiting[2], queue) == "3")
            #expect(queue.take(10).count == 1)
            #expect(queue.take(10).isEmpty)
            #expect(enqueue(waiting[3], queue) == "first 4")
            #expect(enqueue(waiting[4], queue) == "5")
            #expect(queue.take(1).count == 1)
            #expect(queue.take(1).count == 1)
        }
    }

    @Test("A full queue rejects transactions, and has room again for as many as were taken", arguments: [1, 3])
    func bound(limit: Int) async {
        let queue = WriteQueue(limit: limit)
        await withWaiting(limit + 2) { waiting in
            for index in 0..<limit { #expect(enqueue(waiting[index], queue) != "away") }
            #expect(enqueue(waiting[limit], queue) == "away")
            #expect(queue.take(1).count == 1)
            #expect(enqueue(waiting[limit + 1], queue) == "\(limit + 1)")
        }
    }

    @Test("A closed queue rejects transactions, and those queued before can still be taken")
    func closed() async {
        let queue = WriteQueue(limit: 10)
        await withWaiting(2) { waiting in
            _ = enqueue(waiting[0], queue)
            queue.close()
            #expect(enqueue(waiting[1], queue) == "away")
            #expect(queue.take(10).count == 1)
            #expect(queue.take(10).isEmpty)
        }
    }

    private func enqueue(_ waiting: WaitingTransaction, _ queue: WriteQueue) -> String {
        queue.enqueue(waiting).map { $0.wakes ? "first \($0.number)" : "\($0.number)" } ?? "away"
    }

    /// Calls `body` with `count` waiting transactions, and answers them all afterwards.
    private func withWaiting(_ count: Int, _ body: ([WaitingTransaction]) -> Void) async {
        let (arrivals, arrived) = AsyncStream<WaitingTransaction>.makeStream()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    _ = await withCheckedContinuation { caller in
                        arrived.yield(WaitingTransaction(transaction: PreparedTransaction(StoreTransaction()), caller: caller))
                    }
                }
            }
            var waiting: [WaitingTransaction] = []
            for await one in arrivals {
                waiting.append(one)
                if waiting.count == count { break }
            }
            body(waiting)
            for one in waiting { one.answer(.success([])) }
        }
    }
}
