import UnixSignals

/// Ctrl-C while something runs that somebody may want to leave.
enum Interruption {
    /// Does something until it is done, or until Ctrl-C.
    ///
    /// - Returns: `nil` after Ctrl-C.
    static func withInterrupt<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result? {
        let signals = await UnixSignalsSequence(trapping: .sigint)
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await body() }
            group.addTask {
                for await _ in signals { return nil }
                // The stream of signals ends where this task is cancelled, and then nobody waits for it.
                throw CancellationError()
            }
            return try await group.next() ?? nil
        }
    }
}
