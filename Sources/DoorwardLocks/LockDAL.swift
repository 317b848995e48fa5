internal import DoorwardAdapterKit
package import DoorwardDomain
package import DoorwardKernel
package import DoorwardPolicy
internal import Metrics

/// The services that a command uses from its intent to its outcome.
package struct CommandServices: Sendable {
    let directory: CurrentDirectory
    let devices: DeviceRuntimes
    let adapters: AdapterRegistry
    let attachments: Attachments
    let storeGuard: StoreGuard
    /// Stores the settings that a lock has confirmed.
    let writer: TenancyWriter
    let clock: TrustedClock
    let random: RandomSource
    /// Ends the wait for the queue or for the confirmation when the command's deadline passes.
    let deadlines: DeadlineQueue
    let metrics: CommandMetrics
    let idempotency: IdempotencyGuard
    /// Runs command executions.
    let executor: (any TaskExecutor)?

    /// The services of the commands of one gateway.
    package init(_ kernel: Kernel, attachments: Attachments, idempotency: IdempotencyGuard) {
        (directory, storeGuard, writer) = (kernel.directory, kernel.storeGuard, kernel.writer)
        (clock, random, self.attachments, self.idempotency) = (kernel.clock, kernel.random, attachments, idempotency)
        (devices, adapters) = (attachments.devices, attachments.adapters)
        deadlines = DeadlineQueue(clock: kernel.clock, executor: kernel.executor)
        (metrics, executor) = (CommandMetrics(kernel.metrics), kernel.executor)
    }
}

