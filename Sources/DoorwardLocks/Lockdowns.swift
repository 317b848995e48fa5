package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy
import Synchronization

/// Starts and ends lockdowns of properties.
package final class Lockdowns: Sendable {
    /// How long a response waits for the locks, so that it is sent within 15 s. LOCK commands that have not ended by then continue.
    static let responseTime = Duration.seconds(14)
    /// The maximum timeout of a LOCK command: one that begins at once has ended before the response.
    static let maxTimeout = Duration.seconds(13)

    private let directory: CurrentDirectory
    private let writer: TenancyWriter
    private let locks: LockDAL
    private let idempotency: IdempotencyGuard
    private let devices: DeviceRuntimes
    private let storeGuard: StoreGuard
    private let deadlines: DeadlineQueue
    private let clock: any GatewayClock
    private let maxConcurrentLocks: Int
    private let executor: (any TaskExecutor)?
    /// The LOCK commands of lockdowns that have not ended, by device. A lockdown that is started again meanwhile sends no further
    /// ones: commands to a lock that does not answer would otherwise pile up.
    private let underway = Mutex<[DeviceID: Task<RunningCommand, any Error>]>([:])

    /// - Parameters:
    ///   - maxConcurrentLocks: the maximum number of LOCK commands of one request in progress at the same time.
    ///   - executor: runs the LOCK commands; `nil` for the global one.
    package init(
        _ services: CommandServices, locks: LockDAL, idempotency: IdempotencyGuard, maxConcurrentLocks: Int,
        executor: (any TaskExecutor)?
    ) {
        (self.locks, self.idempotency, self.executor) = (locks, idempotency, executor)
        self.maxConcurrentLocks = maxConcurrentLocks
        (directory, devices, writer) = (services.directory, services.devices, services.writer)
        (deadlines, clock, storeGuard) = (services.deadlines, services.clock, services.storeGuard)
    }

    /// Starts a lockdown, and then locks the property's devices. When the first LOCK is sent, the lockdown is durable and in force:
    /// no UNLOCK or UNLATCH that was decided before is sent any more.
    ///
    /// If the lockdown is active already, locks only the devices whose state is not known to be `LOCKED`. If a LOCK of a lockdown is
    /// still in progress for a device, no second one is begun; the result is that command.
    ///
    /// - Parameters:
    ///   - reason: the reason that the caller gave.
    ///   - timeout: the timeout of each LOCK command; at most `maxTimeout` is used.
    ///   - repeatable: the caller's idempotency key. A repeated request gets the commands of the first one.
    package func start(
        _ caller: Caller, on id: PropertyID, reason: String?, timeout: Duration, repeatable: IdempotentCall?
    ) async throws(GatewayError) -> Answered<StartedLockdown> {
        let due = clock.monotonicNow().advanced(by: Self.responseTime)
        let (tenancy, subject) = directory.resolve(caller)
        try tenancy.requireReach(of: subject, to: .property(id))
        let isReplay = try await isReplay(repeatable)
        // Until the response, a concurrent request with the same key waits.
        defer { if let repeatable, !isReplay { idempotency.release(repeatable.key) } }
        let isFirst = isReplay ? false : try await activate(caller, id, reason: reason, repeatable: repeatable)
        let request = LockdownRequest(
            caller: caller, property: id, reason: reason, timeout: min(timeout, Self.maxTimeout), repeatable: repeatable,
            isFirst: isFirst, isReplay: isReplay)
        let results = await lockDevices(request, until: due)
        guard let property = directory.snapshot.directory.property(id) else { throw .outOfReach(of: subject) }
        let started = StartedLockdown(property: property, results: results)
        return isReplay ? .replayed(started) : .executed(started)
    }

    /// Whether an earlier request had the same idempotency key. If not, the key is acquired, and must be released.
    private func isReplay(_ repeatable: IdempotentCall?) async throws(GatewayError) -> Bool {
        guard let repeatable else { return false }
        return switch try await idempotency.begin(repeatable) {
        case .unused: false
        case .existing: true
        }
    }

    /// Makes the lockdown durable and in force.
    ///
    /// - Returns: false if it was active already.
    private func activate(
        _ caller: Caller, _ id: PropertyID, reason: String?, repeatable: IdempotentCall?
    ) async throws(GatewayError) -> Bool {
        try await writer.change(
            caller,
            body: { (draft) throws(GatewayError) in
                let isStarted = try draft.startLockdown(of: id, reason: reason)
                if let repeatable {
                    draft.transaction.idempotency.append(repeatable.entry(.entity(id.cast()), at: draft.now))
                }
                return isStarted
            })
    }

    /// Ends a lockdown. No lock is moved. Ending a lockdown that is not active changes nothing.
    package func lift(_ caller: Caller, on id: PropertyID) async throws(GatewayError) -> Property {
        try await writer.change(
            caller,
            reach: [.entity(.property(id))],
            body: { (draft) throws(GatewayError) in try draft.endLockdown(of: id) })
    }

    // MARK: - Locking

    /// Locks the devices in a separate task, which continues after the response if it is not finished by then.
    private func lockDevices(_ request: LockdownRequest, until due: MonotonicInstant) async -> [LockdownResult] {
        let run = LockdownRun()
        Task(executorPreference: executor) { [self] in
            await lockDevices(request, run)
            run.isDue.fulfil(())
        }
        let timeout = deadlines.schedule(at: due) { run.isDue.fulfil(()) }
        await run.isDue.value
        deadlines.cancel(timeout)
        return run.results { storeGuard.commandInFlight($0)?.command }
    }

    private func lockDevices(_ request: LockdownRequest, _ run: LockdownRun) async {
        let all = directory.snapshot.directory.deviceIDs(of: request.property)
        for device in all where request.isFirst || !isSecure(device) { run.set(.pending, for: device) }
        await withTaskGroup(of: Void.self) { group in
            var rest = all.makeIterator()
            func addNext() {
                guard let device = rest.next() else { return }
                group.addTask { [self] in await lock(device, request, run) }
            }
            for _ in 0..<maxConcurrentLocks { addNext() }
            while await group.next() != nil { addNext() }
        }
    }

    /// Locks one device. After an error other than a denial, the result stays pending, because nothing was decided.
    private func lock(_ device: DeviceID, _ request: LockdownRequest, _ run: LockdownRun) async {
        let repeatable = request.repeatable.map { $0.subkey(for: device) }
        do {
            if request.isReplay, let repeatable, let earlier = try await locks.earlier(repeatable) {
                return run.set(.command(earlier.command), for: device)
            }
            guard request.isFirst || !isSecure(device), isActive(request.property) else { return }
            try await lockOnce(device, request, repeatable) { command in
                run.set(.command(command.accepted), for: device)
                let ended = await command.finished.command
                run.set(.command(ended), for: device)
                return ended.state
            }
        } catch GatewayError.denied(let denial, _, _) {
            run.set(.denied(denial, at: clock.now()), for: device)
        } catch {
            return
        }
    }

    /// Locks a device: joins the LOCK of a lockdown that is still in progress for it, or begins a new one.
    ///
    /// - Parameter follow: waits until the command has ended, and returns its final state.
    private func lockOnce(
        _ device: DeviceID, _ request: LockdownRequest, _ repeatable: IdempotentCall?,
        _ follow: (RunningCommand) async -> CommandState
    ) async throws {
        let (command, isOwn) = underway.withLock { underway in
            if let earlier = underway[device] { return (earlier, false) }
            let own = Task(executorPreference: executor) { [locks] in
                try await locks.begin(request.lock(device), repeatable: repeatable).value
            }
            underway[device] = own
            return (own, true)
        }
        if isOwn {
            defer { underway.withLock { $0[device] = nil } }
            _ = await follow(try await command.value)
        } else if let earlier = try? await command.value, await follow(earlier) != .denied {
            guard let repeatable else { return }
            let entry = repeatable.entry(.command(earlier.accepted.id), at: clock.now())
            try await storeGuard.write(StoreTransaction(idempotency: [entry]))
        } else {
            // The caller of the earlier command had no right to it, or has lost it. Decide again by this caller's own rights.
            _ = await follow(try await locks.begin(request.lock(device), repeatable: repeatable).value)
        }
    }

    /// Whether the lock has reported itself that it is locked. Any doubt counts as not locked.
    private func isSecure(_ device: DeviceID) -> Bool {
        let status = devices.status(of: device)
        return status.state == .locked && status.stateQuality == .confirmed
    }

    /// Whether the lockdown has not been ended meanwhile, so that the remaining locks are to be locked.
    private func isActive(_ property: PropertyID) -> Bool {
        directory.snapshot.directory.property(property)?.lockdown != nil
    }
}

