package import DoorwardAdapterKit
package import DoorwardDomain
@_exported public import DoorwardKernel
@_exported public import DoorwardLocks
internal import DoorwardPolicy
@_exported public import DoorwardRecords
@_exported public import DoorwardStreams
@_exported public import DoorwardTenancy
package import Logging
package import Metrics
import Synchronization

/// The use cases of one gateway, wired over one store, and their lifecycle: start, recovery, stop.
package final class GatewayControl: Sendable {
    /// Moves locks: all commands are executed through this object.
    package let locks: LockDAL
    /// Reads commands in flight and commands that have ended.
    package let commands: Commands
    /// Portfolios, properties and units.
    package let portfolios: Portfolios
    /// Starts and ends lockdowns.
    package let lockdowns: Lockdowns
    /// Assigns and removes roles.
    package let roles: Roles
    /// Manages users and their own settings.
    package let users: Users
    /// Manages devices: attach, change, move, detach.
    package let attachedDevices: Devices
    /// Manages guest accesses.
    package let guestAccesses: GuestAccesses
    /// Answers who may do what, without doing it.
    package let authorization: Authorization
    /// The links of guest accesses.
    package let guestLinks: GuestLinks
    /// Reads the access logs.
    package let history: AccessHistory
    /// Exports of the access logs.
    package let exports: AccessExports
    /// Compliance reports.
    package let complianceReports: ComplianceReports
    /// Checkpoints and proofs of the access logs.
    package let audit: AuditLogs
    /// Sign-in, refresh and sign-out.
    package let signIn: SignIn
    /// Backs up and maintains the database.
    package let backupService: BackupService
    /// One-time links for forgotten passwords.
    package let passwordResets: PasswordResets
    /// Sessions, passwords and recovery codes of signed-in users.
    package let credentials: Credentials
    /// Redeems purchases.
    package let purchases: Purchases
    /// Invitations of email addresses.
    package let invitations: Invitations
    /// Keys with which programs send requests.
    package let apiKeys: APIKeys
    /// The current tenancy.
    package let directory: CurrentDirectory
    /// The current state of each device, in memory only.
    package let devices: DeviceRuntimes
    /// The feed of changes of the tenancy, the locks' status, the logs and the commands.
    package let feed: ChangeFeed
    /// The live streams.
    package let streams: LiveStreams
    /// The adapters that communicate with the locks.
    package let adapters: AdapterRegistry
    /// The state of the adapters, for super admins.
    package let adapterStates: AdapterStates
    /// Locks that were discovered and are not attached.
    package let discoveredLocks: DiscoveredLocks
    /// Writes to the store, and tracks whether the store is in doubt.
    package let storeGuard: StoreGuard
    /// The clock used by all use cases.
    package let clock: TrustedClock
    /// Records the clock's steps. The program runs it; without it, steps are noticed by decisions only.
    package let clockWatch: ClockWatch
    /// Erases the personal data of users from the access logs.
    package let erasure: PersonalDataErasure
    /// Removes records whose retention has ended. The program runs it.
    package let logRetention: LogRetention
    /// Reads the state of the clock, and accepts its time.
    package let clockAdministration: ClockAdministration
    /// The source of ids, keys and tokens.
    package let random: RandomSource

    private let adapterMetrics: AdapterMetrics
    private let adapterStarter: AdapterStarter
    private let reports: DeviceReports
    private let writer: TenancyWriter
    private let logger: Logger
    /// The task that writes the events reported by locks; ends after `reports.finish()`.
    private let processing = Mutex<Task<Void, Never>?>(nil)
    /// Attempts to recover the store.
    private let recoveries = Mutex<[Task<Void, Never>]>([])
    private let isReady = Mutex(false)
    /// Whether the start was recorded in the log.
    private let hasStarted = Mutex(false)
    private let attachments: Attachments
    private let checkpoints: Checkpoints?
    /// The task that signs the checkpoints of the logs; ends when it is cancelled.
    private let signing = Mutex<Task<Void, Never>?>(nil)
    private let version: String
    private let executor: (any TaskExecutor)?

    /// Wires the use cases. Nothing is read or sent before `start`.
    ///
    /// - Parameters:
    ///   - version: the program's version, for the record of its start.
    ///   - executor: runs background work and command executions; `nil` for the global one.
    ///   - synchronisation: what the operating system reports on its clock.
    ///   - lockCodeKey: the 32-byte key that encrypts the stored lock codes. `nil` generates a
    ///     random key: then only this process can decrypt the codes that it stores.
    ///   - audit: `nil` for a gateway that signs no checkpoints.
    package init(
        store: any GatewayStore, adapters: [any LockAdapter], clock: any GatewayClock, random: RandomSource,
        lockCodeKey: Secret<[UInt8]>? = nil, limits: Limits = Limits(), audit: AuditSetup? = nil,
        logger: Logger = Logger(label: "doorward"), version: String = "", executor: (any TaskExecutor)? = nil,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        synchronisation: any ClockSynchronisation = NoSynchronisation()
    ) {
        let clock = TrustedClock(clock, maxStep: limits.maxClockStep, synchronisation: synchronisation)
        let codes = LockCodeSealer(key: lockCodeKey ?? Secret(random.bytes(32)))
        (self.clock, self.random, self.logger, self.executor, self.version) = (clock, random, logger, executor, version)
        feed = ChangeFeed(clock: clock)
        storeGuard = StoreGuard(store: store, feed: feed, clock: clock, logger: logger)
        (directory, devices) = (CurrentDirectory(feed: feed, uses: storeGuard.uses), DeviceRuntimes(feed: feed))
        self.adapters = AdapterRegistry(adapters)
        adapterStates = AdapterStates(adapters: self.adapters, directory: directory, devices: devices, clock: clock)
        discoveredLocks = DiscoveredLocks(adapters: self.adapters, directory: directory)
        adapterStarter = AdapterStarter(self.adapters, clock: clock, executor: executor, logger: logger)
        checkpoints = audit.map { [storeGuard] audit in
            Checkpoints(storeGuard: storeGuard, setup: audit, clock: clock, random: random, logger: logger, metrics: metrics)
        }
        let (hasher, sessions) = (PasswordHasher(cost: limits.passwordCost, random: random), Sessions())
        let idempotency = IdempotencyGuard(store: storeGuard.commands, clock: clock)
        let windows = WindowTimer(directory: directory, feed: feed, clock: clock, executor: executor)
        clockWatch = ClockWatch(
            clock: clock, storeGuard: storeGuard, windows: windows, random: random, logger: logger, executor: executor,
            metrics: metrics)
        let openStreams = LiveStreamTable(clock: clock, executor: executor)
        writer = TenancyWriter(
            directory: directory, storeGuard: storeGuard, idempotency: idempotency, windows: windows,
            gates: [devices, openStreams], clock: clock, random: random)
        let kernel = Kernel(directory: directory, storeGuard: storeGuard, writer: writer, clock: clock, random: random)
        clockAdministration = ClockAdministration(kernel, windows: windows)
        reports = DeviceReports(
            directory: directory, devices: devices, storeGuard: storeGuard, clock: clock, random: random, logger: logger,
            metrics: metrics, executor: executor)
        attachments = Attachments(devices: devices, adapters: self.adapters, codes: codes)
        let services = CommandServices(
            kernel, attachments: attachments, deadlines: DeadlineQueue(clock: clock, executor: executor), metrics: metrics)
        commands = Commands(kernel, devices: devices)
        locks = LockDAL(
            services, commands: commands, idempotency: idempotency, deniedPerMinute: limits.deniedPerMinute, executor: executor)
        lockdowns = Lockdowns(
            services, locks: locks, idempotency: idempotency, maxConcurrentLocks: limits.concurrentLockdownLocks,
            executor: executor)
        adapterMetrics = AdapterMetrics(self.adapters, metrics)
        authorization = Authorization(directory: directory, clock: clock)
        (roles, apiKeys, guestAccesses, purchases) = (Roles(kernel), APIKeys(kernel), GuestAccesses(kernel), Purchases(kernel))
        users = Users(kernel, hasher: hasher, sessions: sessions)
        attachedDevices = Devices(kernel, attachments: attachments, locks: locks)
        portfolios = Portfolios(kernel, transportOwner: attachedDevices.owner(of:))
        signIn = SignIn(
            kernel, sessions: sessions, hasher: hasher, refreshLifetime: limits.refreshTokenLifetime,
            failuresPerMinute: limits.signInFailuresPerMinute, executor: executor, metrics: metrics)
        guestLinks = GuestLinks(kernel, commands: commands, signIn: signIn)
        passwordResets = PasswordResets(kernel, hasher: hasher, signIn: signIn)
        credentials = Credentials(kernel, hasher: hasher, signIn: signIn, resets: passwordResets)
        invitations = Invitations(kernel, hasher: hasher, signIn: signIn)
        logRetention = LogRetention(directory: directory, storeGuard: storeGuard, clock: clock, random: random, logger: logger)
        erasure = PersonalDataErasure(kernel, retention: logRetention)
        history = AccessHistory(directory: directory, log: storeGuard.log)
        exports = AccessExports(kernel, checkpoints: checkpoints)
        complianceReports = ComplianceReports(kernel, devices: devices, checkpoints: checkpoints)
        self.audit = AuditLogs(directory: directory, storeGuard: storeGuard, checkpoints: checkpoints)
        backupService = BackupService(kernel)
        streams = LiveStreams(kernel, devices: devices, sessions: sessions, feed: feed, table: openStreams, metrics: metrics)
    }

    /// Whether the store can write and the adapters have been started.
    package var isReadyToServe: Bool {
        get async {
            isReady.withLock { $0 } && storeGuard.isAcceptingCommands ? await storeGuard.maintenance.isWritable() : false
        }
    }

    /// Updates the gauges whose values are read from the current state; to be called before metrics are read.
    package func sampleMetrics() {
        locks.sampleMetrics()
        signIn.sampleMetrics()
        streams.sampleMetrics()
        clockWatch.sampleMetrics()
        adapterMetrics.sample()
    }

    // MARK: - Start

    /// Loads the tenancy, settles the commands that an earlier process left open, and attaches the locks.
    ///
    /// When this returns, every intent has its outcome. Recovery queries and moves no lock. The port is opened afterwards.
    ///
    /// - Throws: `RollbackError` if the logs contradict the checkpoints that were signed; nothing has been written then.
    package func start() async throws {
        try await checkpoints?.start()
        try await writer.reload(storeGuard.readTenancy)
        // Before anything is compared with the time.
        try await clockWatch.start()
        signIn.sessions.load(try await storeGuard.credentials.liveSessions(at: clock.credentialNow()))
        try await storeGuard.reloadUses()
        let tenancy = directory.current
        try await signIn.raiseHighestCost(ofHashesOf: tenancy.superAdminIDs)
        try await recovery.rememberOpenCommands()
        let recovered = try await recovery.settleOpenCommands()
        try await storeGuard.write(StoreTransaction(records: startRecords(recovered: recovered)))
        hasStarted.withLock { $0 = true }
        storeGuard.onFailure { [weak self] in self?.startStoreRecovery() }
        processing.withLock { $0 = Task(executorPreference: executor) { [reports] in await reports.run() } }
        if let checkpoints, checkpoints.signsByItself {
            signing.withLock { $0 = Task(executorPreference: executor) { [feed] in await checkpoints.run(feed) } }
        }
        await startAdapters()
        isReady.withLock { $0 = true }
    }

    /// Attaches each adapter's locks as soon as the adapter has started. The locks of an adapter
    /// that has not started are offline.
    private func startAdapters() async {
        await adapterStarter.start(reports: reports) { [self] adapter in
            await writer.betweenChanges { tenancy in
                adapters.setStart(.started, of: adapter.kind)
                attachDevices(of: tenancy) { $0.adapter == adapter.kind }
            }
        }
        await writer.betweenChanges { tenancy in attachDevices(of: tenancy) { !adapters.isStarted($0.adapter) } }
        adapters.logUnknownOwners(in: directory.current, to: logger)
    }

    private func attachDevices(of tenancy: TenancyDirectory, where matches: (LockDevice) -> Bool) {
        for id in tenancy.deviceIDs {
            if let device = tenancy.device(id), matches(device) { logFailure(attachments.attach(device), to: device) }
        }
    }

    private func logFailure(_ failure: Attachments.AttachFailure?, to device: LockDevice) {
        // An adapter that has not started is logged once for all its locks.
        guard let failure, failure != .notStarted else { return }
        logger.error(
            "a lock could not be attached to its adapter",
            metadata: ["device": "\(device.id)", "adapter": "\(device.adapter)", "because": "\(failure.rawValue)"])
    }

    /// Attaches every device that is new or has another address, and detaches those that were removed.
    private func bringAdaptersUpToDate(since before: TenancyDirectory) {
        let tenancy = directory.current
        for id in before.deviceIDs where tenancy.resolve(id) == nil { attachments.detachIfIdle(of: id) }
        for id in tenancy.deviceIDs {
            guard let device = tenancy.device(id) else { continue }
            let known = before.device(id)
            if let known, known.address == device.address {
                if known.sealedCode != device.sealedCode { attachments.setCode(of: device) }
                continue
            }
            logFailure(attachments.attach(device, isRebinding: known != nil), to: device)
        }
    }

    private var recovery: Recovery { Recovery(storeGuard: storeGuard, devices: devices, clock: clock, random: random) }

    private func gatewayRecord(_ event: RecordEvent, _ details: [String: RecordValue] = [:]) -> PendingRecord {
        let now = clock.now()
        return PendingRecord(
            RecordBody(
                log: .gateway, id: random.id(at: now), at: now, kind: .gateway, actor: .gateway, source: .gateway, event: event,
                details: details))
    }

    /// - Parameter cause: `restart` or `store_failure`.
    private func recoveryRecord(_ settled: Int, after cause: String) -> PendingRecord {
        gatewayRecord(.recovered, ["commands": .integer(Int64(settled)), "after": .string(cause)])
    }

    private func startRecords(recovered: Int) -> [PendingRecord] {
        let start = gatewayRecord(.start, version.isEmpty ? [:] : ["version": .string(version)])
        return recovered > 0 ? [recoveryRecord(recovered, after: "restart"), start] : [start]
    }

    // MARK: - Recovery

    /// After a failed write, waits until the store can write again, reloads the state that was in doubt, and accepts commands
    /// again.
    private func startStoreRecovery() {
        let task = Task(executorPreference: executor) { [self] in
            var wait = Duration.milliseconds(200)
            while !Task.isCancelled {
                do {
                    try await clock.sleep(until: clock.monotonicNow().advanced(by: wait))
                    guard await storeGuard.maintenance.isWritable() else { throw GatewayError.unavailable }
                    try await recoverStore()
                    return
                } catch {
                    wait = min(wait * 2, .seconds(10))
                }
            }
        }
        recoveries.withLock { $0.append(task) }
    }

    /// - Throws: if recovery has to be repeated: the store failed, or was marked in doubt again meanwhile.
    private func recoverStore() async throws {
        let doubts = storeGuard.inDoubtGeneration
        try await writer.reload(
            storeGuard.readTenancy, afterwards: { bringAdaptersUpToDate(since: $0) })
        try await reloadSessions()
        try await storeGuard.reloadUses()
        let recovered = try await recovery.settleOpenCommands(except: storeGuard.isInFlight)
        try await storeGuard.write(StoreTransaction(records: [recoveryRecord(recovered, after: "store_failure")]))
        guard storeGuard.clearInDoubt(asOf: doubts) else { throw GatewayError.unavailable }
        logger.notice("the store can write again; commands are accepted", metadata: ["commandsSettled": "\(recovered)"])
    }

    /// Reloads the sessions from the store, because a write in doubt may have durably ended some of them. A session becomes valid
    /// only once it is durable. So a session that was in memory before the store was read, but is not in the store, has ended.
    private func reloadSessions() async throws {
        let before = signIn.sessions.ids
        let stored = try await storeGuard.credentials.liveSessions(at: clock.credentialNow())
        signIn.sessions.load(stored)
        for id in Set(before).subtracting(stored.map(\.id)) { signIn.sessions.end(id) }
    }

    // MARK: - Stop

    /// Rejects new commands, cancels waiting ones, waits up to `gracePeriod` for those in flight,
    /// stops the adapters, and closes the store.
    package func stop(gracePeriod: Duration = .seconds(10)) async {
        isReady.withLock { $0 = false }
        await adapterStarter.stop()
        await locks.stop(gracePeriod: gracePeriod)
        // Skips adapters whose start has not returned: stopping them would block too.
        for adapter in adapters.all where adapters.isStarted(adapter.kind) { await adapter.stop() }
        reports.finish()
        await processing.withLock(\.self)?.value
        for task in recoveries.withLock(\.self) { task.cancel() }
        let signing = signing.withLock(\.self)
        signing?.cancel()
        await signing?.value
        // The store is closed even if the record cannot be written; a gateway that never started has nothing to record.
        if hasStarted.withLock({ $0 }) {
            await logging(failure: "the summary of failed sign-ins could not be recorded") { try await signIn.stop() }
            // The record of the stop is the last one, after those of the portfolios' checkpoints.
            await logging(failure: "the last checkpoints could not be signed") { try await checkpoints?.signAll() }
            await clockWatch.stop()
            await logging(failure: "the shutdown could not be recorded") {
                try await storeGuard.write(StoreTransaction(records: [gatewayRecord(.stop)]))
            }
            await logging(failure: "the last checkpoint could not be signed") { try await checkpoints?.sign([.gateway]) }
        }
        await logging(failure: "the store could not be closed cleanly") { try await storeGuard.maintenance.close() }
    }

    private func logging(failure: Logger.Message, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            logger.error(failure, metadata: ["error": "\(error)"])
        }
    }
}
