import DequeModule
internal import DoorwardDomain
internal import DoorwardPolicy
import Synchronization

/// Changes the tenancy, one change at a time: validate on the directory in force, commit, publish, pass the gates, answer.
///
/// When `change` has returned, whatever right it took away is gone for every command that had not left; a right that it
/// gave was in force for nobody before it was durable.
package final class TenancyWriter: Sendable {
    private let directory: PublishedDirectory
    private let devices: LiveDevices
    private let ledger: Ledger
    private let clock: any GatewayClock
    private let random: RandomSource
    private let idempotency: IdempotencyGuard
    private let windows: WindowTimer
    private let turnstile = Turnstile()

    /// One writer for one gateway: changes are made one at a time only if all go through it.
    init(
        directory: PublishedDirectory, devices: LiveDevices, ledger: Ledger, idempotency: IdempotencyGuard, windows: WindowTimer,
        clock: any GatewayClock, random: RandomSource
    ) {
        (self.directory, self.devices, self.ledger, self.windows) = (directory, devices, ledger, windows)
        (self.idempotency, self.clock, self.random) = (idempotency, clock, random)
    }

    /// Makes one change.
    ///
    /// - Parameters:
    ///   - reach: throws when the caller has no access to what the call names.
    ///   - body: drafts the change on a copy of the directory, and throws to leave everything as it was. A draft without
    ///     changes is not written.
    ///   - afterwards: what follows from a change that is in force, before the next one is begun; gets the directory that was
    ///     in force before.
    func change<Value: Sendable>(
        _ caller: Caller, reach: ReachCheck = { (_, _) throws(GatewayError) in },
        body: (inout TenancyDraft) throws(GatewayError) -> Value,
        afterwards: (Value, TenancyDirectory) -> Void = { _, _ in }
    ) async throws(GatewayError) -> Value {
        guard ledger.isAcceptingCommands else { throw .unavailable }
        try check(reach, caller)
        return try await commit(caller, body: body, afterwards: afterwards)
    }

    /// Makes one change that creates an entity, once for each idempotency key.
    ///
    /// - Parameters:
    ///   - repeatable: the caller's idempotency key, if there is one.
    ///   - reach: as for `change`; asked before the key is looked at.
    ///   - prepare: slow work, done only for the first call of a key, while other changes continue.
    /// - Throws: for a repeat whose entity is no longer there or no longer in the caller's reach, the error for an id that
    ///   does not exist.
    func create<Value: CreatedEntity>(
        _ caller: Caller, repeatable: IdempotentCall?,
        reach: ReachCheck = { (_, _) throws(GatewayError) in },
        prepare: () async throws(GatewayError) -> Void = { () throws(GatewayError) in },
        body: (inout TenancyDraft) throws(GatewayError) -> Value,
        afterwards: (Value, TenancyDirectory) -> Void = { _, _ in }
    ) async throws(GatewayError) -> Answered<Value> {
        guard ledger.isAcceptingCommands else { throw .unavailable }
        try check(reach, caller)
        if let repeatable, let entity: Value = try await earlier(repeatable, of: caller) { return .replayed(entity) }
        defer { if let repeatable { idempotency.finish(repeatable.key) } }
        try await prepare()
        let entity = try await commit(
            caller,
            body: { (draft) throws(GatewayError) in
                let entity = try body(&draft)
                if let repeatable {
                    draft.transaction.idempotency.append(repeatable.entry(.entity(entity.id.cast()), at: draft.now))
                }
                return entity
            }, afterwards: afterwards)
        return .fresh(entity)
    }

    /// What an earlier call with the same key created; `nil` where there was none, and the key is this call's.
    private func earlier<Value: CreatedEntity>(
        _ call: IdempotentCall, of caller: Caller
    ) async throws(GatewayError) -> Value? {
        switch try await idempotency.begin(call) {
        case .fresh: return nil
        case .made(.command): throw .internalFailure("a command is stored under the idempotency key of a creation")
        case .made(.entity(let id)):
            let (tenancy, subject) = directory.resolve(caller)
            return try Value.find(id.cast(), for: subject, at: clock.now(), in: tenancy)
        }
    }

    private func check(_ reach: ReachCheck, _ caller: Caller) throws(GatewayError) {
        let (tenancy, subject) = directory.resolve(caller)
        try reach(tenancy, subject)
    }

    private func commit<Value: Sendable>(
        _ caller: Caller, body: (inout TenancyDraft) throws(GatewayError) -> Value,
        afterwards: (Value, TenancyDirectory) -> Void
    ) async throws(GatewayError) -> Value {
        await turnstile.enter()
        defer { turnstile.leave() }
        // Asked again inside: the directory is trusted for a draft only while nothing written is in doubt.
        guard ledger.isAcceptingCommands else { throw .unavailable }
        let before = directory.current
        var draft = TenancyDraft(directory: before, caller: caller, now: clock.now(), random: random)
        let value = try body(&draft)
        guard !draft.transaction.isEmpty else { return value }
        try await ledger.write(draft.transaction)
        directory.publish(draft.directory, after: draft.transaction.changes)
        windows.note(draft.transaction.changes, since: draft.now)
        devices.passGates()
        afterwards(value, before)
        return value
    }

    /// Runs `body` on the current directory, between two changes.
    func betweenChanges(_ body: (TenancyDirectory) -> Void) async {
        await turnstile.enter()
        defer { turnstile.leave() }
        body(directory.current)
    }

    /// Puts in force what the store holds, after its last writes were in doubt.
    ///
    /// - Parameter afterwards: what follows from it, as for `change`.
    func reload(
        _ read: () async throws(GatewayError) -> TenancyDirectory, afterwards: (TenancyDirectory) -> Void = { _ in }
    ) async throws(GatewayError) {
        await turnstile.enter()
        defer { turnstile.leave() }
        let before = directory.current
        directory.publish(try await read(), after: nil)
        windows.restart()
        devices.passGates()
        afterwards(before)
    }
}

/// Throws when the subject may not know of an object that a request names. Runs on the current directory, before the change.
typealias ReachCheck = (TenancyDirectory, Subject) throws(GatewayError) -> Void

extension StoreTransaction {
    fileprivate var isEmpty: Bool {
        changes.isEmpty && counters.isEmpty && credentials.isEmpty && commands.isEmpty && idempotency.isEmpty && records.isEmpty
            && forgets.isEmpty
    }
}

/// Lets one task through at a time, in the order of arrival.
private final class Turnstile: Sendable {
    private struct Line {
        var isTaken = false
        var waiting = Deque<Promise<Void>>()
    }

    private let line = Mutex(Line())

    func enter() async {
        let promise = line.withLock { line -> Promise<Void>? in
            guard line.isTaken else {
                line.isTaken = true
                return nil
            }
            let promise = Promise<Void>()
            line.waiting.append(promise)
            return promise
        }
        await promise?.value
    }

    func leave() {
        let next = line.withLock { line -> Promise<Void>? in
            let next = line.waiting.popFirst()
            line.isTaken = next != nil
            return next
        }
        next?.fulfil(())
    }
}
