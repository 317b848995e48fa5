internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import Logging
import Synchronization

/// Starts the adapters concurrently and retries failed starts: no adapter blocks the gateway or another adapter.
final class AdapterStarter: Sendable {
    /// How long the gateway waits for an adapter before it continues without the adapter. The start
    /// then continues in the background; it is retried only after it has failed.
    static let patience = Duration.seconds(10)
    private static let initialBackoff = Duration.seconds(1)
    private static let maximumBackoff = Duration.seconds(60)

    private let adapters: AdapterRegistry
    private let clock: any GatewayClock
    private let executor: (any TaskExecutor)?
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        /// Tasks that outlive the start: retries, and attempts that have not returned.
        var tasks: [Task<Void, Never>] = []
        /// The activations of adapters that have started.
        var activations: [Task<Void, Never>] = []
        var isStopped = false
    }

    init(_ adapters: AdapterRegistry, clock: any GatewayClock, executor: (any TaskExecutor)?, logger: Logger) {
        (self.adapters, self.clock, self.executor, self.logger) = (adapters, clock, executor, logger)
    }

    /// Starts every adapter. Returns when each has started, failed for the first time or taken longer than `patience`.
    ///
    /// - Parameter activate: called when an adapter has started; the gateway stops waiting for the adapter only after this call.
    func start(
        reports: any ReportReceiver, activate: @escaping @Sendable (any LockAdapter) async -> Void
    ) async {
        let first = adapters.all.map { adapter in
            let tried = Promise<Void>()
            let timer = Task(executorPreference: executor) { [self] in
                guard (try? await clock.sleep(until: clock.monotonicNow().advanced(by: Self.patience))) != nil else { return }
                if tried.fulfil(()) { fail(adapter, "it has not started within 10 seconds", retryIn: nil) }
            }
            let task = Task(executorPreference: executor) { [self] in
                await keepStarting(adapter, reports: reports, activate: activate) { tried.fulfil(()) }
            }
            state.withLock { $0.tasks.append(task) }
            return (tried, timer)
        }
        for (tried, timer) in first {
            await tried.value
            timer.cancel()
        }
    }

    /// Stops retrying, and waits for adapters that are being activated. An adapter whose start has not returned yet is stopped as
    /// soon as its start returns.
    func stop() async {
        let (tasks, activations) = state.withLock { state in
            defer { state = State(isStopped: true) }
            return (state.tasks, state.activations)
        }
        for task in tasks { task.cancel() }
        for activation in activations { await activation.value }
    }

    /// Activates a started adapter in a task that `stop` waits for.
    ///
    /// - Returns: `nil` if the gateway is stopping.
    private func activation(
        of adapter: any LockAdapter, _ activate: @escaping @Sendable (any LockAdapter) async -> Void
    ) -> Task<Void, Never>? {
        state.withLock { state in
            guard !state.isStopped else { return nil }
            let task = Task(executorPreference: executor) { await activate(adapter) }
            state.activations.append(task)
            return task
        }
    }

    private func keepStarting(
        _ adapter: any LockAdapter, reports: any ReportReceiver,
        activate: @escaping @Sendable (any LockAdapter) async -> Void, onFirstAttempt: () -> Void
    ) async {
        var pause = Self.initialBackoff
        while !Task.isCancelled {
            do {
                try await adapter.start(reports: reports)
                guard let activation = activation(of: adapter, activate) else { return await adapter.stop() }
                await activation.value
                return onFirstAttempt()
            } catch {
                fail(adapter, "\(error)", retryIn: pause)
                onFirstAttempt()
                guard (try? await clock.sleep(until: clock.monotonicNow().advanced(by: pause))) != nil else { return }
                pause = min(pause * 2, Self.maximumBackoff)
            }
        }
    }

    private func fail(_ adapter: any LockAdapter, _ reason: String, retryIn pause: Duration?) {
        // Ignore the timeout if the adapter has started and is already attaching its locks.
        guard adapters.noteFailure(reason, of: adapter.kind) else { return }
        var metadata: Logger.Metadata = ["adapter": "\(adapter.kind)", "error": "\(reason)"]
        if let pause { metadata["retryInSeconds"] = "\(pause.components.seconds)" }
        logger.error("an adapter has not started; its locks are offline", metadata: metadata)
    }
}
