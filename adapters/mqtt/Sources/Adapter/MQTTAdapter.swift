package import DoorwardAdapterKit
package import DoorwardDomain
internal import DoorwardMQTT
package import Logging
internal import Synchronization

/// Adapter for locks on MQTT brokers, in the dialects that profiles describe.
///
/// A command is sent at once or rejected, and a retained message never confirms it.
package final class MQTTAdapter: Sendable {
    /// The value of the field `adapter` of this adapter's devices.
    package let kind = AdapterGuide.mqtt.kind
    let library: ProfileLibrary
    let context: AdapterContext
    let sessions: [String: BrokerSession]
    private let discoveries: [String: BrokerDiscovery]
    private let registry: LockRegistry
    /// Serializes attaching and detaching, so that a new attachment is not overtaken by an earlier one.
    private let attachmentMutex = Mutex(())
    private let profileWatch = Mutex<Task<Void, Never>?>(nil)
    /// Whether an attached lock may still use a former version of its profile.
    private let hasStaleProfiles = Atomic(false)

    /// How often the profile folders are checked for changes.
    private static let pollInterval = Duration.seconds(2)

    /// - Parameters:
    ///   - brokers: the brokers that addresses may name; of two with the same name the first counts.
    ///   - library: the profiles.
    ///   - executor: runs the timers of commands; `nil` for the global executor.
    package init(
        brokers: [MQTTBroker], library: ProfileLibrary, clock: any GatewayClock, random: RandomSource, logger: Logger,
        executor: (any TaskExecutor)? = nil
    ) {
        let context = AdapterContext(clock: clock, executor: executor, logger: logger)
        let registry = LockRegistry()
        var (sessions, discoveries): ([String: BrokerSession], [String: BrokerDiscovery]) = ([:], [:])
        for broker in brokers where sessions[broker.name] == nil {
            let discovery = BrokerDiscovery(broker, library, clock: clock) { updates in registry.apply(updates, on: broker.name) }
            sessions[broker.name] = BrokerSession(broker, random: random, discovery: discovery, context)
            discoveries[broker.name] = discovery
        }
        (self.library, self.context, self.registry) = (library, context, registry)
        (self.sessions, self.discoveries) = (sessions, discoveries)
    }
}

extension MQTTAdapter: LockAdapter {
    package var addressFields: [AddressField] { [.broker(.word(sessions.keys.sorted())), .profile(library.ids)] }

    package var transports: [AdapterTransport] {
        sessions.sorted { $0.key < $1.key }.map { name, session in
            let outage = session.outage
            let notices = session.notices
            return AdapterTransport(
                name: name, owner: session.broker.owner, health: outage == nil ? .ok : .down,
                problem: outage ?? (notices.isEmpty ? nil : "discovery is incomplete: \(notices.joined(separator: "; "))"))
        }
    }

    /// Down while no broker is connected, degraded while only some are.
    package var health: AdapterHealth {
        guard registry.isStarted else { return .down }
        let connected = sessions.values.count(where: \.isConnected)
        return connected == sessions.count ? .ok : connected == 0 ? .down : .degraded
    }

    /// Checks an address. A broker outside the scope is reported like an unknown one, and the rest of the address is not checked.
    package func check(address: [String: JSONValue], within scope: TransportScope) throws(AddressErrors) -> CheckedAddress {
        let address = try MQTTAddress(address)
        let resolved = try resolve(address, within: scope)
        return CheckedAddress(
            resolved.dialect.capabilities, attachedDevice: attachedDevice(at: resolved.dialect, on: resolved.session.broker.name),
            conflicts: conflicts(of: resolved.dialect, at: address))
    }

    /// Returns the attached locks whose use of a topic conflicts with that of the lock at an address.
    private func conflicts(of dialect: Dialect, at address: MQTTAddress) -> [CheckedAddress.Conflict] {
        let conflicts = registry.conflicts(with: dialect.uses, on: address.broker)
        guard !conflicts.isEmpty else { return [] }
        let values = AddressValues(dialect.profile, address.variables)
        return conflicts.map { id, topic, problem in
            let key = values.key(of: String(topic.text), dialect.profile)
            return CheckedAddress.Conflict(with: id, .init(field: "address.\(key)", problem: problem.rawValue))
        }.sorted { ($0.mistake.field, $0.mistake.problem, $0.device) < ($1.mistake.field, $1.mistake.problem, $1.device) }
    }

