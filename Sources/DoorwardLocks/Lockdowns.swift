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

    private let services: CommandServices
    private let locks: LockDAL
    private let maxConcurrentLocks: Int
    /// The LOCK commands of lockdowns that have not ended, by device. A lockdown that is started again meanwhile sends no further
    /// ones: commands to a lock that does not answer would otherwise pile up.
    private let underway = Mutex<[DeviceID: Task<RunningCommand, any Error>]>([:])

    /// - Parameter maxConcurrentLocks: the maximum number of LOCK commands of one request in progress at the same time.
    package init(_ services: CommandServices, locks: LockDAL, maxConcurrentLocks: Int) {
        (self.services, self.locks, self.maxConcurrentLocks) = (services, locks, maxConcurrentLocks)
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
        let due = services.clock.monotonicNow().advanced(by: Self.responseTime)
        let (tenancy, subject) = services.directory.resolve(caller)
        try tenancy.requireReach(of: subject, to: .property(id))
        let isReplay = if let repeatable { try await services.idempotency.begin(repeatable) != nil } else { false }
        // Until the response, a concurrent request with the same key waits.
        defer { if let repeatable, !isReplay { services.idempotency.release(repeatable.key) } }
        let isFirst = isReplay ? false : try await activate(caller, id, reason: reason, repeatable: repeatable)
        let request = LockdownRequest(
            caller: caller, property: id, reason: reason, timeout: min(timeout, Self.maxTimeout), repeatable: repeatable,
            isFirst: isFirst, isReplay: isReplay)
        let results = await lockDevices(request, until: due)
        guard let property = services.directory.snapshot.directory.property(id) else { throw .outOfReach(of: subject) }
        return Answered(StartedLockdown(property: property, results: results), isReplay: isReplay)
    }

    /// Makes the lockdown durable and in force.
    ///
    /// - Returns: false if it was active already.
    private func activate(
        _ caller: Caller, _ id: PropertyID, reason: String?, repeatable: IdempotentCall?
    ) async throws(GatewayError) -> Bool {
        try await services.writer.change(
            caller,
            body: { (draft) throws(GatewayError) in
                let lockdown = Lockdown(since: draft.now, byUserID: caller.userID, reason: reason)
                let isStarted = try draft.setLockdown(lockdown, of: id).isChanged
                if let repeatable {
                    draft.transaction.idempotency.append(repeatable.entry(.entity(id.cast()), at: draft.now))
                }
                return isStarted
            })
    }

    /// Ends a lockdown. No lock is moved. Ending a lockdown that is not active changes nothing.
    package func lift(_ caller: Caller, on id: PropertyID) async throws(GatewayError) -> Property {
        try await services.writer.change(
            caller,
            reach: [.entity(.property(id))],
            body: { (draft) throws(GatewayError) in try draft.setLockdown(nil, of: id).property })
    }

    // MARK: - Locking

    /// Locks the devices in a separate task, which continues after the response if it is not finished by then.
    private func lockDevices(_ request: LockdownRequest, until due: MonotonicInstant) async -> [LockdownResult] {
        let run = LockdownRun()
        Task(executorPreference: services.executor) { [self] in
            await lockDevices(request, run)
            run.isDue.fulfil(())
        }
        await services.deadlines.value(of: run.isDue, until: due) { run.isDue.fulfil(()) }
        return run.results { services.storeGuard.commandInFlight($0)?.command }
    }

    private func lockDevices(_ request: LockdownRequest, _ run: LockdownRun) async {
        let all = services.directory.snapshot.directory.deviceIDs(of: request.property)
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
            // If the lockdown has been ended meanwhile, the remaining locks are not to be locked.
            let property = services.directory.snapshot.directory.property(request.property)
            guard request.isFirst || !isSecure(device), property?.lockdown != nil else { return }
            try await lockOnce(device, request, repeatable) { command in
                run.set(.command(command.accepted), for: device)
                let ended = await command.finished.command
                run.set(.command(ended), for: device)
                return ended.state
            }
        } catch GatewayError.denied(let denial, _, _) {
            run.set(.denied(denial, at: services.clock.now()), for: device)
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
            let own = Task(executorPreference: services.executor) { [locks] in
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
            let entry = repeatable.entry(.command(earlier.accepted.id), at: services.clock.now())
            try await services.storeGuard.write(StoreTransaction(idempotency: [entry]))
        } else {
            // The caller of the earlier command had no right to it, or has lost it. Decide again by this caller's own rights.
            _ = await follow(try await locks.begin(request.lock(device), repeatable: repeatable).value)
        }
    }

    /// Whether the lock has reported itself that it is locked. Any doubt counts as not locked.
    private func isSecure(_ device: DeviceID) -> Bool {
        let status = services.devices.status(of: device)
        return status.state == .locked && status.stateQuality == .confirmed
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
    /// Starts a lockdown, or ends it for `nil`.
    ///
    /// - Returns: the property; unchanged if a lockdown is active already, or if there is none to end.
    /// - Throws: `.denied` if the caller may not start and end a lockdown of the property.
    fileprivate mutating func setLockdown(
        _ lockdown: Lockdown?, of id: PropertyID
    ) throws(GatewayError) -> (property: Property, isChanged: Bool) {
        guard let property = directory.property(id) else { throw .outOfReach(of: subject) }
        try require(.lockdown, on: .property(id))
        guard (property.lockdown == nil) != (lockdown == nil) else { return (property, false) }
        var changed = property
        (changed.lockdown, changed.updatedAt) = (lockdown, now)
        apply(.putProperty(changed))
        let (before, after) = Property.fields.recordedChanges(from: property, to: changed)
        appendRecord(.update, RecordTarget(changed), at: .property(id), before: before, after: after)
        return (changed, true)
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
    private let outcomes = Mutex<[DeviceID: LockdownResult.Outcome]>([:])
    /// Fulfilled when the response is due.
    let isDue = Promise<Void>()

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
