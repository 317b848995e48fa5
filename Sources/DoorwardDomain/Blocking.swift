internal import Dispatch

/// A separate thread for calls that block, such as a flush or the wait for another process. The calls run in order.
///
/// Swift's pool has one thread for each processor, and the work that a blocked call waits for may need one of them: on two cores,
/// two blocked calls stop the program. `scripts/lint` finds blocking calls that do not state their thread.
package final class BlockingThread: Sendable {
    private let queue: DispatchQueue

    /// - Parameter name: the kind of work, for the label of the thread's queue.
    package init(_ name: String) { queue = DispatchQueue(label: "doorward.\(name)") }

    /// Runs the call, and returns its result.
    package func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }
}

/// Runs a blocking call on a separate thread.
package func blocking<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    try await BlockingThread("blocking").run(body)
}
