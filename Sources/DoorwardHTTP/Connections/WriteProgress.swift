internal import NIOCore
internal import Synchronization

/// Counts the writes of one connection that the operating system has not accepted yet.
final class WriteProgress: Sendable {
    private struct State {
        var pending = 0
        /// Called when nothing is pending any more.
        var actions: [@Sendable () -> Void] = []
    }

    private let channel: any Channel
    private let state = Mutex(State())

    init(_ channel: any Channel) { self.channel = channel }

    func begin() { state.withLock { $0.pending += 1 } }

    func end() {
        let actions = state.withLock { state -> [@Sendable () -> Void] in
            state.pending -= 1
            guard state.pending == 0 else { return [] }
            defer { state.actions = [] }
            return state.actions
        }
        for action in actions { action() }
    }

    /// Waits until everything that was written before this call was accepted, or the connection is closed.
    ///
    /// - Parameter note: called at that moment, on the event loop, and before this method returns; the waiting task may continue much
    ///   later if the gateway is busy.
    func flushed(_ note: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            // Both are one action: the next batch must not begin before the note of this one.
            let action: @Sendable () -> Void = {
                note()
                continuation.resume()
            }
            // A write from another thread reaches the connection as a task of its event loop, before this one.
            channel.eventLoop.submit { [self] in
                let isDone = state.withLock { state in
                    if state.pending > 0 { state.actions.append(action) }
                    return state.pending == 0
                }
                if isDone { action() }
            }.whenFailure { _ in action() }
        }
    }
}
