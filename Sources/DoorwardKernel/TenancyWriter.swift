package import DoorwardDomain
package import DoorwardPolicy
import Synchronization

/// A gate in which a decision and its effect, such as sending a command, are made without a change of the tenancy in between. After
/// `pass` has returned, no decision on a directory that was replaced before the call can take effect any more.
package protocol DecisionGate: Sendable {
    /// Waits until the decisions that are in the gate have taken effect.
    func pass() async
}

/// Changes the tenancy, one change at a time: validate on the current directory, commit, publish,
/// wait for the dispatch gates and those of the streams, return.
///
/// After `change` returns, no further command or event of a stream is sent under a right that it revoked. A right that
/// it granted takes effect only after the change is durable.
package final class TenancyWriter: Sendable {
    /// Drafts a change on a copy of the directory, with the caller's rights in that copy. If it throws, nothing is changed. It is a pure
    /// function of the directory: the writer commits its draft, and a dry run makes the same draft and shows its effects.
    package typealias Draft<Value> = @Sendable (inout TenancyUnitOfWork) throws(GatewayError) -> Value

    private let directory: CurrentDirectory
    private let storeGuard: StoreGuard
    private let clock: TrustedClock
    private let random: RandomSource
    private let idempotency: IdempotencyGuard
    private let windows: WindowTimer
    /// The gates that each change passes, in this order: those of the locks' commands, and those of the streams.
    private let gates: [any DecisionGate]
    private let mutex = AsyncMutex()

    /// Create only one writer per gateway: changes are serialized only if all of them use the same writer.
    package init(
        directory: CurrentDirectory, storeGuard: StoreGuard, idempotency: IdempotencyGuard, windows: WindowTimer,
        gates: [any DecisionGate], clock: TrustedClock, random: RandomSource
    ) {
        (self.directory, self.storeGuard, self.windows, self.gates) = (directory, storeGuard, windows, gates)
        (self.idempotency, self.clock, self.random) = (idempotency, clock, random)
    }

    /// Makes one change.
    ///
    /// - Parameters:
    ///   - reach: the entities that the request names.
    ///   - body: drafts the change. A draft without changes is not written.
    ///   - afterwards: runs after the change has taken effect and before the next one starts; receives the previous directory.
    package func change<Value: Sendable>(
        _ caller: Caller, reach: [Reach] = [], body: Draft<Value>,
        afterwards: (Value, TenancyDirectory) -> Void = { _, _ in }
    ) async throws(GatewayError) -> Value {
        guard storeGuard.isAcceptingCommands else { throw .unavailable }
        try directory.current.requireReach(of: caller, to: reach, at: clock.decisionTime())
        return try await commit(caller, body, afterwards: afterwards)
    }

    /// Creates an entity in one change, once for each idempotency key.
    ///
    /// - Parameters:
    ///   - repeatable: the caller's idempotency key, if there is one.
    ///   - reach: as for `change`; checked before the key is looked up.
    ///   - prepare: slow work, done only for the first request with a key, while other changes continue.
    ///   - body: as for `change`, with the result of `prepare`.
    /// - Throws: the error for an id that does not exist, if the request is repeated and its entity
    ///   no longer exists or is no longer visible to the caller.
    package func create<Prepared: Sendable, Value: CreatedEntity>(
        _ caller: Caller, repeatable: IdempotentCall?, reach: [Reach] = [], prepare: () async throws(GatewayError) -> Prepared,
        body: @Sendable (inout TenancyUnitOfWork, Prepared) throws(GatewayError) -> Value,
        afterwards: (Value, TenancyDirectory) -> Void = { _, _ in }
    ) async throws(GatewayError) -> Answered<Value> {
        guard storeGuard.isAcceptingCommands else { throw .unavailable }
        try directory.current.requireReach(of: caller, to: reach, at: clock.decisionTime())
        if let repeatable, let entity: Value = try await earlier(repeatable, of: caller) {
            return Answered(entity, isReplay: true)
        }
        defer { if let repeatable { idempotency.release(repeatable.key) } }
        let prepared = try await prepare()
        let created = try await commit(
            caller,
            { (draft) throws(GatewayError) in
                let entity = try body(&draft, prepared)
                if let repeatable {
                    draft.transaction.idempotency.append(repeatable.entry(.entity(entity.id.cast()), at: draft.now))
                }
                return entity
            }, afterwards: afterwards)
        return Answered(created)
    }

    /// Creates an entity that needs no slow work.
    package func create<Value: CreatedEntity>(
        _ caller: Caller, repeatable: IdempotentCall?, reach: [Reach] = [], body: Draft<Value>,
        afterwards: (Value, TenancyDirectory) -> Void = { _, _ in }
    ) async throws(GatewayError) -> Answered<Value> {
        try await create(
            caller, repeatable: repeatable, reach: reach, prepare: { () throws(GatewayError) in },
            body: { (draft, _) throws(GatewayError) in try body(&draft) }, afterwards: afterwards)
    }

    /// Makes one change that removes something, or only drafts it.
    ///
    /// - Parameters:
    ///   - isDryRun: whether nothing is changed.
    ///   - reach: as for `change`.
    ///   - body: as for `change`; it throws the same errors in a dry run.
    /// - Returns: the effects; `nil` if the change was made.
    package func remove(
        _ caller: Caller, isDryRun: Bool, reach: [Reach] = [], body: Draft<Void>, afterwards: () -> Void = {}
    ) async throws(GatewayError) -> RemovalPreview? {
        guard isDryRun else {
            try await change(caller, reach: reach, body: body, afterwards: { _, _ in afterwards() })
            return nil
        }
        let before = directory.current
        let draft = try draft(caller, on: before, reach: reach, body: body).draft
        return RemovalPreview(draft.transaction.changes, from: before, to: draft.directory, at: draft.now)
    }

    /// Drafts a change or a creation and does not make it: nothing is written, published or kept.
    ///
    /// - Parameters:
    ///   - reach: as for `change`.
    ///   - body: as for `change`; it throws the same errors in a dry run.
    /// - Throws: also `.unavailable`, as the change itself: while a write is in doubt, the directory may lack it.
    package func dryRun<Value: Sendable>(
        _ caller: Caller, reach: [Reach] = [], body: Draft<Value>
    ) throws(GatewayError) -> Drafted<Value> {
        guard storeGuard.isAcceptingCommands else { throw .unavailable }
        let (value, draft) = try draft(caller, on: directory.current, reach: reach, body: body)
        return Drafted(value: value, snapshot: CurrentDirectory.Snapshot(draft.directory))
    }

    private func draft<Value>(
        _ caller: Caller, on before: TenancyDirectory, reach: [Reach], body: Draft<Value>
    ) throws(GatewayError) -> (value: Value, draft: TenancyUnitOfWork) {
        try before.requireReach(of: caller, to: reach, at: clock.decisionTime())
        var draft = TenancyUnitOfWork(directory: before, caller: caller, time: clock.decisionTime(), random: random)
        return (try body(&draft), draft)
    }

    /// The entity that an earlier request with the same key created; `nil` if there was no such
    /// request. This request has then acquired the key.
    private func earlier<Value: CreatedEntity>(_ call: IdempotentCall, of caller: Caller) async throws(GatewayError) -> Value? {
        switch try await idempotency.begin(call) {
        case nil: return nil
        case .command:
            throw .internalFailure("the idempotency key of a request to create an entity belongs to a command")
        case .entity(let id):
            let (tenancy, subject) = directory.resolve(caller)
            guard let entity = Value.stored(id.cast(), in: tenancy) else { throw .outOfReach(of: subject) }
            try tenancy.requireReach(of: caller, to: [Value.reach(id.cast())], at: clock.decisionTime())
            return entity
        }
    }

    private func commit<Value: Sendable>(
        _ caller: Caller, _ body: Draft<Value>, afterwards: (Value, TenancyDirectory) -> Void
    ) async throws(GatewayError) -> Value {
        await mutex.lock()
        defer { mutex.unlock() }
        // Check again while holding the mutex: a change may be based on the directory only while no write is in doubt.
        guard storeGuard.isAcceptingCommands else { throw .unavailable }
        let before = directory.current
        var draft = TenancyUnitOfWork(directory: before, caller: caller, time: clock.decisionTime(), random: random)
        let value = try body(&draft)
        guard !draft.transaction.isEmpty else { return value }
        try await storeGuard.write(draft.transaction)
        directory.publish(draft.directory, after: draft.transaction.changes)
        windows.note(draft.transaction.changes, since: draft.now)
        for gate in gates { await gate.pass() }
        afterwards(value, before)
        return value
    }

    /// Runs `body` on the current directory, while no change is in progress.
    package func betweenChanges(_ body: (TenancyDirectory) -> Void) async {
        await mutex.lock()
        defer { mutex.unlock() }
        body(directory.current)
    }

    /// Replaces the directory by the content of the store, after writes were in doubt.
    ///
    /// - Parameter afterwards: runs after the new directory has taken effect, as for `change`.
    package func reload(
        _ read: () async throws(GatewayError) -> TenancyDirectory, afterwards: (TenancyDirectory) -> Void = { _ in }
    ) async throws(GatewayError) {
        await mutex.lock()
        defer { mutex.unlock() }
        let before = directory.current
        directory.publish(try await read(), after: nil)
        windows.restart()
        for gate in gates { await gate.pass() }
        afterwards(before)
    }
}

