import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Synchronization
import Testing

@testable import DoorwardRecords

/// When checkpoints are signed by a running gateway, and what its stop leaves.
@Suite(.timeLimit(.minutes(30))) struct CheckpointTaskTests {
    /// A running gateway over the rig's store.
    private static func gateway(_ rig: CheckpointRig, _ change: (inout AuditSetup) -> Void = { _ in }) async throws
        -> GatewayControl
    {
        var setup = try rig.setup()
        change(&setup)
        var limits = GatewayControl.Limits()
        limits.passwordCost = 10
        let control = GatewayControl(
            store: rig.store, adapters: [], clock: rig.clock,
            random: RandomSource(SeededGenerator(seed: 8 &+ UInt64(rig.store.commitCount) << 32)), limits: limits, audit: setup)
        try await control.start()
        return control
    }

    private static func size(_ rig: CheckpointRig, _ log: LogID) -> UInt64 {
        CheckpointJournal(parsing: rig.files.content ?? []).newest[log]?.checkpoint.size ?? 0
    }

    /// Appends records through the gateway, so that its feed has them.
    private static func append(_ count: Int, to log: LogID, _ rig: inout CheckpointRig, _ control: GatewayControl) async throws {
        for _ in 0..<count {
            var body = rig.script.gatewayEvent()
            body.log = log
            try await control.storeGuard.write(StoreTransaction(records: [PendingRecord(body)]))
        }
    }

    /// Lets other threads run until the condition holds, without a relevant change of the virtual time.
    private static func until(_ clock: VirtualClock, _ condition: () async -> Bool) async {
        while await !condition() { await clock.pass(.nanoseconds(1)) }
    }

    @Test("a checkpoint is signed after the configured number of records, or of seconds after a new record")
    func intervals() async throws {
        var rig = try await CheckpointRig()
        let control = try await Self.gateway(rig)
        let log = LogID.portfolio(rig.script.portfolio)
        // The record of the start is covered 60 s after it.
        await rig.clock.waitForSleepers(1)
        for _ in 0..<59 {
            rig.clock.advance(by: .seconds(1))
            await rig.clock.waitForSleepers(1)
        }
        #expect(Self.size(rig, .gateway) == 0)
        rig.clock.advance(by: .seconds(1))
        await Self.until(rig.clock) { Self.size(rig, .gateway) == 1 }
        // With nothing new the task does not wake up at all.
        await Self.until(rig.clock) { rig.clock.sleeperCount == 0 }

        try await Self.append(255, to: log, &rig, control)
        await rig.clock.waitForSleepers(1)
        rig.clock.advance(by: .seconds(1))
        await rig.clock.waitForSleepers(1)
        #expect(Self.size(rig, log) == 0)
        try await Self.append(1, to: log, &rig, control)
        rig.clock.advance(by: .seconds(1))
        await Self.until(rig.clock) { Self.size(rig, log) == 256 && Self.size(rig, .gateway) == 2 }
        await Self.until(rig.clock) { rig.clock.sleeperCount == 0 }
        #expect(rig.store.log(.gateway).count == 2, "the checkpoint of the gateway's log is not a record")
        await control.stop()
    }

    @Test("a log for which a newer checkpoint was signed after its size was read is compared again")
    func signedMeanwhile() async throws {
        var rig = try await CheckpointRig()
        try await rig.append(1, to: .gateway)
        let former = rig.store.reopened()
        try await rig.append(1, to: .gateway)
        let checkpoints = try await rig.started()
        try await checkpoints.signAll()
        let newest = checkpoints.newest(of: .gateway)
        rig.store = former
        let behind = try rig.process()
        behind.state.withLock { $0.newest[.gateway] = newest }
        #expect(try await behind.recordsToSign(of: .gateway) == 1)
    }

    @Test("an orderly stop covers every record, and the record of the stop is the last one")
    func stop() async throws {
        var rig = try await CheckpointRig()
        let control = try await Self.gateway(rig)
        let log = LogID.portfolio(rig.script.portfolio)
        try await Self.append(3, to: log, &rig, control)
        await control.stop()
        #expect(Self.size(rig, log) == 3)
        #expect(Self.size(rig, .gateway) == UInt64(rig.store.log(.gateway).count))
        #expect(rig.store.log(.gateway).map(\.body.event) == [.start, .checkpoint, .stop])
    }

    @Test("a rolled-back store stops the start: nothing is written, not even by the stop")
    func refusedStart() async throws {
        var rig = try await CheckpointRig()
        let backup = rig.store.reopened()
        try await rig.append(2, to: .gateway)
        try await rig.started().signAll()
        rig.store = backup
        var limits = GatewayControl.Limits()
        limits.passwordCost = 10
        let control = GatewayControl(
            store: backup, adapters: [], clock: rig.clock, random: RandomSource(), limits: limits, audit: try rig.setup())
        await #expect(throws: RollbackError.self) { try await control.start() }
        let commits = backup.commitCount
        await control.stop()
        #expect(backup.commitCount == commits)
        #expect(backup.log(.gateway).isEmpty)
    }

    @Test("while the store cannot write, the gateway keeps trying, and signs once it can")
    func failingStore() async throws {
        var rig = try await CheckpointRig()
        let control = try await Self.gateway(rig) { $0.maxRecords = 1 }
        await Self.until(rig.clock) { Self.size(rig, .gateway) == 1 }
        rig.files.failReplacing(true)
        rig.files.failNextAppend(after: 10)
        let log = LogID.portfolio(rig.script.portfolio)
        try await Self.append(2, to: log, &rig, control)
        for _ in 0..<5 {
            await rig.clock.waitForSleepers(1)
            rig.clock.advance(by: .seconds(1))
        }
        // Wait until the last attempt has failed: one that succeeds leaves no sleeper.
        await rig.clock.waitForSleepers(1)
        #expect(Self.size(rig, log) == 0)
        rig.files.failReplacing(false)
        rig.clock.advance(by: .seconds(1))
        await Self.until(rig.clock) { Self.size(rig, log) == 2 }
        await control.stop()
    }

    @Test("while the store cannot be read, the gateway keeps trying, and signs once it can")
    func unreadableStore() async throws {
        var rig = try await CheckpointRig()
        try await rig.append(1, to: .gateway)
        let checkpoints = try await rig.started()
        rig.store.failLists()
        let (clock, hasEnded) = (rig.clock, Seen<Bool>())
        let task = Task {
            await checkpoints.run(ChangeFeed(clock: clock))
            hasEnded.value = true
        }
        await Self.until(clock) { clock.sleeperCount == 1 || hasEnded.value == true }
        #expect(hasEnded.value == nil, "a failed read ends the task")
        rig.store.recover()
        for _ in 0..<61 where hasEnded.value == nil {
            clock.advance(by: .seconds(1))
            await Self.until(clock) { clock.sleeperCount == 1 || Self.size(rig, .gateway) == 1 }
        }
        #expect(Self.size(rig, .gateway) == 1)
        task.cancel()
        await task.value
    }
}
