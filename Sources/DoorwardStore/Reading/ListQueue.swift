internal import DoorwardControl
internal import DoorwardDomain
import Synchronization

/// Allocates the list readers: connections that are reserved for reading lists. A user has at most one at a time, and the users
/// of one portfolio have a limited number. Waiting calls get the next free reader round-robin, first by portfolio, then by user.
final class ListQueue: Sendable {
    private enum Admission {
        case granted
        case tooMany
        case cancelled
    }

    private struct Waiter {
        let ticket: UInt64
        let continuation: CheckedContinuation<Admission, Never>
    }

    /// The waiting calls of one user, oldest first.
    private struct UserQueue {
        let reader: ListReader
        var waiters: [Waiter]
    }

    /// The waiting users of the same portfolios. In each queue, the portfolios or users that were served last are at the end.
    private struct PortfolioQueue {
        let logs: Set<LogID>
        var users: [UserQueue]
    }

    private struct State {
        var queues: [PortfolioQueue] = []
        var waiting = 0
        var running = 0
        var runningByLogs: [Set<LogID>: Int] = [:]
        var runningByReader: [ListReader: Int] = [:]
        var tickets: UInt64 = 0
    }

    private let limits: StoreLimits
    private let state = Mutex(State())

    init(limits: StoreLimits) { self.limits = limits }

    /// The number of waiting calls.
    var waitingCount: Int { state.withLock { $0.waiting } }

    /// Waits for a list reader. Each call that returns without an error must be followed by a call of `leave`.
    ///
    /// - Throws: `.tooManyReads` if the queue is full, `.unavailable` if the task is cancelled.
    func enter(_ reader: ListReader) async throws(StoreError) {
        let ticket = state.withLock { state -> UInt64? in
            guard !take(reader, &state) else { return nil }
            state.tickets += 1
            return state.tickets
        }
        guard let ticket else { return }
        let admission = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(ticket: ticket, continuation: continuation)
                // The cancellation handler may have run before the waiter was queued.
                if let admission = state.withLock({ admit(waiter, of: reader, Task.isCancelled, &$0) }) {
                    continuation.resume(returning: admission)
                }
            }
        } onCancel: {
            state.withLock { remove(ticket, of: reader, &$0) }?.continuation.resume(returning: .cancelled)
        }
        switch admission {
        case .granted: return
        case .tooMany: throw .tooManyReads
        case .cancelled: throw .unavailable
        }
    }

    /// Releases a list reader and passes it to the next waiting call.
    func leave(_ reader: ListReader) {
        let granted = state.withLock { state in
            state.running -= 1
            Self.decrease(&state.runningByLogs, reader.logs)
            Self.decrease(&state.runningByReader, reader)
            return grant(&state)
        }
        for waiter in granted { waiter.continuation.resume(returning: .granted) }
    }

    // MARK: Under the lock

    /// Takes a list reader if one is free for this user. This does not overtake waiting calls unfairly: while a reader is free,
    /// each waiting call is blocked by the limit of its own user or portfolio.
    private func take(_ reader: ListReader, _ state: inout State) -> Bool {
        guard state.running < limits.listReaders, state.runningByReader[reader, default: 0] < 1,
            state.runningByLogs[reader.logs, default: 0] < limits.listReadersPerPortfolio
        else { return false }
        state.running += 1
        state.runningByLogs[reader.logs, default: 0] += 1
        state.runningByReader[reader, default: 0] += 1
        return true
    }

    /// - Returns: `nil` if the waiter was added to the queue.
    private func admit(_ waiter: Waiter, of reader: ListReader, _ isCancelled: Bool, _ state: inout State) -> Admission? {
        if isCancelled { return .cancelled }
        if take(reader, &state) { return .granted }
        let group = state.queues.firstIndex { $0.logs == reader.logs }
        let user = group.flatMap { state.queues[$0].users.firstIndex { $0.reader == reader } }
        let waitingOfGroup = group.map { state.queues[$0].users.reduce(0) { $0 + $1.waiters.count } } ?? 0
        let waitingOfUser = user.flatMap { user in group.map { state.queues[$0].users[user].waiters.count } } ?? 0
        guard waitingOfUser < limits.waitingListsPerUser, waitingOfGroup < limits.waitingListsPerPortfolio,
            state.waiting < limits.waitingLists
        else { return .tooMany }
        state.waiting += 1
        switch (group, user) {
        case (let group?, let user?): state.queues[group].users[user].waiters.append(waiter)
        case (let group?, nil): state.queues[group].users.append(UserQueue(reader: reader, waiters: [waiter]))
        case (nil, _):
            state.queues.append(PortfolioQueue(logs: reader.logs, users: [UserQueue(reader: reader, waiters: [waiter])]))
        }
        return nil
    }

    private func remove(_ ticket: UInt64, of reader: ListReader, _ state: inout State) -> Waiter? {
        guard let group = state.queues.firstIndex(where: { $0.logs == reader.logs }),
            let user = state.queues[group].users.firstIndex(where: { $0.reader == reader }),
            let index = state.queues[group].users[user].waiters.firstIndex(where: { $0.ticket == ticket })
        else { return nil }
        state.waiting -= 1
        let waiter = state.queues[group].users[user].waiters.remove(at: index)
        if state.queues[group].users[user].waiters.isEmpty { state.queues[group].users.remove(at: user) }
        if state.queues[group].users.isEmpty { state.queues.remove(at: group) }
        return waiter
    }

    /// Takes free list readers for the next waiting calls.
    private func grant(_ state: inout State) -> [Waiter] {
        var granted: [Waiter] = []
        while state.running < limits.listReaders, let waiter = next(&state) { granted.append(waiter) }
        return granted
    }

    private func next(_ state: inout State) -> Waiter? {
        for group in state.queues.indices {
            for user in state.queues[group].users.indices where take(state.queues[group].users[user].reader, &state) {
                var portfolio = state.queues.remove(at: group)
                var queue = portfolio.users.remove(at: user)
                let waiter = queue.waiters.removeFirst()
                if !queue.waiters.isEmpty { portfolio.users.append(queue) }
                if !portfolio.users.isEmpty { state.queues.append(portfolio) }
                state.waiting -= 1
                return waiter
            }
        }
        return nil
    }

    private static func decrease<Key: Hashable>(_ counts: inout [Key: Int], _ key: Key) {
        counts[key] = counts[key].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
}
