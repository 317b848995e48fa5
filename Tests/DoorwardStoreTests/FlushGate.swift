import Dispatch
import Synchronization

@testable import DoorwardStore

/// A gate that holds back every flush until it is opened by the test or by a number of accepted
/// transactions. It also records the sizes of the flushes.
final class FlushGate: Sendable {
    private let batches = Mutex<[Int]>([])
    private let gate = DispatchSemaphore(value: 0)
    private let first = AsyncStream<Void>.makeStream()
    private let opening: Int?
    /// The number of accepted transactions.
    let accepted = Atomic(0)

    /// - Parameter opening: the number of accepted transactions that opens the gate; `nil` if only the test opens it.
    init(openingAfter opening: Int? = nil) { self.opening = opening }

    /// The number of transactions in each flush.
    var sizes: [Int] { batches.withLock { $0 } }

    func open() { gate.signal() }

    /// Waits until a flush is held back: transactions accepted afterwards are not part of it. May be called only once.
    func untilHeld() async { for await _ in first.stream { return } }

    func hooks() -> StoreHooks {
        StoreHooks(
            afterAdmission: { number in
                self.accepted.store(number, ordering: .releasing)
                if number == self.opening { self.open() }
            },
            beforeCommit: { _ in
                self.first.continuation.yield()
                // The writer's own thread waits here, as in a slow flush. Once open, the gate stays open.
                // Blocks: the writer's own thread.
                self.gate.wait()
                self.gate.signal()
            },
            afterCommit: { count in self.batches.withLock { $0.append(count) } })
    }
}
