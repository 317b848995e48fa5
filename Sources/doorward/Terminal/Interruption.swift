import UnixSignals

/// Handles Ctrl-C during an operation that the user may interrupt.
enum Interruption {
    /// Runs `body` until it ends, or until Ctrl-C.
    ///
    /// - Returns: `nil` after Ctrl-C.
    static func withInterrupt<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result? {
        let signals = await UnixSignalsSequence(trapping: .sigint)
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await body() }
            group.addTask {
                for await _ in signals { return nil }
                // The stream of signals also ends when this task is cancelled, and then its result is not used.
                throw CancellationError()
            }
            return try await group.next() ?? nil
        }
    }
}
