import DoorwardControl
import Testing

@testable import DoorwardStore

@Suite struct InboxTests {
    @Test("The first queued transaction wakes the writer, and then only the first after the writer found the inbox empty")
    func wakeUps() async {
        let inbox = Inbox(limit: 10)
        await withWaiting(5) { waiting in
            #expect(admit(waiting[0], inbox) == "first 1")
            #expect(admit(waiting[1], inbox) == "2")
            #expect(inbox.take(10).count == 2)
            // The writer is still running: it takes transactions again before it sleeps.
            #expect(admit(waiting[2], inbox) == "3")
            #expect(inbox.take(10).count == 1)
            #expect(inbox.take(10).isEmpty)
            #expect(admit(waiting[3], inbox) == "first 4")
            #expect(admit(waiting[4], inbox) == "5")
            #expect(inbox.take(1).count == 1)
            #expect(inbox.take(1).count == 1)
        }
    }

    @Test("A full inbox rejects transactions, and has room again for as many as were taken", arguments: [1, 3])
    func bound(limit: Int) async {
        let inbox = Inbox(limit: limit)
        await withWaiting(limit + 2) { waiting in
            for index in 0..<limit { #expect(admit(waiting[index], inbox) != "away") }
            #expect(admit(waiting[limit], inbox) == "away")
            #expect(inbox.take(1).count == 1)
            #expect(admit(waiting[limit + 1], inbox) == "\(limit + 1)")
        }
    }

    @Test("A closed inbox rejects transactions, and those queued before can still be taken")
    func closed() async {
        let inbox = Inbox(limit: 10)
        await withWaiting(2) { waiting in
            _ = admit(waiting[0], inbox)
            inbox.close()
            #expect(admit(waiting[1], inbox) == "away")
            #expect(inbox.take(10).count == 1)
            #expect(inbox.take(10).isEmpty)
        }
    }

    private func admit(_ waiting: WaitingTransaction, _ inbox: Inbox) -> String {
        switch inbox.admit(waiting) {
        case .accepted(let number): "\(number)"
        case .acceptedFirst(let number): "first \(number)"
        case .rejected: "away"
        }
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
