internal import DoorwardDomain
internal import DoorwardPolicy

/// Settles what an earlier process, or a failed store, left open. Asks no lock and sends nothing.
struct Recovery {
    let ledger: Ledger
    let devices: LiveDevices
    let clock: any GatewayClock
    let random: RandomSource

    /// How many commands are settled in one transaction.
    private static let batch = 256
    /// The longest duration of a command, plus the time in which a late confirmation is accepted.
    private static let longestPatience = Duration.seconds(60) + UnansweredCommand.patience

    /// Gives every command that has an intent and no outcome its one outcome, `UNKNOWN`; all are durable on return.
    ///
    /// - Parameter isRunning: commands of this process that will write their outcome themselves.
    /// - Returns: how many were settled.
    func settleOpenCommands(except isRunning: (CommandID) -> Bool = { _ in false }) async throws(GatewayError) -> Int {
        let open = try await storing { () throws(StoreError) in try await ledger.commands.openCommands(of: .single) }
            .filter { !isRunning($0.command.id) }
        var rest = open[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.batch)
            rest = rest.dropFirst(Self.batch)
            try await ledger.write(transaction(settling: part))
        }
        return open.count
    }

    /// Links what each device reports next to the command that an earlier process may have left it with: the oldest open one,
    /// since the others waited behind it. Called before `settleOpenCommands`.
    func rememberOpenCommands() async throws(GatewayError) {
        let open = try await storing { () throws(StoreError) in try await ledger.commands.openCommands(of: .single) }
        let (now, monotonic) = (clock.now(), clock.monotonicNow())
        for open in open.reversed() {
            // By the wall clock, the only one that lasts over a restart; a step of it never makes the wait longer.
            let rest = open.command.deadline.advanced(by: UnansweredCommand.patience).duration(since: now)
            let expiry = monotonic.advanced(by: min(rest, Self.longestPatience))
            let live = devices.device(open.command.deviceID)
            live.remember(
                UnansweredCommand(id: open.command.id, operation: open.command.operation, log: open.log, expiresAt: expiry),
                of: live.lockNumber)
        }
    }

    private func transaction(settling commands: ArraySlice<StoredCommand>) -> StoreTransaction {
        let now = clock.now()
        var transaction = StoreTransaction()
        for open in commands {
            var command = open.command
            CommandEnding.outcomeNotWritten(wasSent: nil).apply(to: &command, at: now, stateNow: .unknown)
            transaction.commands.append(.end(command))
            transaction.records.append(
                PendingRecord(
                    RecordBody(
                        log: open.log, id: random.id(at: now), at: now, kind: .commandOutcome, actor: command.actor,
                        source: .gateway, operation: command.operation, rule: command.rule, device: open.device,
                        commandID: command.id, outcome: .unknown, stateBefore: command.stateBefore,
                        details: ["recovered": .bool(true)])))
        }
        return transaction
    }
}
