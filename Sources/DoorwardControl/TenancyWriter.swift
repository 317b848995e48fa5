import DequeModule
internal import DoorwardDomain
internal import DoorwardPolicy
import Synchronization

/// Changes the tenancy, one change at a time: validate on the directory in force, commit, publish, pass the gates, answer.
///
/// When `change` has returned, whatever right it took away is gone for every command that had not left; a right that it
/// gave was in force for nobody before it was durable.
package final class TenancyWriter: Sendable {
    let directory: PublishedDirectory
    let devices: LiveDevices
    let ledger: Ledger
    let clock: any GatewayClock
    let random: RandomSource
    private let idempotency: IdempotencyGuard
    private let turnstile = Turnstile()

    /// One writer for one gateway: changes are made one at a time only if all go through it.
    init(
        directory: PublishedDirectory, devices: LiveDevices, ledger: Ledger, idempotency: IdempotencyGuard,
        clock: any GatewayClock, random: RandomSource
    ) {
        (self.directory, self.devices, self.ledger) = (directory, devices, ledger)
        (self.idempotency, self.clock, self.random) = (idempotency, clock, random)
    }

    /// Makes one change.
    ///
    /// - Parameters:
    ///   - repeatable: the caller's idempotency key, if the call takes one.
    ///   - reach: throws when the caller may not know of what the call names; asked before the key is looked at.
    ///   - prepare: what takes its time, and is done for the first call of a key alone, while other changes go on.
    ///   - body: drafts the change on a copy of the directory, and throws to leave everything as it was. A draft without
    ///     changes is not written.
    ///   - afterwards: what follows from a change that is in force, before the next one is begun; gets the directory that was
    ///     in force before.
    func change<Value: Sendable>(
        _ caller: Caller, repeatable: IdempotentCall<Value>? = nil,
        reach: (TenancyDirectory) throws(GatewayError) -> Void = { (_) throws(GatewayError) in },
        prepare: () async throws(GatewayError) -> Void = { () throws(GatewayError) in },
        body: (inout TenancyDraft) throws(GatewayError) -> Value,
        afterwards: (Value, TenancyDirectory) -> Void = { _, _ in }
    ) async throws(GatewayError) -> Answered<Value> {
        guard ledger.isAcceptingCommands else { throw .unavailable }
        try reach(directory.current)
        guard let repeatable else {
            try await prepare()
            return .fresh(try await commit(caller, repeatable: nil, body: body, afterwards: afterwards))
        }
        switch try await idempotency.begin(repeatable.key, fingerprint: repeatable.fingerprint) {
        case .answer(let answer): return .replayed(answer)
        case .command: throw .internalFailure("a command stands under the idempotency key of a creation")
        case .fresh: break
        }
        defer { idempotency.finish(repeatable.key) }
        try await prepare()
        return .fresh(try await commit(caller, repeatable: repeatable, body: body, afterwards: afterwards))
    }

    private func commit<Value: Sendable>(
        _ caller: Caller, repeatable: IdempotentCall<Value>?, body: (inout TenancyDraft) throws(GatewayError) -> Value,
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
        if let repeatable {
            draft.transaction.idempotency.append(
                IdempotencyEntry(
                    key: repeatable.key, fingerprint: repeatable.fingerprint, commandID: nil,
                    answer: repeatable.render(value, draft.directory), createdAt: draft.now))
        }
        try await ledger.write(draft.transaction)
        directory.publish(draft.directory)
        devices.passGates()
        afterwards(value, before)
        return value
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
        directory.publish(try await read())
        devices.passGates()
        afterwards(before)
    }
}

extension StoreTransaction {
    fileprivate var isEmpty: Bool {
        changes.isEmpty && credentials.isEmpty && commands.isEmpty && idempotency.isEmpty && records.isEmpty
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
