internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardKernel
internal import DoorwardPolicy
internal import Metrics
import Synchronization

/// Executes one command from its intent to its outcome, while holding its reservation in the device's queue.
final class CommandExecution: InFlightExecution {
    private let services: CommandServices
    private let request: CommandRequest
    private let device: DeviceSnapshot
    private let adapter: (any LockAdapter)?
    private let runtime: DeviceRuntime
    /// The device's binding generation when the command was accepted; the generation changes when
    /// the device is bound to another lock.
    private let bindingGeneration: Int
    private let reservation: QueueReservation
    private let repeatable: IdempotentCall?
    private let state: Mutex<State>
    /// The immutable parts of the command, readable without locking `state`.
    let id: CommandID
    private let operation: LockOperation
    /// When the command was accepted, for metrics.
    private let acceptedAt: MonotonicInstant

    private struct State {
        var command: Command
        var deadline: MonotonicInstant
        /// The guest access of which the command has reserved a use; `nil` if it needs none.
        var reservedUse: GuestAccessID?
    }

    init(
        _ services: CommandServices, request: CommandRequest, command: Command, device: DeviceSnapshot,
        adapter: (any LockAdapter)?,
        runtime: DeviceRuntime, reservation: QueueReservation, deadline: MonotonicInstant, repeatable: IdempotentCall?
    ) {
        (self.services, self.request, self.device, self.adapter) = (services, request, device, adapter)
        (self.runtime, self.reservation, self.repeatable) = (runtime, reservation, repeatable)
        bindingGeneration = runtime.bindingGeneration
        acceptedAt = services.clock.monotonicNow()
        (id, operation) = (command.id, command.operation)
        state = Mutex(State(command: command, deadline: deadline))
    }

    /// The current state of the command.
    var command: Command { state.withLock { $0.command } }

    private var deadline: MonotonicInstant { state.withLock { $0.deadline } }

    /// Publishes the command in a state that is durable, or that cannot be contradicted.
    func show(_ command: Command) { state.withLock { $0.command = command } }

    /// The current state, with the log of its intent.
    var stored: StoredCommand { StoredCommand(command: command, log: device.log, device: device) }

    // MARK: - Intents

    /// Makes the command and its intent durable, with the use that it reserves; releases its reservation in the queue if that fails.
    ///
    /// - Returns: the guest access, if nothing was written because no use of it is left, or because it was removed.
    /// - Throws: `.shuttingDown`, or the reason why the store did not write the command.
    private func writeFirstIntent() async throws(GatewayError) -> GuestAccessID? {
        let command = command
        let entry = repeatable?.entry(.command(command.id), at: command.requestedAt)
        do {
            let refused = try await write(
                StoreTransaction(
                    commands: [.begin(command, intent: 0)], idempotency: entry.map { [$0] } ?? [], records: [intent(of: command)]),
                isFirst: true, reservingUseUnder: command.rule)
            if refused != nil { leave() }
            return refused
        } catch {
            leave()
            throw error
        }
    }

    /// Writes an intent together with the use that the command needs under `rule`. A use that the command has reserved under
    /// another rule is returned in the same transaction.
    ///
    /// - Returns: the guest access, if nothing was written because no use of it is left, or because it was removed.
    private func write(
        _ transaction: StoreTransaction, isFirst: Bool, reservingUseUnder rule: Rule
    ) async throws(GatewayError) -> GuestAccessID? {
        var transaction = transaction
        let held = state.withLock { $0.reservedUse }
        let needed = services.directory.snapshot.directory.countedUse(of: operation, under: rule)
        if let needed, needed.id != held {
            transaction.requires.append(.usesLeft(of: needed.id, max: needed.max))
            transaction.counters.append(.takeUse(of: needed.id))
        }
        if let held, held != needed?.id { transaction.counters.append(.returnUse(of: held)) }
        var isBegun = true
        do throws(StoreError) {
            if isFirst {
                isBegun = try await services.storeGuard.begin(self, transaction)
            } else {
                try await services.storeGuard.commit(transaction)
            }
        } catch {
            switch (error, needed) {
            case (.refused(.usesExhausted(let id)), _): return id
            case (.refused(.parentUnknown), let needed?): return needed.id
            default: throw GatewayError(error)
            }
        }
        guard isBegun else { throw .shuttingDown }
        state.withLock { $0.reservedUse = needed?.id }
        return nil
    }

