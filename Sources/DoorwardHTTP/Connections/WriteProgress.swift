internal import NIOCore
internal import Synchronization

/// Counts the writes of one connection that the operating system has not accepted yet.
final class WriteProgress: Sendable {
    private struct State {
        var pending = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
        var notes: [@Sendable () -> Void] = []
    }

    private let channel: any Channel
    private let state = Mutex(State())

    init(_ channel: any Channel) { self.channel = channel }

    func begin() { state.withLock { $0.pending += 1 } }

    func end() {
        let (waiters, notes) = state.withLock { state in
            state.pending -= 1
            guard state.pending == 0 else { return ([CheckedContinuation<Void, Never>](), [@Sendable () -> Void]()) }
            defer { (state.waiters, state.notes) = ([], []) }
            return (state.waiters, state.notes)
        }
        for note in notes { note() }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until everything that was written before this call was accepted, or the connection is closed.
    ///
    /// - Parameter note: called at that moment, on the event loop; the waiting task may continue much later if the gateway is busy.
    func flushed(_ note: @escaping @Sendable () -> Void = {}) async {
        // A write from another thread reaches the connection as a task of its event loop, before this one.
        do {
            try await channel.eventLoop.submit { [self] in
                let isDone = state.withLock { state in
                    if state.pending > 0 { state.notes.append(note) }
                    return state.pending == 0
                }
                if isDone { note() }
            }.get()
        } catch {
            note()
        }
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                guard state.pending > 0 else { return true }
                state.waiters.append(continuation)
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}
