internal import DoorwardAdapterKit
package import DoorwardDomain
internal import DoorwardPolicy
internal import Logging
import Synchronization

/// The one way by which a lock is moved: decide, reserve a place, write the intent, wait the turn, decide again in the
/// device's gate and send, wait for the lock, write the outcome, answer.
///
/// Nothing is ever sent a second time: a repeat is a new command with a decision and an intent of its own.
package final class LockDAL: Sendable {
    let directory: PublishedDirectory
    let devices: LiveDevices
    let adapters: AdapterRegistry
    let ledger: Ledger
    let clock: any GatewayClock
    let random: RandomSource
    private let attachments: Attachments
    private let denials: DenialRecorder
    private let idempotency: IdempotencyGuard
    /// Where the lives of commands run; tests hand in one that orders their steps.
    let executor: (any TaskExecutor)?
    let running = RunningCommands()
    /// Ends what waits for its turn or for its lock when its deadline passes.
    let deadlines: DeadlineQueue
    let metrics: CommandMetrics

    /// - Parameters:
    ///   - deniedPerMinute: denied commands of one principal within a minute; the next are refused before a decision.
    ///   - executor: where the lives of commands run; `nil` for the global one.
    init(
        directory: PublishedDirectory, devices: LiveDevices, adapters: AdapterRegistry, ledger: Ledger,
        idempotency: IdempotencyGuard, codes: LockCodeSealer, clock: any GatewayClock, random: RandomSource,
        deniedPerMinute: Int = 20, executor: (any TaskExecutor)? = nil,
        metrics: CommandMetrics
    ) {
        (self.idempotency, self.metrics) = (idempotency, metrics)
        (self.directory, self.devices, self.adapters, self.ledger) = (directory, devices, adapters, ledger)
        (self.clock, self.random, self.executor) = (clock, random, executor)
        deadlines = DeadlineQueue(clock: clock, executor: executor)
        attachments = Attachments(devices: devices, adapters: adapters, codes: codes)
        denials = DenialRecorder(ledger: ledger, clock: clock, random: random, perMinute: deniedPerMinute)
    }

    /// Lets a caller pass unless they were denied too often within the last minute. `begin` asks again; this is for those
    /// who want to know before they read what is asked.
    ///
    /// - Throws: `.rateLimited`.
    package func admit(_ caller: Caller) async throws(GatewayError) { try await denials.admit(caller) }

    // MARK: - Steps 1 to 3: decide, reserve, write the intent

    /// Accepts a command. When this returns, its intent is durable, and a task of its own executes it.
    ///
    /// - Parameter repeatable: the caller's idempotency key, if there is one.
    /// - Throws: `.denied` after the denial was made durable; `.deviceBusy` with no intent; `.rateLimited`, `.shuttingDown`,
    ///   `.unavailable`, `.idempotencyMismatch`.
    package func begin(
        _ request: CommandRequest, repeatable: IdempotentCall? = nil
    ) async throws(GatewayError) -> Answered<RunningCommand> {
        switch try await admitted(request, repeatable: repeatable) {
        case .replayed(let finished): return .replayed(RunningCommand(ended: finished))
        case .fresh(let life):
            let accepted = life.command
            let end = Task(executorPreference: executor) { [self] in await complete(life, repeatable) }
            return .fresh(RunningCommand(accepted: accepted, end: end))
        }
    }

    /// Executes a command to its end on the caller's task, which saves the thread switches of a task of its own.
    ///
    /// Cancelling the caller's task does not end the command: no step after the intent reacts to cancellation.
    ///
    /// - Parameter repeatable: the caller's idempotency key, if there is one.
    /// - Throws: as `begin`. A command whose intent is durable is returned with its outcome, whatever that is.
    package func execute(
        _ request: CommandRequest, repeatable: IdempotentCall? = nil
    ) async throws(GatewayError) -> Answered<FinishedCommand> {
        switch try await admitted(request, repeatable: repeatable) {
        case .replayed(let finished): .replayed(finished)
        case .fresh(let life): .fresh(await complete(life, repeatable))
        }
    }

    private func complete(_ life: CommandLife, _ repeatable: IdempotentCall?) async -> FinishedCommand {
        let finished = await life.run()
        if let key = repeatable?.key { idempotency.finish(key) }
        return finished
    }

    /// A command whose intent is durable, or the command of an earlier call with the same idempotency key.
    private enum Admitted {
        case fresh(CommandLife)
        case replayed(FinishedCommand)
    }

    private func admitted(
        _ request: CommandRequest, repeatable: IdempotentCall?
    ) async throws(GatewayError) -> Admitted {
        let started = clock.monotonicNow()
        guard !running.isClosed else { throw .shuttingDown }
        guard ledger.isAcceptingCommands else { throw .unavailable }
        try await denials.admit(request.caller)

        var decided = decide(request)
        if let denial = decided.decision.denial, !denial.hasReach {
            metrics.count(decided.decision)
            throw try await denials.record(denial, of: request, device: nil, in: decided.snapshot.directory)
        }
        if let repeatable {
            switch try await idempotency.begin(repeatable) {
            case .made(let result): return .replayed(try await earlierCommand(result, denialNow: decided.decision.denial))
            // A concurrent call that was waited for may have taken its time.
            case .fresh(hasWaited: true): decided = decide(request)
            case .fresh(hasWaited: false): break
            }
        }
        do {
            return .fresh(try await accept(request, decided, started: started, repeatable: repeatable))
        } catch {
            if let repeatable { idempotency.finish(repeatable.key) }
            throw error
        }
    }

    /// A decision, with the instant and the directory that it was made for.
    private struct Decided {
        let now: Timestamp
        let snapshot: PublishedDirectory.Snapshot
        let decision: Decision
    }

    private func decide(_ request: CommandRequest) -> Decided {
        let (now, snapshot) = (clock.now(), directory.snapshot)
        guard let deviceID = request.deviceID else {
            return Decided(now: now, snapshot: snapshot, decision: .denied(Denial(.deviceUnknown, hasReach: false)))
        }
        let decision = SecurityService.decide(
            request.caller.principal, request.operation, on: deviceID, at: now, override: request.override != nil,
            in: snapshot.directory)
        return Decided(now: now, snapshot: snapshot, decision: decision)
    }

    private func accept(
        _ request: CommandRequest, _ decided: Decided, started: MonotonicInstant, repeatable: IdempotentCall?
    ) async throws(GatewayError) -> CommandLife {
        let (now, snapshot, decision) = (decided.now, decided.snapshot, decided.decision)
        metrics.count(decision)
        guard case .allowed(let rule, let override) = decision, let id = request.deviceID,
            let device = snapshot.directory.device(id),
            let actor = snapshot.directory.user(request.caller.userID).map({ Actor($0) })
        else {
            let denial = decision.denial ?? Denial(.deviceUnknown, hasReach: false)
            throw try await denials.record(
                denial, of: request, device: snapshot.directory.device(request.deviceID), in: snapshot.directory)
        }
        let timeout = Self.timeout(request.timeout, under: rule, at: now, in: snapshot.directory)
        let live = devices.device(device.id)
        guard let place = devices.reserve(live, for: request.caller.principal) else { throw .deviceBusy }
        let command = Command(
            id: random.id(at: now), deviceID: device.id, operation: request.operation, actor: actor,
            source: request.caller.source,
            reason: request.statedReason, override: override ? request.override : nil, rule: rule,
            stateBefore: live.status.state, requestedAt: now, deadline: now.advanced(by: timeout))
        let life = CommandLife(
            dal: self, request: request, command: command, stamp: DeviceStamp(device), adapter: adapters[device.adapter],
            live: live, place: place, deadline: started.advanced(by: timeout), repeatable: repeatable)
        do {
            try running.add(life)
            try await life.writeFirstIntent()
        } catch {
            running.remove(command.id)
            leave(place, of: live)
            throw error
        }
        return life
    }

    /// Gives a command's place up. Whoever is the last to leave the lane of a device that is gone lets go of the lock.
    func leave(_ place: QueuePlace, of live: LiveDevice) {
        devices.leave(place, of: live)
        if directory.snapshot.directory.resolve(live.id) == nil { attachments.letGo(of: live.id) }
    }

    /// The command's time: what the caller gives it, and never past the end of the guest's window.
    static func timeout(
        _ asked: Duration, under rule: Rule, at now: Timestamp, in tenancy: TenancyDirectory
    ) -> Duration {
        guard case .guestAccess(let id) = rule, let access = tenancy.guestAccess(id) else { return asked }
        return min(asked, access.window.validUntil.duration(since: now))
    }

    // MARK: - Repeats

    /// The command of an earlier call with the same key.
    ///
    /// - Parameter denialNow: why the caller is denied at present. It explains a command that was denied for the same reason.
    private func earlierCommand(
        _ result: IdempotentResult, denialNow: Denial?
    ) async throws(GatewayError) -> FinishedCommand {
        switch result {
        case .entity: throw .internalFailure("an entity is stored under the idempotency key of a command")
        case .command(let id):
            let stored = try await storing { () throws(StoreError) in try await ledger.commands.command(id) }
            guard var command = stored?.command else {
                throw .internalFailure("an idempotency entry names a command that is not there")
            }
            // Its outcome could not be written and is not settled yet: a repeat is told no more than the first caller was.
            if !command.state.isEnd {
                CommandEnding.outcomeNotWritten(wasSent: nil).apply(to: &command, at: clock.now(), stateNow: .unknown)
            }
            let denial = command.denialAtDispatch.map { $0.reason == denialNow?.reason ? denialNow ?? $0 : $0 }
            return FinishedCommand(command: command, status: devices.status(of: command.deviceID), denial: denial)
        }
    }

    // MARK: - Reading

    /// A command that the caller may see: their own, or one that happened where they read the history.
    ///
    /// - Throws: `.denied` without reach for anything else; a super admin may know whether there is one, and reads none.
    package func command(_ id: CommandID?, for caller: Caller) async throws(GatewayError) -> StoredCommand {
        let (tenancy, subject) = directory.resolve(caller)
        if let id, let found = try await visibleCommand(id, to: subject, in: tenancy) { return found }
        guard subject.isSuperAdmin else { throw .outOfReach }
        guard try await existing(id) != nil else { throw .notFound }
        throw .denied(Denial(.roleInsufficient, hasReach: true, rule: .superAdmin), operation: nil, deviceID: nil)
    }

    /// The caller's own commands and those that happened where the caller reads the history, newest first, in whatever order the
    /// request asks for: the store keeps them by age.
    ///
    /// - Parameter deviceID: of this device alone; the inner `nil` stands for an id that cannot be one.
    package func commands(
        for caller: Caller, deviceID: DeviceID??, _ request: PageRequest<CommandOrder>
    ) async throws(GatewayError) -> Page<StoredCommand> {
        let (commands, total) = try await storedCommands(for: caller, deviceID, request)
        // As of after reading: what ended meanwhile is not shown.
        return Page(commands, total: total, page: request.page, limit: request.limit, in: directory.snapshot)
    }

    private func storedCommands(
        for caller: Caller, _ deviceID: DeviceID??, _ request: PageRequest<CommandOrder>
    ) async throws(GatewayError) -> (commands: [StoredCommand], total: Int) {
        if case .some(.none) = deviceID { return ([], 0) }
        let (tenancy, subject) = directory.resolve(caller)
        let scopes = tenancy.recordScopes(of: subject)
        var query = CommandQuery(
            scopes: scopes, actorUserID: subject.userID, deviceID: deviceID ?? nil, offset: request.offset, limit: request.limit)
        query.reader = tenancy.listReader(subject.userID, scopes)
        return try await storing { () throws(StoreError) in try await ledger.commands.commands(query) }
    }

    /// Queries the store within the caller's scopes, so that another user's command costs the same as one that does not exist.
    private func visibleCommand(
        _ id: CommandID, to subject: Subject, in tenancy: TenancyDirectory
    ) async throws(GatewayError) -> StoredCommand? {
        let scopes = tenancy.recordScopes(of: subject)
        func mayRead(_ found: StoredCommand) -> Bool {
            subject.isUser(found.command.actor.userID) || scopes.contains { found.lies(in: $0) }
        }
        if let command = running.command(id), mayRead(command) { return command }
        let query = CommandQuery(scopes: scopes, actorUserID: subject.userID, limit: 1)
        let found = try await storing { () throws(StoreError) in try await ledger.commands.command(id, within: query) }
        return found.flatMap { mayRead($0) ? $0 : nil }
    }

    private func existing(_ id: CommandID?) async throws(GatewayError) -> StoredCommand? {
        guard let id else { return nil }
        if let command = running.command(id) { return command }
        return try await storing { () throws(StoreError) in try await ledger.commands.command(id) }
    }

    /// Sets the gauges of what is under way.
    func sampleMetrics() {
        metrics.sample(running: running.count, waiting: devices.waitingCount, isAccepting: ledger.isAcceptingCommands)
    }

    // MARK: - Stopping

    /// Refuses new commands, ends at once those that were not sent, and waits for those that were.
    ///
    /// - Parameter patience: how long a sent command may still wait for its lock.
    package func stop(patience: Duration) async {
        running.close()
        devices.dismissWaiting()
        let timer = Task(executorPreference: executor) { [self] in
            try await clock.sleep(until: clock.monotonicNow().advanced(by: patience))
            devices.abandonOrders()
        }
        await running.allEnded()
        timer.cancel()
    }
}

extension Command {
    /// Why the right had ended at dispatch, if the command records it. The caller of a repeat has reach.
    fileprivate var denialAtDispatch: Denial? {
        guard state == .denied, let reason = outcomeDetail.flatMap({ DenialReason(rawValue: $0) }) else { return nil }
        return Denial(reason, hasReach: true)
    }
}

extension TenancyDirectory {
    func device(_ id: DeviceID?) -> LockDevice? { id.flatMap { device($0) } }
}
