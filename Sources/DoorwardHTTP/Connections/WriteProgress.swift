internal import NIOCore
internal import Synchronization

/// Counts the writes of one connection that the operating system has not accepted yet.
final class WriteProgress: Sendable {
    private struct State {
        var pending = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let channel: any Channel
    private let state = Mutex(State())

    init(_ channel: any Channel) { self.channel = channel }

    func begin() { state.withLock { $0.pending += 1 } }

    func end() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.pending -= 1
            guard state.pending == 0 else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until everything that was written before this call was accepted, or the connection is closed.
    func flushed() async {
        // A write from another thread reaches the connection as a task of its event loop, before this one.
        try? await channel.eventLoop.submit {}.get()
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
