package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy

/// Settles the commands that an earlier process or a failed store left open. Queries no lock and sends nothing.
package struct Recovery {
    let storeGuard: StoreGuard
    let devices: DeviceRuntimes
    let clock: any GatewayClock
    let random: RandomSource

    package init(storeGuard: StoreGuard, devices: DeviceRuntimes, clock: any GatewayClock, random: RandomSource) {
        (self.storeGuard, self.devices, self.clock, self.random) = (storeGuard, devices, clock, random)
    }

    /// The number of commands settled in one transaction.
    private static let batch = 256
    /// The maximum timeout of a command, plus the time in which a late confirmation is accepted.
    private static let maxGracePeriod = Duration.seconds(60) + UnconfirmedCommand.confirmationGracePeriod

    /// Ends every command that has an intent and no outcome as `UNKNOWN`; all outcomes are durable on return.
    ///
    /// - Parameter isRunning: whether a command runs in this process; such a command writes its outcome itself.
    /// - Returns: the number of settled commands.
    package func settleOpenCommands(except isRunning: (CommandID) -> Bool = { _ in false }) async throws(GatewayError) -> Int {
        let open = try await mappingStoreErrors { () throws(StoreError) in try await storeGuard.commands.openCommands()
        }
        .filter { !isRunning($0.command.id) }
        var rest = open[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.batch)
            rest = rest.dropFirst(Self.batch)
            try await storeGuard.write(transaction(settling: part))
        }
        return open.count
    }

    /// For each device, stores the oldest command that an earlier process left open, because the device's next report may confirm
    /// it late. The device's other open commands were queued behind it. To be called before `settleOpenCommands`.
    package func rememberOpenCommands() async throws(GatewayError) {
        let open = try await mappingStoreErrors { () throws(StoreError) in try await storeGuard.commands.openCommands()
        }
        let (now, monotonic) = (clock.now(), clock.monotonicNow())
        for open in open.reversed() where open.command.operation.isMovement {
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

    private func transaction(settling commands: ArraySlice<StoredCommand>) -> StoreTransaction {
        let now = clock.now()
        var transaction = StoreTransaction()
        for open in commands {
            var command = open.command
            CommandOutcome.outcomeNotWritten(wasSent: nil).apply(to: &command, at: now, stateNow: .unknown)
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