    /// Makes a further intent durable: it contains the rule that grants the command now.
    ///
    /// - Parameter override: whether the rule grants it only because of the override; if not, the intent contains none.
    /// - Returns: the guest access of which the store has refused to take a use, if any.
    private func writeFurtherIntent(under rule: Rule, override: Bool) async throws(GatewayError) -> GuestAccessID? {
        let now = services.clock.now()
        var command = command
        command.rule = rule
        // The new rule may be a guest access that ends earlier.
        let rest = Self.timeout(command.deadline.duration(since: now), under: rule, at: now, in: services.directory.current)
        let end = services.clock.monotonicNow().advanced(by: rest)
        state.withLock { $0.deadline = min($0.deadline, end) }
        var record = intent(of: command)
        if !override { record.body.override = nil }
        return try await write(
            StoreTransaction(commands: [.update(command)], records: [record]), isFirst: false, reservingUseUnder: rule)
    }

    // MARK: - Execution

    /// How an execution ends.
    enum End {
        case finished(FinishedCommand)
        /// No command was begun, because no use of this guest access is left, or the access was removed.
        case useRefused(GuestAccessID)
    }

    /// Writes the intent, waits in the queue, sends, waits for the confirmation, writes the outcome and releases the reservation.
    ///
    /// - Parameter onIntent: called once the intent is durable. No error is thrown afterwards.
    /// - Throws: `.shuttingDown`, or the reason why the store did not write the intent.
    func run(onIntent: @Sendable (Command) -> Void) async throws(GatewayError) -> End {
        if let refused = try await writeFirstIntent() { return .useRefused(refused) }
        onIntent(command)
        let outcome = await waitAndSend()
        let finished = await writeOutcome(outcome)
        services.metrics.count(finished.command, after: services.clock.monotonicNow().duration(since: acceptedAt))
        leave()
        return .finished(finished)
    }

    /// Releases the reservation. The last command to leave the queue of a deleted device also detaches its lock.
    private func leave() {
        runtime.queue.leave(reservation)
        if services.directory.snapshot.directory.resolve(runtime.id) == nil { services.attachments.detachIfIdle(of: runtime.id) }
        services.storeGuard.end(id)
    }

    /// The command's timeout: the requested timeout, shortened if the window of the guest access, or the hours of its schedule, end
    /// earlier.
    static func timeout(_ asked: Duration, under rule: Rule, at now: Timestamp, in tenancy: TenancyDirectory) -> Duration {
        guard case .guestAccess(let id) = rule else { return asked }
        return tenancy.validityEnd(of: id, from: now, before: now.advanced(by: asked)).duration(since: now)
    }

    private func waitAndSend() async -> CommandOutcome {
        let admission = reservation.admission
        let admitted = await services.deadlines.value(of: admission, until: deadline) {
            admission.fulfil(.ended(.deadlinePassed))
        }
        services.metrics.queueWait.record(duration: services.clock.monotonicNow().duration(since: acceptedAt))
        switch admitted {
        case .ended(let outcome): return outcome
        case .admitted: break
        }
        var exhausted: [GuestAccessID] = []
        while true {
            switch runtime.queue.withDispatchGate({ decideAndSend(exhausted: exhausted) }) {
            case .ended(let outcome): return outcome
            case .sent(let inFlight):
                return await services.deadlines.value(of: inFlight.result, until: deadline) { [runtime] in
                    runtime.expire(inFlight, as: .timedOut)
                }
            case .grantedByOther(let rule, let needsOverride):
                do {
                    if let refused = try await writeFurtherIntent(under: rule, override: needsOverride) {
                        exhausted.append(refused)
                    }
                } catch {
                    return .intentNotWritten
                }
            }
        }
    }