/// The response to the start of a lockdown.
package struct StartedLockdown: Sendable {
    /// The property after the start.
    package let property: Property
    /// One result for each device that was to be locked, sorted by device.
    package let results: [LockdownResult]
}

/// A request to lock the devices of a property under lockdown.
private struct LockdownRequest: Sendable {
    let caller: Caller
    let property: PropertyID
    let reason: String?
    let timeout: Duration
    let repeatable: IdempotentCall?
    /// Whether the request has started the lockdown: then every device is locked, whatever its state.
    let isFirst: Bool
    /// Whether an earlier request had the same idempotency key.
    let isReplay: Bool

    func lock(_ device: DeviceID) -> CommandRequest {
        CommandRequest(
            caller: caller, deviceID: device, attemptedID: device.description, operation: .lock, statedReason: reason,
            timeout: timeout, isLockdown: true)
    }
}

extension IdempotentCall {
    /// The key for the part of the request that concerns one device. A key in a request contains no space, so the two never
    /// collide.
    fileprivate func subkey(for device: DeviceID) -> IdempotentCall {
        IdempotentCall(key: IdempotencyKey(principal: key.principal, key: "\(key.key) \(device)"), fingerprint: fingerprint)
    }
}

extension TenancyUnitOfWork {
    /// - Returns: false if a lockdown is active already.
    fileprivate mutating func startLockdown(of id: PropertyID, reason: String?) throws(GatewayError) -> Bool {
        let property = try lockable(id)
        guard property.lockdown == nil else { return false }
        _ = setLockdown(Lockdown(since: now, byUserID: caller.userID, reason: reason), of: property)
        return true
    }

