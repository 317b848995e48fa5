package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy
import Synchronization

/// Reads commands in flight from the memory of this process, and ended commands from the store.
package final class Commands: Sendable {
    private let directory: CurrentDirectory
    private let devices: DeviceRuntimes
    private let store: any CommandStore
    private let running: InFlightCommands
    private let clock: any GatewayClock

    package init(_ kernel: Kernel, devices: DeviceRuntimes) {
        (directory, clock, self.devices) = (kernel.directory, kernel.clock, devices)
        (store, running) = (kernel.storeGuard.commands, kernel.storeGuard.running)
    }

    /// A command that is visible to the caller: their own command, or a command in a scope whose history they may read.
    ///
    /// - Throws: `.outOfReach` for anything else. A super admin, who may know which commands exist,
    ///   gets `.notFound`, or `.denied` if the command exists.
    package func command(_ id: CommandID, for caller: Caller) async throws(GatewayError) -> StoredCommand {
        let (tenancy, subject) = directory.resolve(caller)
        if let found = try await visibleCommand(id, to: subject, in: tenancy) { return found }
        guard subject.isSuperAdmin else { throw .outOfReach }
        guard try await existing(id) != nil else { throw .notFound }
        throw .denied(Denial(.roleInsufficient, hasReach: true, rule: .superAdmin), operation: nil, deviceID: nil)
    }

    /// The caller's own commands, and those in scopes whose history the caller may read. The list is always sorted newest first,
    /// even if the request names another order, because the store sorts commands by age.
    ///
    /// - Parameter deviceID: the device to restrict the list to; `nil` for all devices.
    package func commands(
        for caller: Caller, deviceID: DeviceID?, _ request: PageRequest<CommandOrder>
    ) async throws(GatewayError) -> Page<StoredCommand> {
        let (commands, total) = try await storedCommands(for: caller, deviceID, request)
        // Take the snapshot after reading, so that entities deleted meanwhile are not shown.
        return Page(commands, total: total, page: request.page, limit: request.limit, in: directory.snapshot)
    }

    private func storedCommands(
        for caller: Caller, _ deviceID: DeviceID?, _ request: PageRequest<CommandOrder>
    ) async throws(GatewayError) -> (commands: [StoredCommand], total: Int) {
        let (tenancy, subject) = directory.resolve(caller)
        let scopes = tenancy.recordScopes(of: subject)
        var query = CommandQuery(
            scopes: scopes, actorUserID: subject.userID, deviceID: deviceID, offset: request.offset, limit: request.limit)
        query.reader = tenancy.listReader(subject.readerID, scopes)
        return try await mappingStoreErrors { () throws(StoreError) in try await store.commands(query) }
    }

    /// Queries the store within the caller's scopes, so that a lookup of another user's command
    /// takes as long as a lookup of a command that does not exist.
    private func visibleCommand(
        _ id: CommandID, to subject: Subject, in tenancy: TenancyDirectory
    ) async throws(GatewayError) -> StoredCommand? {
        let scopes = tenancy.recordScopes(of: subject)
        func mayRead(_ found: StoredCommand) -> Bool {
            subject.isActor(found.command.actor) || scopes.contains { found.lies(in: $0) }
        }
        if let command = running.command(id), mayRead(command) { return command }
        let query = CommandQuery(scopes: scopes, actorUserID: subject.actorUserID, limit: 1)
        let found = try await mappingStoreErrors { () throws(StoreError) in try await store.command(id, within: query) }
        return found.flatMap { mayRead($0) ? $0 : nil }
    }

    /// Returns a command regardless of its actor; the calling code checks who may read it.
    package func existing(_ id: CommandID) async throws(GatewayError) -> StoredCommand? {
        if let command = running.command(id) { return command }
        return try await mappingStoreErrors { () throws(StoreError) in try await store.command(id) }
    }

    /// The command of an earlier request with the same key.
    ///
    /// - Parameter denialNow: why the caller would be denied now. It replaces the stored denial if the reason is the same.
    func finished(
        _ result: IdempotentResult, denialNow: Denial?
    ) async throws(GatewayError) -> FinishedCommand {
        switch result {
        case .entity: throw .internalFailure("an entity is stored under the idempotency key of a command")
        case .command(let id):
            let stored = try await mappingStoreErrors { () throws(StoreError) in try await store.command(id) }
            guard var command = stored?.command else {
                throw .internalFailure("an idempotency entry refers to a command that does not exist")
            }
            // The outcome was not written, and recovery has not settled the command: the repeated
            // request gets the same response as the first one.
            if !command.state.isEnd {
                CommandOutcome.outcomeNotWritten(wasSent: nil).apply(to: &command, at: clock.now(), stateNow: .unknown)
            }
            let denial = command.denialAtDispatch.map { $0.reason == denialNow?.reason ? denialNow ?? $0 : $0 }
            return FinishedCommand(command: command, status: devices.status(of: command.deviceID), denial: denial)
        }
    }
}

extension Command {
    /// The denial, if the command was denied in the dispatch gate. `hasReach` is true, because the
    /// device is visible to the caller of a repeated request.
    fileprivate var denialAtDispatch: Denial? {
        guard state == .denied, let reason = outcomeDetail.flatMap({ DenialReason(rawValue: $0) }) else { return nil }
        return Denial(reason, hasReach: true)
    }
}

/// `sortBy` of commands.
package enum CommandOrder: String, CaseIterable, Sendable {
    /// Newest first; the only supported order.
    case createdAt
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
    package let statedReason: String?
    /// The reason of a break-glass override, if one was given.
    package let override: String?
    /// The time from the end of validation to the deadline, including the wait in the queue.
    package let timeout: Duration
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
package final class RunningCommand: Sendable {
    /// The command as its intent records it; for a repeated request, in its final state.
    package let accepted: Command
    private let end: End

    private enum End: Sendable {
        case awaited(Task<FinishedCommand, Never>)
        case known(FinishedCommand)
    }

    init(accepted: Command, end: Task<FinishedCommand, Never>) { (self.accepted, self.end) = (accepted, .awaited(end)) }

    /// Creates the value for a command that an earlier request with the same idempotency key created.
    init(ended finished: FinishedCommand) { (accepted, end) = (finished.command, .known(finished)) }

    /// Waits for the command to end; its outcome is then durable, unless its state is `UNKNOWN`.
    package var finished: FinishedCommand {
        get async {
            switch end {
            case .awaited(let task): await task.value
            case .known(let finished): finished
            }
        }
    }
}