    /// The result of one pass through the dispatch gate.
    private enum DispatchResult {
        case sent(InFlightCommand)
        /// The command is still allowed, but not by the rule that the intent names, or without the use that this rule now needs.
        /// Nothing was sent.
        /// `override` is whether the rule allows it only because of the override.
        case grantedByOther(Rule, override: Bool)
        case ended(CommandOutcome)
    }

    /// Runs in the dispatch gate: checks the deadline, decides and sends, without a suspension in between.
    ///
    /// - Parameter exhausted: the guest accesses of which the store has refused to take a use.
    private func decideAndSend(exhausted: [GuestAccessID]) -> DispatchResult {
        guard !services.storeGuard.hasStoppedCommands else { return .ended(.shuttingDown) }
        // Do not send the command if its outcome could not be written.
        guard services.storeGuard.isAcceptingCommands else { return .ended(.intentNotWritten) }
        let state = state.withLock { $0 }
        guard services.clock.monotonicNow() < state.deadline else { return .ended(.deadlinePassed) }
        let time = services.clock.decisionTime()
        let snapshot = services.directory.snapshot
        guard request.caller.holdsLink(in: snapshot.directory) else {
            return .ended(.denied(Denial(.guestAccessRevoked, hasReach: true)))
        }
        let decision = SecurityService.decide(
            request.caller.principal, operation, on: runtime.id, at: time, override: state.command.override != nil,
            uses: CommandUses(reserved: state.reservedUse, exhausted: exhausted), in: snapshot.directory)
        guard case .allowed(let ruleNow, let needsOverride) = decision else {
            return .ended(.denied(decision.denial ?? Denial(.noAssociation, hasReach: false)))
        }
        // The device was bound to another lock since the command was accepted.
        guard runtime.bindingGeneration == bindingGeneration else {
            return .ended(.denied(Denial(.deviceUnknown, hasReach: true)))
        }
        let needed = snapshot.directory.countedUse(of: operation, under: ruleNow)
        guard ruleNow == state.command.rule, needed == nil || needed?.id == state.reservedUse else {
            return .grantedByOther(ruleNow, override: needsOverride)
        }
        return handOver(at: time.instant)
    }

    private func handOver(at now: Timestamp) -> DispatchResult {
        guard let adapter else { return .ended(.notSent(.notAttached)) }
        guard services.adapters.isStarted(adapter.kind) else { return .ended(.notSent(.offline)) }
        var accepted = command
        accepted.stateBefore = runtime.status.state
        var dispatched = accepted
        (dispatched.dispatchedAt, dispatched.sent, dispatched.state) = (now, true, .dispatched)
        show(dispatched)
        // Derive the timeout from the remaining monotonic time, which is unaffected by steps of the wall clock.
        let rest = deadline.duration(since: services.clock.monotonicNow())
        let inFlight = InFlightCommand(
            LockCommand(
                commandID: id, deviceID: runtime.id, operation: operation, settings: request.settings,
                deadline: services.clock.now().advanced(by: rest)))
        runtime.queue.setInFlight(inFlight)
        do {
            try adapter.send(inFlight.command)
            runtime.recordSent(id, device.log)
            return .sent(inFlight)
        } catch {
            runtime.queue.clearInFlight()
            accepted.sent = false
            show(accepted)
            return .ended(.notSent(error))
        }
    }

    // MARK: - Outcome

