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
    /// Makes the first super admin of a gateway that has none.
    package let setup: Setup
    /// Keys with which programs send requests.
    package let apiKeys: APIKeys
    /// The services that all use cases share.
    package let kernel: Kernel
    /// The current tenancy.
    package var directory: CurrentDirectory { kernel.directory }
    /// The current state of each device, in memory only.
    package let devices: DeviceRuntimes
    /// The feed of changes of the tenancy, the locks' status, the logs and the commands.
    package var feed: ChangeFeed { kernel.feed }
    /// The live streams.
    package let streams: LiveStreams
    /// The adapters that communicate with the locks.
    package let adapters: AdapterRegistry
    /// The state of the adapters, for super admins.
    package let adapterStates: AdapterStates
    /// Writes to the store, and tracks whether the store is in doubt.
    package var storeGuard: StoreGuard { kernel.storeGuard }
    /// The clock used by all use cases.
    package var clock: TrustedClock { kernel.clock }
    /// Records the clock's steps. The program runs it; without it, steps are noticed by decisions only.
    package let clockWatch: ClockWatch
    /// Erases the personal data of users from the access logs.
    package let erasure: PersonalDataErasure
    /// Removes records whose retention has ended. The program runs it.
    package let logRetention: LogRetention
    /// The source of ids, keys and tokens.
    package var random: RandomSource { kernel.random }

    private let adapterMetrics: AdapterMetrics
    private let adapterStarter: AdapterStarter
    private let reports: DeviceReports
    private var writer: TenancyWriter { kernel.writer }
    private var logger: Logger { kernel.logger }
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
    private var executor: (any TaskExecutor)? { kernel.executor }

    /// Wires the use cases. Nothing is read or sent before `start`.
    ///
    /// - Parameters:
    ///   - version: the program's version, for the record of its start.
    ///   - executor: runs background work and command executions; `nil` for the global one.
    ///   - synchronisedTime: the time of the operating system, if that reports that its clock is synchronised.
    ///   - lockCodeKey: the 32-byte key that encrypts the stored lock codes. `nil` generates a
    ///     random key: then only this process can decrypt the codes that it stores.
    ///   - audit: `nil` for a gateway that signs no checkpoints.
    package init(
        store: any GatewayStore, adapters: [any LockAdapter], clock: any GatewayClock, random: RandomSource,
        lockCodeKey: Secret<[UInt8]>? = nil, limits: Limits = Limits(), audit: AuditSetup? = nil,
        logger: Logger = Logger(label: "doorward"), version: String = "", executor: (any TaskExecutor)? = nil,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        synchronisedTime: @escaping @Sendable () -> Timestamp? = { nil }
    ) {
        let clock = TrustedClock(clock, maxStep: limits.maxClockStep, synchronisedTime: synchronisedTime)
        let codes = LockCodeSealer(key: lockCodeKey ?? Secret(random.bytes(32)))
        let feed = ChangeFeed(clock: clock)
        let storeGuard = StoreGuard(store: store, feed: feed, clock: clock, logger: logger)
        let directory = CurrentDirectory(feed: feed, uses: storeGuard.uses)
        devices = DeviceRuntimes(feed: feed)
        let (hasher, sessions) = (PasswordHasher(cost: limits.passwordCost, random: random), Sessions())
        let idempotency = IdempotencyGuard(store: storeGuard.commands, clock: clock)
        let windows = WindowTimer(directory: directory, feed: feed, clock: clock, executor: executor)
        let openStreams = LiveStreamTable(clock: clock, executor: executor)
        let writer = TenancyWriter(
            directory: directory, storeGuard: storeGuard, idempotency: idempotency, windows: windows,
            gates: [devices, openStreams], clock: clock, random: random)
        kernel = Kernel(
            directory: directory, storeGuard: storeGuard, writer: writer, clock: clock, random: random, feed: feed,
            executor: executor, logger: logger, metrics: metrics)
        self.adapters = AdapterRegistry(adapters)
        adapterStates = AdapterStates(kernel, adapters: self.adapters, devices: devices)
        adapterStarter = AdapterStarter(self.adapters, clock: clock, executor: executor, logger: logger)
        adapterMetrics = AdapterMetrics(self.adapters, metrics)
        checkpoints = audit.map { audit in
            Checkpoints(storeGuard: storeGuard, setup: audit, clock: clock, random: random, logger: logger, metrics: metrics)
        }
        self.version = version
        clockWatch = ClockWatch(kernel, windows: windows)
        reports = DeviceReports(kernel, devices: devices)
        attachments = Attachments(devices: devices, adapters: self.adapters, codes: codes)
        let services = CommandServices(kernel, attachments: attachments, idempotency: idempotency)
        commands = Commands(kernel, devices: devices)
        locks = LockDAL(services, commands: commands, deniedPerMinute: limits.deniedPerMinute)
        lockdowns = Lockdowns(services, locks: locks, maxConcurrentLocks: limits.concurrentLockdownLocks)
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
        setup = Setup(kernel, hasher: hasher, signIn: signIn, devices: attachedDevices)
        logRetention = LogRetention(kernel)
        erasure = PersonalDataErasure(kernel, retention: logRetention)
        (history, backupService) = (AccessHistory(kernel), BackupService(kernel))
        exports = AccessExports(kernel, checkpoints: checkpoints)
        complianceReports = ComplianceReports(kernel, devices: devices, checkpoints: checkpoints)
        self.audit = AuditLogs(kernel, checkpoints: checkpoints)
        streams = LiveStreams(kernel, devices: devices, sessions: sessions, table: openStreams)
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
        try await commands.rememberOpenCommands()
        let recovered = try await commands.settleOpenCommands()
        var records = recovered > 0 ? [recoveryRecord(recovered, after: "restart")] : []
        records.append(gatewayRecord(.start, version.isEmpty ? [:] : ["version": .string(version)]))
        try await storeGuard.write(StoreTransaction(records: records))
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

    private func gatewayRecord(_ event: RecordEvent, _ details: [String: RecordValue] = [:]) -> PendingRecord {
        let now = clock.now()
        return PendingRecord(event, id: random.id(at: now), at: now, details: details)
    }

    /// - Parameter cause: `restart` or `store_failure`.
    private func recoveryRecord(_ settled: Int, after cause: String) -> PendingRecord {
        gatewayRecord(.recovered, ["commands": .integer(Int64(settled)), "after": .string(cause)])
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
        try await writer.reload(storeGuard.readTenancy, afterwards: { bringAdaptersUpToDate(since: $0) })
        try await reloadSessions()
        try await storeGuard.reloadUses()
        let recovered = try await commands.settleOpenCommands(except: storeGuard.isInFlight)
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

extension GatewayControl {
    /// Limits that the operator sets; the defaults are those of the configuration file.
    package struct Limits: Sendable {
        /// The maximum number of denied commands of one principal per minute; further ones are rejected before a decision.
        package var deniedPerMinute = 20
        /// The maximum number of failed sign-ins from one address per minute; further ones have to wait.
        package var signInFailuresPerMinute = 20
        /// The maximum number of LOCK commands of one lockdown in progress at the same time.
        package var concurrentLockdownLocks = 64
        /// log2 of scrypt's N.
        package var passwordCost = 17
        /// The largest step of the wall clock that leaves it trusted.
        package var maxClockStep = Duration.seconds(60)
        /// How long a session lasts without being refreshed.
        package var refreshTokenLifetime = Duration.seconds(30 * 86_400)

        package init() {}
    }
}
