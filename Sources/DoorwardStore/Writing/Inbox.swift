internal import DoorwardControl
import Synchronization

/// One transaction that waits for the writer, and whoever waits for it.
struct WaitingTransaction: Sendable {
    let transaction: StoreTransaction
    let caller: CheckedContinuation<Result<[RecordPlace], StoreError>, Never>

    func answer(_ result: Result<[RecordPlace], StoreError>) { caller.resume(returning: result) }
}

/// The bounded queue in front of the writer. What is accepted first takes effect first.
final class Inbox: Sendable {
    private struct State {
        var waiting: [WaitingTransaction] = []
        var accepted = 0
        var isClosed = false
        /// Whether the writer has been called and will look here again.
        var isWriterAwake = false
    }

    enum Admission {
        /// The writer is on its way. The number counts what was accepted, from 1.
        case accepted(number: Int)
        /// Whoever gets this answer calls the writer.
        case acceptedFirst(number: Int)
        /// The queue is full or closed.
        case turnedAway
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    func admit(_ transaction: WaitingTransaction) -> Admission {
        state.withLock { state in
            guard !state.isClosed, state.waiting.count < limit else { return .turnedAway }
            state.waiting.append(transaction)
            state.accepted += 1
            if state.isWriterAwake { return .accepted(number: state.accepted) }
            state.isWriterAwake = true
            return .acceptedFirst(number: state.accepted)
        }
    }

    /// The oldest of what waits. An empty answer means that the next transaction has to call the writer again.
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