    /// Makes the outcome durable. If that fails, the outcome must not be disclosed: the command becomes `UNKNOWN`.
    private func writeOutcome(_ outcome: CommandOutcome) async -> FinishedCommand {
        var ended = command
        outcome.apply(
            to: &ended, at: max(services.clock.now(), ended.dispatchedAt ?? ended.requestedAt), stateNow: runtime.status.state)
        let problem = outcome.isFailedDelivery ? adapter?.problem(of: ended.id, for: ended.deviceID) : nil
        let finished = FinishedCommand(command: ended, status: runtime.status, denial: outcome.denial, problem: problem)
        if request.settings != nil, ended.sent != false { runtime.areSettingsConfirmed = false }
        if outcome.isUnanswered, operation.isMovement {
            let expiry = deadline.advanced(by: UnconfirmedCommand.confirmationGracePeriod)
            runtime.remember(
                UnconfirmedCommand(id: ended.id, operation: ended.operation, log: device.log, expiresAt: expiry),
                of: bindingGeneration)
            // The lock's state is uncertain, so request it. A lock that does not support state
            // requests updates the state with its next report.
            if !services.storeGuard.hasStoppedCommands { try? adapter?.refresh(ended.deviceID) }
        }
        do {
            try await commit(
                StoreTransaction(
                    counters: returnedUses(of: ended), commands: [.end(ended)], records: [outcomeRecord(of: ended, outcome)]),
                ending: ended)
            return finished
        } catch {
            // Mark the store in doubt even if it rejected the outcome or accepts no more writes: in
            // both cases the intent has no outcome.
            services.storeGuard.end(id)
            services.storeGuard.markInDoubt(reason: "the outcome of a command was not written")
            CommandOutcome.outcomeNotWritten(wasSent: ended.dispatchedAt == nil ? false : nil)
                .apply(to: &ended, at: ended.completedAt ?? ended.requestedAt, stateNow: .unknown)
            show(ended)
            return FinishedCommand(command: ended, status: runtime.status)
        }
    }

    /// Makes the outcome durable; for confirmed settings in one transaction with the device that has them.
    private func commit(_ outcome: StoreTransaction, ending ended: Command) async throws(GatewayError) {
        guard let settings = request.settings, ended.state == .confirmed else {
            try await services.storeGuard.write(outcome)
            return
        }
        try await services.writer.change(
            request.caller,
            body: { [runtime, bindingGeneration] (draft) throws(GatewayError) in
                draft.transaction = outcome
                // The device may have been deleted, or bound to another lock, since the lock confirmed its settings.
                guard runtime.bindingGeneration == bindingGeneration, var device = draft.directory.device(runtime.id) else {
                    return
                }
                (device.settings, device.updatedAt) = (settings, draft.now)
                draft.apply(.putDevice(device))
            })
        runtime.areSettingsConfirmed = runtime.bindingGeneration == bindingGeneration
    }

    /// The use that the outcome returns, if the command certainly has not opened the lock.
    private func returnedUses(of ended: Command) -> [CounterChange] {
        guard !ended.consumesUse, let id = state.withLock({ $0.reservedUse }) else { return [] }
        return [.returnUse(of: id)]
    }

    // MARK: - Records

    private func intent(of command: Command) -> PendingRecord {
        var body = record(of: command, kind: .commandIntent, at: services.clock.now())
        body.decision = .allowed
        body.rule = command.rule
        body.statedReason = command.reason
        body.override = command.override
        body.stateBefore = command.stateBefore
        if let settings = request.settings {
            let before = services.directory.current.device(runtime.id)?.settings ?? LockSettings()
            body.details = ["before": .object(before.recordFields), "after": .object(settings.recordFields)]
        }
        return PendingRecord(body)
    }

    private func outcomeRecord(of command: Command, _ outcome: CommandOutcome) -> PendingRecord {
        var body = record(of: command, kind: .commandOutcome, at: command.completedAt ?? command.requestedAt)
        body.outcome = command.state
        body.outcomeDetail = command.outcomeDetail
        body.stateBefore = command.stateBefore
        body.stateAfter = command.stateAfter
        body.rule = command.rule
        if let dispatched = command.dispatchedAt, let completed = command.completedAt {
            body.latencyMs = completed.duration(since: dispatched).wholeMilliseconds
        }
        body.reason = outcome.denial?.reason
        return PendingRecord(body)
    }

    private func record(of command: Command, kind: RecordKind, at: Timestamp) -> RecordBody {
        RecordBody(
            log: device.log, id: services.random.id(at: at), at: at, kind: kind, actor: command.actor, source: command.source,
            operation: command.operation, clientAddress: request.caller.origin.clientAddress,
            requestID: request.caller.origin.requestID, device: device, commandID: command.id)
    }
}

extension LockSettings {
    fileprivate var recordFields: [String: RecordValue] {
        ["autoRelockSeconds": autoRelockSeconds.map { .integer(Int64($0)) } ?? .null]
    }
}