/// Moves locks and changes their settings: all commands are executed through this type. It decides on the request and reserves a
/// position in the device's queue. A `CommandExecution` then writes the intent, waits in the queue, decides again in the device's
/// gate, and sends the command. Finally it waits for the confirmation and writes the outcome.
///
/// No command is sent twice. A further request creates a new command with its own decision and
/// intent, unless it repeats the idempotency key of an earlier request.
package final class LockDAL: Sendable {
    private let services: CommandServices
    private let commands: Commands
    private let denials: DenialRecorder

    /// - Parameter deniedPerMinute: the maximum number of denied commands of one principal per minute; further ones are rejected before
    ///   a decision.
    package init(_ services: CommandServices, commands: Commands, deniedPerMinute: Int) {
        (self.services, self.commands) = (services, commands)
        denials = DenialRecorder(
            storeGuard: services.storeGuard, clock: services.clock, random: services.random, perMinute: deniedPerMinute)
    }

    /// Admits a caller unless they were denied too often within the last minute. `execute` repeats this check; call this function to check
    /// before the request body is read.
    ///
    /// - Throws: `.rateLimited`.
    package func admit(_ caller: Caller) async throws(GatewayError) { try await denials.admit(caller) }

    /// Records and throws the denial of a command that would be denied now. Sends nothing in any case.
    package func requireAllowed(_ request: CommandRequest) async throws(GatewayError) {
        try await denials.admit(request.caller)
        let decided = decide(request)
        if let denial = decided.decision.denial { throw try await recorded(denial, of: request, decided) }
    }

    // MARK: - Deciding

    /// Accepts a command. When this returns, the command's intent is durable, and a separate task executes the command.
    ///
    /// - Parameter repeatable: the caller's idempotency key, if there is one.
    /// - Throws: the errors of `execute`.
    package func begin(
        _ request: CommandRequest, repeatable: IdempotentCall? = nil
    ) async throws(GatewayError) -> Answered<RunningCommand> {
        let (accepted, end) = (Promise<Result<Answered<Command>, GatewayError>>(), Promise<FinishedCommand>())
        Task(executorPreference: services.executor) { [self] in
            do throws(GatewayError) {
                let answer = try await execute(request, repeatable: repeatable) { accepted.fulfil(.success(Answered($0))) }
                end.fulfil(answer.value)
                // Without effect unless it is a replay.
                accepted.fulfil(.success(Answered(answer.value.command, isReplay: true)))
            } catch {
                accepted.fulfil(.failure(error))
            }
        }
        let answer = try await accepted.value.get()
        return Answered(RunningCommand(accepted: answer.value, end: end), isReplay: answer.isReplay)
    }

    /// Executes a command to its end on the caller's task, which avoids the thread switches of a separate task.
    ///
    /// Cancelling the caller's task does not end the command: no step after the intent reacts to cancellation.
    ///
    /// - Parameters:
    ///   - repeatable: the caller's idempotency key, if there is one.
    ///   - onIntent: called once the intent is durable. From then on no error is thrown: the command is returned with its outcome.
    /// - Throws: `.denied` after the denial was made durable; `.deviceBusy` before an intent is
    ///   written; `.rateLimited`, `.shuttingDown`, `.unavailable`, `.idempotencyMismatch`.
    package func execute(
        _ request: CommandRequest, repeatable: IdempotentCall? = nil, onIntent: @Sendable (Command) -> Void = { _ in }
    ) async throws(GatewayError) -> Answered<FinishedCommand> {
        let started = services.clock.monotonicNow()
        if !request.isLockdown { try await denials.admit(request.caller) }
        guard !services.storeGuard.hasStoppedCommands else { throw .shuttingDown }
        guard services.storeGuard.isAcceptingCommands else { throw .unavailable }
        var decided = decide(request)
        if let denial = decided.decision.denial, !denial.hasReach {
            throw try await recorded(denial, of: request, decided)
        }
        if let repeatable {
            if let result = try await services.idempotency.begin(repeatable) {
                return Answered(try await commands.finished(result, denialNow: decided.decision.denial), isReplay: true)
            }
            // Decide again, as the look-up may have waited for a concurrent request.
            decided = decide(request)
        }
        defer { if let repeatable { services.idempotency.release(repeatable.key) } }
        var exhausted: [GuestAccessID] = []
        while true {
            let execution = try await prepare(request, decided, started: started, repeatable: repeatable)
            switch try await execution.run(onIntent: onIntent) {
            case .finished(let finished): return Answered(finished)
            case .useRefused(let id):
                // Another command has taken the last use of the guest access: decide whether another rule grants this one.
                exhausted.append(id)
                decided = decide(request, exhausted: exhausted)
            }
        }
    }

    /// A decision, with the time and the directory that it is based on.
    private struct Decided {
        let time: DecisionTime
        let snapshot: CurrentDirectory.Snapshot
        let decision: Decision
    }

    /// - Parameter exhausted: the guest accesses of which the store has refused to take a use.
    private func decide(_ request: CommandRequest, exhausted: [GuestAccessID] = []) -> Decided {
        let (time, snapshot) = (services.clock.decisionTime(), services.directory.snapshot)
        guard let deviceID = request.deviceID else {
            return Decided(time: time, snapshot: snapshot, decision: .denied(Denial(.deviceUnknown, hasReach: false)))
        }
        guard request.caller.holdsLink(in: snapshot.directory) else {
            let denial = Denial(.guestAccessRevoked, hasReach: true)
            return Decided(time: time, snapshot: snapshot, decision: .denied(denial))
        }
        let decision = SecurityService.decide(
            request.caller.principal, request.operation, on: deviceID, at: time, override: request.override != nil,
            uses: CommandUses(exhausted: exhausted), in: snapshot.directory)
        return Decided(time: time, snapshot: snapshot, decision: decision)
    }

    /// Makes a denial durable and counts it, and returns the error for the response.
    ///
    /// - Throws: `.rateLimited` if the principal was denied too often meanwhile; then this denial is neither recorded nor counted.
    private func recorded(
        _ denial: Denial, of request: CommandRequest, _ decided: Decided
    ) async throws(GatewayError) -> GatewayError {
        let error = try await denials.record(denial, of: request, in: decided.snapshot.directory)
        services.metrics.count(decided.decision)
        return error
    }

    /// Reserves a position in the device's queue for a command that the decision allows.
    ///
    /// - Throws: `.denied` after the denial was made durable; `.deviceBusy`.
    private func prepare(
        _ request: CommandRequest, _ decided: Decided, started: MonotonicInstant, repeatable: IdempotentCall?
    ) async throws(GatewayError) -> CommandExecution {
        let (now, snapshot, decision) = (decided.time.instant, decided.snapshot, decided.decision)
        guard case .allowed(let rule, let override) = decision, let id = request.deviceID,
            let device = snapshot.directory.device(id),
            let actor = RecordActor(named: request.caller.principal, in: snapshot.directory)
        else { throw try await recorded(decision.denial ?? Denial(.deviceUnknown, hasReach: false), of: request, decided) }
        services.metrics.count(decision)
        let timeout = CommandExecution.timeout(request.timeout, under: rule, at: now, in: snapshot.directory)
        let runtime = services.devices.device(device.id)
        guard let reservation = runtime.queue.reserve(for: request.caller.principal, isUrgent: request.isLockdown) else {
            throw .deviceBusy
        }
        let command = Command(
            id: services.random.id(at: now), deviceID: device.id, operation: request.operation, actor: actor,
            source: request.caller.origin.source,
            reason: request.statedReason, override: override ? request.override : nil, rule: rule,
            stateBefore: runtime.status.state, requestedAt: now, deadline: now.advanced(by: timeout))
        return CommandExecution(
            services, request: request, command: command, device: DeviceSnapshot(device),
            adapter: services.adapters[device.adapter],
            runtime: runtime, reservation: reservation, deadline: started.advanced(by: timeout), repeatable: repeatable)
    }

    /// The command that an earlier request with the same idempotency key created, in its final state; `nil` if there is none.
    /// Waits for a request in flight.
    func earlier(_ repeatable: IdempotentCall) async throws(GatewayError) -> FinishedCommand? {
        if let result = try await services.idempotency.begin(repeatable) {
            return try await commands.finished(result, denialNow: nil)
        }
        services.idempotency.release(repeatable.key)
        return nil
    }

    // MARK: - Stopping

    /// Updates the gauges of commands in flight.
    package func sampleMetrics() {
        services.metrics.running.set(Int64(services.storeGuard.inFlightCount))
        services.metrics.waiting.set(Int64(services.devices.waitingCount))
        services.metrics.accepting.set(Int64(services.storeGuard.isAcceptingCommands ? 1 : 0))
    }

    /// Rejects new commands, cancels those that were not sent, and waits for those in flight.
    ///
    /// - Parameter gracePeriod: how long to wait for the confirmation of commands in flight.
    package func stop(gracePeriod: Duration) async {
        services.storeGuard.stopCommands()
        services.devices.cancelQueued()
        let timer = Task(executorPreference: services.executor) { [self] in
            try await services.clock.sleep(until: services.clock.monotonicNow().advanced(by: gracePeriod))
            services.devices.abandonInFlight()
        }
        await services.storeGuard.allEnded()
        timer.cancel()
    }
}

