import BenchmarkSupport
import DoorwardStore
import Synchronization

/// Counts the operations of the store's writer, and measures their time.
final class WriterWatch: Sendable {
    struct Counts {
        var flushes = 0
        var transactions = 0
        /// Nanoseconds from the start of COMMIT to its end: the pages are written to the write-ahead log, and the log is flushed.
        var flushWall: UInt64 = 0
        var flushCPU: UInt64 = 0
        /// Nanoseconds from the beginning of a batch to its COMMIT: encoding and statements.
        var statementsWall: UInt64 = 0
        var statementsCPU: UInt64 = 0
    }

    private struct State {
        var counts = Counts()
        var watch = Stopwatch()
    }

    private let state = Mutex(State())

    var hooks: StoreHooks {
        var hooks = StoreHooks.none
        hooks.beforeBatch = { [self] _ in state.withLock { $0.watch = Stopwatch() } }
        hooks.beforeCommit = { [self] _ in
            state.withLock { state in
                state.counts.statementsWall += state.watch.wall
                state.counts.statementsCPU += state.watch.cpu
                state.watch = Stopwatch()
            }
        }
        hooks.afterCommit = { [self] transactions in
            state.withLock { state in
                state.counts.flushWall += state.watch.wall
                state.counts.flushCPU += state.watch.cpu
                state.counts.flushes += 1
                state.counts.transactions += transactions
            }
        }
        return hooks
    }

    /// Returns the counts since the last call.
    func take() -> Counts {
        state.withLock { state in
            defer { state.counts = Counts() }
            return state.counts
        }
    }
}
