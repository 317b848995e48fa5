internal import DoorwardControl
import Synchronization

/// A transaction that waits for the writer, and its caller.
struct WaitingTransaction: Sendable {
    let transaction: StoreTransaction
    let caller: CheckedContinuation<Result<[RecordPosition], StoreError>, Never>

    func answer(_ result: Result<[RecordPosition], StoreError>) { caller.resume(returning: result) }
}

/// The bounded queue of the writer. Transactions take effect in the order in which they were accepted.
final class Inbox: Sendable {
    private struct State {
        var waiting: [WaitingTransaction] = []
        var accepted = 0
        var isClosed = false
        /// Whether the writer was woken and will take from the queue again.
        var isWriterAwake = false
    }

    enum Admission {
        /// Accepted; the writer is already awake. The number counts accepted transactions, from 1.
        case accepted(number: Int)
        /// Accepted; the caller must wake the writer.
        case acceptedFirst(number: Int)
        /// The queue is full or closed.
        case rejected
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    func admit(_ transaction: WaitingTransaction) -> Admission {
        state.withLock { state in
            guard !state.isClosed, state.waiting.count < limit else { return .rejected }
            state.waiting.append(transaction)
            state.accepted += 1
            if state.isWriterAwake { return .accepted(number: state.accepted) }
            state.isWriterAwake = true
            return .acceptedFirst(number: state.accepted)
        }
    }

    /// Takes the oldest waiting transactions, at most `count`. If there are none, the next accepted one must wake the writer.
    func take(_ count: Int) -> [WaitingTransaction] {
        state.withLock { state in
            let taken = Array(state.waiting.prefix(count))
            state.waiting.removeFirst(taken.count)
            state.isWriterAwake = !taken.isEmpty
            return taken
        }
    }

    func close() { state.withLock { $0.isClosed = true } }
}