extension TenancyDirectory {
    /// The device; `nil` for no id or an unknown one.
    package func device(_ id: DeviceID?) -> LockDevice? { id.flatMap { device($0) } }
}

/// A request to move a lock, or to change its settings.
package struct CommandRequest: Sendable {
    /// The requester; the decision depends on their rights.
    package let caller: Caller
    /// `nil` if the id in the request is malformed.
    package let deviceID: DeviceID?
    /// The id as requested, for the record of an attempt on a device that does not exist.
    package let attemptedID: String
    /// One of `LockOperation.ofCommands`.
    package let operation: LockOperation
    /// The new settings; present for `.changeSettings` only.
    package let settings: LockSettings?
    /// The `reason` that the caller gave; `nil` if none.
    package var statedReason: String?
    /// The reason of a break-glass override, if one was given.
    package var override: String?
    /// The time from the end of validation to the deadline, including the wait in the queue.
    package var timeout: Duration
    /// Whether the command is part of a lockdown: it goes ahead of the device's queue, and no limit applies to it.
    package let isLockdown: Bool

    package init(
        caller: Caller, deviceID: DeviceID?, attemptedID: String, operation: LockOperation, settings: LockSettings? = nil,
        statedReason: String? = nil, override: String? = nil, timeout: Duration, isLockdown: Bool = false
    ) {
        (self.caller, self.deviceID, self.attemptedID) = (caller, deviceID, attemptedID)
        (self.operation, self.statedReason, self.override, self.timeout) = (operation, statedReason, override, timeout)
        (self.settings, self.isLockdown) = (settings, isLockdown)
    }
}

/// A command that has ended, and the device's status at that time.
package struct FinishedCommand: Sendable {
    /// The command in its final state.
    package let command: Command
    /// The device's status when the command ended.
    package let status: DeviceStatus
    /// The denial, if the caller lost the right before the command was sent. For a repeated request, the denial has its details,
    /// such as the rule, only if the same reason still applies.
    package let denial: Denial?
    /// The adapter's explanation of a failure or timeout; not kept across restarts.
    package let problem: TransportProblem?

    package init(command: Command, status: DeviceStatus, denial: Denial? = nil, problem: TransportProblem? = nil) {
        (self.command, self.status, self.denial, self.problem) = (command, status, denial, problem)
    }
}

/// A command whose intent is durable. It runs to its end whether or not a caller waits for it.
package struct RunningCommand: Sendable {
    /// The command as its intent records it; for a repeated request, in its final state.
    package let accepted: Command
    fileprivate let end: Promise<FinishedCommand>

    /// Waits for the command to end; its outcome is then durable, unless its state is `UNKNOWN`.
    package var finished: FinishedCommand { get async { await end.value } }
}
