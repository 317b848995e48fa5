package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy

/// Reads commands in flight from the memory of this process, and ended commands from the store, and settles those that were left open.
package struct Commands: Sendable {
    private let kernel: Kernel
    private let devices: DeviceRuntimes
    private var store: any CommandStore { kernel.storeGuard.commands }

    package init(_ kernel: Kernel, devices: DeviceRuntimes) { (self.kernel, self.devices) = (kernel, devices) }

    /// A command that is visible to the caller: their own command, or a command in a scope whose history they may read.
    ///
    /// - Throws: `.outOfReach` for anything else. A super admin, who may know which commands exist,
    ///   gets `.notFound`, or `.denied` if the command exists.
    package func command(_ id: CommandID, for caller: Caller) async throws(GatewayError) -> StoredCommand {
        let (tenancy, subject) = kernel.directory.resolve(caller)
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
        let (tenancy, subject) = kernel.directory.resolve(caller)
        let query = CommandQuery(
            scopes: tenancy.recordScopes(of: subject), actorUserID: subject.userID, deviceID: deviceID, offset: request.offset,
            limit: request.limit, reader: tenancy.listReader(of: subject))
        let (commands, total) = try await mappingStoreErrors(await store.commands(query))
        // Take the snapshot after reading, so that entities deleted meanwhile are not shown.
        return Page(commands, total: total, page: request.page, limit: request.limit, in: kernel.directory.snapshot)
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
        if let command = kernel.storeGuard.commandInFlight(id), mayRead(command) { return command }
        let query = CommandQuery(scopes: scopes, actorUserID: subject.actorUserID, limit: 1)
        let found = try await mappingStoreErrors(await store.command(id, within: query))
        return found.flatMap { mayRead($0) ? $0 : nil }
    }

    /// Returns a command regardless of its actor; the calling code checks who may read it.
    package func existing(_ id: CommandID) async throws(GatewayError) -> StoredCommand? {
        if let command = kernel.storeGuard.commandInFlight(id) { return command }
        return try await mappingStoreErrors(await store.command(id))
    }

    /// The command of an earlier request with the same key.
    ///
    /// - Parameter denialNow: why the caller would be denied now. It replaces the stored denial if the reason is the same.
    func finished(_ result: IdempotentResult, denialNow: Denial?) async throws(GatewayError) -> FinishedCommand {
        switch result {
        case .entity: throw .internalFailure("an entity is stored under the idempotency key of a command")
        case .command(let id):
            let stored = try await mappingStoreErrors(await store.command(id))
            guard var command = stored?.command else {
                throw .internalFailure("an idempotency entry refers to a command that does not exist")
            }
            // The outcome was not written, and recovery has not settled the command: the repeated
            // request gets the same response as the first one.
            if !command.state.isEnd {
                CommandOutcome.outcomeNotWritten(wasSent: nil).apply(to: &command, at: kernel.clock.now(), stateNow: .unknown)
            }
            let denial = command.denialAtDispatch.map { $0.reason == denialNow?.reason ? denialNow ?? $0 : $0 }
            return FinishedCommand(command: command, status: devices.status(of: command.deviceID), denial: denial)
        }
    }

    // MARK: - Recovery

    // Settles the commands that an earlier process or a failed store left open. Queries no lock and sends nothing.

    /// The number of commands settled in one transaction.
    private static let batch = 256
    /// The maximum timeout of a command, plus the time in which a late confirmation is accepted.
    private static let maxGracePeriod = Duration.seconds(60) + UnconfirmedCommand.confirmationGracePeriod

    /// Ends every command that has an intent and no outcome as `UNKNOWN`; all outcomes are durable on return.
    ///
    /// - Parameter isRunning: whether a command runs in this process; such a command writes its outcome itself.
    /// - Returns: the number of settled commands.
    package func settleOpenCommands(except isRunning: (CommandID) -> Bool = { _ in false }) async throws(GatewayError) -> Int {
        let open = try await openCommands().filter { !isRunning($0.command.id) }
        for start in stride(from: 0, to: open.count, by: Self.batch) {
            try await kernel.storeGuard.write(transaction(settling: open[start...].prefix(Self.batch)))
        }
        return open.count
    }

    /// For each device, stores the oldest command that an earlier process left open, because the device's next report may confirm
    /// it late. The device's other open commands were queued behind it. To be called before `settleOpenCommands`.
    package func rememberOpenCommands() async throws(GatewayError) {
        let (now, monotonic) = (kernel.clock.now(), kernel.clock.monotonicNow())
        for open in try await openCommands().reversed() where open.command.operation.isMovement {
            // Use the wall clock, because the monotonic clock does not continue across a restart. A
            // step of the wall clock never extends the time beyond the maximum.
            let rest = open.command.deadline.advanced(by: UnconfirmedCommand.confirmationGracePeriod).duration(since: now)
            let expiry = monotonic.advanced(by: min(rest, Self.maxGracePeriod))
            let runtime = devices.device(open.command.deviceID)
            runtime.remember(
                UnconfirmedCommand(id: open.command.id, operation: open.command.operation, log: open.log, expiresAt: expiry),
                of: runtime.bindingGeneration)
        }
    }

    private func openCommands() async throws(GatewayError) -> [StoredCommand] {
        try await mappingStoreErrors(await kernel.storeGuard.commands.openCommands())
    }

    private func transaction(settling commands: ArraySlice<StoredCommand>) -> StoreTransaction {
        let now = kernel.clock.now()
        var transaction = StoreTransaction()
        for open in commands {
            var command = open.command
            CommandOutcome.outcomeNotWritten(wasSent: nil).apply(to: &command, at: now, stateNow: .unknown)
            transaction.commands.append(.end(command))
            transaction.records.append(
                PendingRecord(
                    RecordBody(
                        log: open.log, id: kernel.random.id(at: now), at: now, kind: .commandOutcome, actor: command.actor,
                        source: .gateway, operation: command.operation, rule: command.rule, device: open.device,
                        commandID: command.id, outcome: .unknown, stateBefore: command.stateBefore,
                        details: ["recovered": .bool(true)])))
        }
        return transaction
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