extension StoreTransaction {
    fileprivate var isEmpty: Bool {
        changes.isEmpty && counters.isEmpty && credentials.isEmpty && commands.isEmpty && idempotency.isEmpty && records.isEmpty
            && forgets.isEmpty && truncations.isEmpty && clock.isEmpty && purchases.isEmpty
    }
}

/// A change that was drafted and not made.
package struct Drafted<Value: Sendable>: Sendable {
    /// The result that the change would have. The ids of new entities in it exist nowhere else.
    package let value: Value
    /// The directory as the change would leave it.
    package let snapshot: CurrentDirectory.Snapshot
}

/// An entity that a request names. A request that names one that its caller may not see is answered as if there were no such id.
package enum Reach: Hashable, Sendable {
    /// A portfolio, property or unit.
    case entity(AssociatedEntity)
    /// A lock, which may be unassigned.
    case device(DeviceID)
    /// A user. People to whom the request gives a role or an access are not listed: the id of any existing user is accepted.
    case user(UserID)
    /// A guest access, which its manager and its guest may read.
    case guestAccess(GuestAccessID)
}

extension TenancyDirectory {
    /// - Throws: the error for an id that does not exist, unless each entity is visible to the caller.
    func requireReach(of caller: Caller, to named: [Reach], at time: DecisionTime) throws(GatewayError) {
        guard !named.isEmpty else { return }
        let subject = subject(of: caller.principal)
        for entity in named {
            switch entity {
            case .entity(let entity): try requireReach(of: subject, to: entity)
            case .device(let id): try requireReach(of: subject, to: id, at: time)
            case .user(let id): _ = try visibleUser(id, to: subject)
            case .guestAccess(let id): _ = try readable(id, to: subject)
            }
        }
    }
}