    fileprivate mutating func endLockdown(of id: PropertyID) throws(GatewayError) -> Property {
        let property = try lockable(id)
        guard property.lockdown != nil else { return property }
        return setLockdown(nil, of: property)
    }

    /// - Throws: `.denied` if the caller may not start and end a lockdown of the property.
    private func lockable(_ id: PropertyID) throws(GatewayError) -> Property {
        guard let property = directory.property(id) else { throw .outOfReach(of: subject) }
        try require(.lockdown, on: .property(id))
        return property
    }

    private mutating func setLockdown(_ lockdown: Lockdown?, of property: Property) -> Property {
        var changed = property
        (changed.lockdown, changed.updatedAt) = (lockdown, now)
        apply(.putProperty(changed))
        let (before, after) = Property.fields.recordedChanges(from: property, to: changed)
        appendRecord(.update, RecordTarget(changed), at: .property(changed.id), before: before, after: after)
        return changed
    }
}

/// The LOCK of one device in a lockdown.
package struct LockdownResult: Sendable {
    /// The outcome of the LOCK.
    package enum Outcome: Sendable {
        /// Nothing was decided yet: other locks are still being locked, or the gateway could not accept the command.
        case pending
        /// The command, in its latest known state.
        case command(Command)
        /// The command was denied at this instant, so there is none.
        case denied(Denial, at: Timestamp)
    }

    /// The device.
    package let deviceID: DeviceID
    /// The outcome of the LOCK.
    package let outcome: Outcome
}

/// The results of a lockdown in progress. They are read when all LOCKs have ended or the time for the response is over.
final class LockdownRun: Sendable {
    private let outcomes: Mutex<[DeviceID: LockdownResult.Outcome]>
    /// Fulfilled when the response is due.
    let isDue = Promise<Void>()

    init() { outcomes = Mutex([:]) }

    func set(_ outcome: LockdownResult.Outcome, for device: DeviceID) { outcomes.withLock { $0[device] = outcome } }

    /// The results so far, by device.
    ///
    /// - Parameter current: returns the state of a command in flight.
    func results(current: (CommandID) -> Command?) -> [LockdownResult] {
        outcomes.withLock { $0 }.sorted { $0.key < $1.key }.map { device, outcome in
            guard case .command(let command) = outcome, !command.state.isEnd, let now = current(command.id)
            else { return LockdownResult(deviceID: device, outcome: outcome) }
            return LockdownResult(deviceID: device, outcome: .command(now))
        }
    }
}