    /// Returns the attached lock that has one of the command endpoints of `dialect` or one of their aliases in discovery. A lock
    /// with the same command topic has precedence; of several locks, the one attached last is returned.
    private func attachedDevice(at dialect: Dialect, on broker: String) -> DeviceID? {
        let endpoints = discoveries[broker]?.withAliases(dialect.endpoints) ?? dialect.endpoints
        let same = registry.locks(at: [CommandEndpoint(dialect.commandTopic)], on: broker).last
        if let lock = same ?? registry.locks(at: endpoints, on: broker).last { return lock.id }
        // A renamed lock is still attached under its former name; look it up by its id in discovery.
        return discoveries[broker].flatMap { registry.renamedLock(withAnyOf: $0.ids(at: endpoints), on: broker) }?.id
    }

    package func owner(of address: [String: JSONValue]) -> TransportOwner? {
        guard case .string(let name)? = address["broker"] else { return nil }
        return sessions[name]?.broker.owner
    }

    package func start(reports: any ReportReceiver) async throws {
        context.receiver.withLock { $0 = reports }
        guard registry.start() else { return }
        for session in sessions.values { session.start() }
        watchProfiles()
    }

    package func stop() async {
        // Discard the reports that closing the connections causes: they do not come from the locks.
        context.receiver.withLock { $0 = nil }
        registry.stop()
        profileWatch.withLock { $0.take()?.cancel() }
        for session in sessions.values { await session.stop() }
    }

    /// Attaches a lock. If the configuration lacks its broker or profile, the lock cannot be reached until the configuration
    /// is corrected.
    package func attach(_ lock: AttachedLock) { attachmentMutex.withLock { _ in attachOrReplace(lock) } }

    private func attachOrReplace(_ lock: AttachedLock) {
        do {
            let address = try MQTTAddress(lock.address)
            let resolved = try resolve(address, within: .everything, isAttached: true)
            let new = MQTTLock(lock, address, resolved.dialect, session: resolved.session, context)
            let before = registry.add(new)
            // Keep the marks of the same lock: the discovery message that removed or renamed it is not sent again.
            let isSame = before.map { !Set($0.brokerEndpoints).isDisjoint(with: new.brokerEndpoints) } ?? false
            if let before, isSame, before.isRemoved { new.mark(isRemoved: true) }
            let renamed = discoveries[address.broker]?.renamedLock(from: new.commandEndpoint)
            if let id = isSame ? before?.renamedID ?? renamed : renamed { new.mark(renamed: id) }
            if let before { before.handOver(to: new) } else { new.activate() }
            if let discovery = discoveries[address.broker] { new.reportProduct { discovery.products(at: new.commandEndpoint) } }
        } catch {
            registry.addUnresolved(lock)?.deactivate(.noRoute)
            let errors = error.errors.map { "\($0.field) \($0.problem)" }.joined(separator: ", ")
            context.logger.error(
                "a lock cannot be reached: its address does not fit the configuration",
                metadata: ["device": "\(lock.id)", "fields": "\(errors)"])
        }
    }

    package func detach(_ id: DeviceID) {
        attachmentMutex.withLock { _ in registry.remove(id)?.deactivate(.detached) }
        context.codes.withLock { $0[id] = nil }
    }

    package func setCode(_ code: Secret<String>?, for id: DeviceID) {
        context.codes.withLock { $0[id] = code }
        if case .lock(let lock)? = registry.entry(id) { lock.reportFaults() }
    }

    package func send(_ command: LockCommand) throws(AdapterError) { try lock(command.deviceID).send(command) }

    package func refresh(_ id: DeviceID) throws(AdapterError) { try lock(id).refresh(laterIfBusy: true) }

    private func lock(_ id: DeviceID) throws(AdapterError) -> MQTTLock {
        switch registry.entry(id) {
        case .lock(let lock): return lock
        case .unresolved: throw .offline
        case nil: throw .notAttached
        }
    }

    package func problem(of command: CommandID, for id: DeviceID) -> TransportProblem? {
        switch registry.entry(id) {
        case .lock(let lock): lock.problem(of: command)
        case .unresolved:
            TransportProblem(
                detail: "The lock's broker or profile is not in the gateway's configuration.",
                summary: "The gateway's configuration lacks what this lock needs.")
        case nil: nil
        }
    }

