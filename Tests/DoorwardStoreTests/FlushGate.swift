import Dispatch
import DoorwardStore
import Synchronization

/// Holds every flush back until it is opened, by hand or when the store has accepted so many transactions; counts flushes.
final class FlushGate: Sendable {
    private let batches = Mutex<[Int]>([])
    private let turnstile = DispatchSemaphore(value: 0)
    private let first = AsyncStream<Void>.makeStream()
    private let opening: Int?

    /// - Parameter opening: the number of accepted transactions that opens the gate; `nil` to open it by hand alone.
    init(openingAfter opening: Int? = nil) { self.opening = opening }

    /// How many transactions each flush was for.
    var sizes: [Int] { batches.withLock { $0 } }

    func open() { turnstile.signal() }

    /// Waits until a flush is held back: what is accepted from then on is not part of it. To be called once.
    func untilHeld() async { for await _ in first.stream { return } }

    func hooks() -> StoreHooks {
        StoreHooks(
            afterAdmission: { number in if number == self.opening { self.open() } },
            beforeCommit: { _ in
                self.first.continuation.yield()
                // The writer's own thread waits here, as it would in a flush that takes long. Once open, the gate stays open.
                self.turnstile.wait()
                self.turnstile.signal()
            },
            afterCommit: { count in self.batches.withLock { $0.append(count) } })
    }
}