    /// The discovered locks of all brokers, without those that are attached.
    package var discovered: [DiscoveredLock] {
        discoveries.keys.sorted().flatMap { name -> [DiscoveredLock] in
            guard let discovery = discoveries[name], let broker = sessions[name]?.broker else { return [] }
            let renamed = Set(registry.all.filter { $0.brokerEndpoints.first?.broker == name }.compactMap(\.renamedID))
            return discovery.records.compactMap { record in
                renamed.contains(TopicText(record.lock.id)) ? nil : discovered(record, on: broker)
            }
        }
    }

    private func discovered(_ record: BrokerDiscovery.Record, on broker: MQTTBroker) -> DiscoveredLock? {
        let lock = record.lock
        guard registry.locks(at: record.resolved.endpoints, on: broker.name).isEmpty else { return nil }
        let address = lock.variables.merging(["broker": .string(broker.name), "profile": .string(lock.profile)]) { $1 }
        return DiscoveredLock(
            id: "\(broker.name):\(lock.id)", name: lock.name, manufacturer: lock.product.manufacturer, model: lock.product.model,
            address: address, owner: broker.owner,
            capabilities: record.resolved.capabilities, problem: lock.problem ?? problem(of: record, on: broker),
            firstSeenAt: record.times.first, lastSeenAt: record.times.last)
    }

    /// Returns why a discovered lock cannot be attached; `nil` if it can.
    private func problem(of record: BrokerDiscovery.Record, on broker: MQTTBroker) -> String? {
        if record.resolved.capabilities == nil { return "needs a profile" }
        return registry.conflicts(with: record.resolved.uses, on: broker.name).map { _, topic, problem in
            switch problem {
            case .commandTopicOfOther: "its state topic `\(topic.text)` is the command topic of an attached lock"
            case .stateTopicOfOther: "its command topic `\(topic.text)` is the state topic of an attached lock"
            default: "its state topic `\(topic.text)` is that of an attached lock"
            }
        }.min()
    }

    private func resolve(
        _ address: MQTTAddress, within scope: TransportScope, isAttached: Bool = false
    ) throws(AddressErrors) -> (session: BrokerSession, dialect: Dialect) {
        guard let session = sessions[address.broker], scope.includes(session.broker.owner) else {
            throw AddressErrors(["broker": "unknown"])
        }
        guard let profile = library[address.profile] else { throw AddressErrors(["profile": "unknown"]) }
        return (session, try Dialect(profile, variables: address.variables, isAttached: isAttached))
    }
}

extension MQTTAdapter {
    /// Reloads the profile folders whenever a file in them has changed.
    private func watchProfiles() {
        guard !library.directories.isEmpty else { return }
        let clock = context.clock
        let initial = FileFingerprint.all(in: library.directories)
        let task = Task(executorPreference: context.executor) { [weak self] in
            var lastSeen = initial
            while (try? await clock.sleep(until: clock.monotonicNow().advanced(by: Self.pollInterval))) != nil {
                guard let self else { return }
                let now = FileFingerprint.all(in: library.directories)
                guard now != lastSeen else {
                    rebindLocks()
                    continue
                }
                lastSeen = now
                for mistake in reloadProfiles() { context.logger.error("\(mistake)") }
                context.logger.notice("the profiles were reloaded")
            }
        }
        profileWatch.withLock { $0 = task }
    }

    /// Reloads the profile folders, and attaches anew each lock whose profile has changed. A lock
    /// with a command in flight is attached anew after the command has ended.
    ///
    /// - Returns: a sentence for each mistake in the files; a profile with a mistake keeps its former version.
    package func reloadProfiles() -> [String] {
        let errors = library.reload()
        for discovery in discoveries.values { discovery.resolveAll() }
        hasStaleProfiles.store(true, ordering: .relaxed)
        rebindLocks()
        return errors
    }

    private func rebindLocks() {
        guard hasStaleProfiles.exchange(false, ordering: .relaxed) else { return }
        attachmentMutex.withLock { _ in
            for lock in registry.all where library[lock.address.profile] != lock.dialect.profile {
                if lock.hasCommandInFlight {
                    hasStaleProfiles.store(true, ordering: .relaxed)
                } else {
                    attachOrReplace(lock.attached)
                }
            }
            for lock in registry.unresolved { attachOrReplace(lock) }
        }
    }
}

extension MQTTAdapter {
    /// Counters over all brokers; see `AdapterCounter`.
    package var counts: [String: Int] {
        let dropped = sessions.values.reduce(0) { $0 + $1.droppedMessages }
        return context.counts.merging([AdapterCounter.messagesDropped.rawValue: dropped], uniquingKeysWith: +)
    }
}
