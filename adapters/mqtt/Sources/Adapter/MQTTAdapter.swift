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
    let surroundings: AdapterContext
    let links: [String: BrokerSession]
    private let findings: [String: FoundLocks]
    private let roll: LockRegistry
    /// Serializes attaching and detaching, so that a new attachment is not overtaken by an earlier one.
    private let changing = Mutex(())
    private let watch = Mutex<Task<Void, Never>?>(nil)
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
        let surroundings = AdapterContext(
            clock: clock, executor: executor, logger: logger, listener: Listener(), counters: Counters())
        let roll = LockRegistry()
        var (links, findings): ([String: BrokerSession], [String: FoundLocks]) = ([:], [:])
        for broker in brokers where links[broker.name] == nil {
            let found = FoundLocks(broker, library, clock: clock) { told in roll.mark(told, on: broker.name) }
            links[broker.name] = BrokerSession(broker, random: random, found: found, surroundings)
            findings[broker.name] = found
        }
        (self.library, self.surroundings, self.roll) = (library, surroundings, roll)
        (self.links, self.findings) = (links, findings)
    }
}

extension MQTTAdapter: LockAdapter {
    package var addressFields: [AddressField] { AddressField.ofMQTT(brokers: links.keys.sorted(), profiles: library.ids) }

    package var transports: [AdapterTransport] {
        links.sorted { $0.key < $1.key }.map { name, link in
            let outage = link.outage
            let notices = link.notices
            return AdapterTransport(
                name: name, owner: link.broker.owner, health: outage == nil ? .ok : .down,
                problem: outage ?? (notices.isEmpty ? nil : "discovery is incomplete: \(notices.joined(separator: "; "))"))
        }
    }

    /// Down while no broker is connected, degraded while only some are.
    package var health: AdapterHealth {
        guard roll.isStarted else { return .down }
        let connected = links.values.count(where: \.isConnected)
        return connected == links.count ? .ok : connected == 0 ? .down : .degraded
    }

    /// Checks an address. A broker outside the scope is reported like an unknown one, and the rest of the address is not checked.
    package func check(
        address: [String: JSONValue], within scope: TransportScope
    ) throws(AddressErrors) -> CheckedAddress {
        let address = try MQTTAddress(address)
        let bound = try bind(address, within: scope)
        return CheckedAddress(
            bound.dialect.capabilities, attachedDevice: holder(of: bound.dialect, on: bound.link.broker.name),
            conflicts: conflicts(of: bound.dialect, at: address))
    }

    /// Returns the attached locks whose use of a topic conflicts with that of the lock at an address.
    private func conflicts(of dialect: Dialect, at address: MQTTAddress) -> [CheckedAddress.Conflict] {
        let rivals = roll.rivals(of: dialect.uses, on: address.broker)
        guard !rivals.isEmpty else { return [] }
        let values = AddressValues(dialect.profile, address.variables)
        return rivals.map { id, topic, problem in
            let key = values.key(of: String(topic.text), dialect.profile)
            return CheckedAddress.Conflict(with: id, .init(field: "address.\(key)", problem: problem.rawValue))
        }.sorted { ($0.mistake.field, $0.mistake.problem, $0.device) < ($1.mistake.field, $1.mistake.problem, $1.device) }
    }

    /// Returns the attached lock that has one of the command endpoints of `dialect` or one of their
    /// aliases in discovery. A lock with the same command topic has precedence; of several locks,
    /// the one attached last is returned.
    private func holder(of dialect: Dialect, on broker: String) -> DeviceID? {
        let places = findings[broker]?.withAliases(dialect.places) ?? dialect.places
        let same = roll.locks(at: [CommandEndpoint(dialect.commandTopic)], on: broker).last
        if let holder = same ?? roll.locks(at: places, on: broker).last { return holder.id }
        // A renamed lock is still attached under its former name; look it up by its id in discovery.
        return findings[broker].flatMap { roll.renamed($0.ids(at: places), on: broker) }?.id
    }

    package func owner(of address: [String: JSONValue]) -> TransportOwner? {
        guard case .string(let name)? = address["broker"] else { return nil }
        return links[name]?.broker.owner
    }

    package func start(reports: any ReportReceiver) async throws {
        surroundings.listener.set(reports)
        guard roll.start() else { return }
        for link in links.values { link.start() }
        watchProfiles()
    }

    package func stop() async {
        // Discard the reports that closing the connections causes: they do not come from the locks.
        surroundings.listener.set(nil)
        roll.stop()
        watch.withLock { $0.take()?.cancel() }
        for link in links.values { await link.stop() }
    }

    /// Attaches a lock. If the configuration lacks its broker or profile, the lock cannot be reached until both are configured.
    package func attach(_ lock: AttachedLock) { changing.withLock { _ in put(lock) } }

    private func put(_ lock: AttachedLock) {
        do {
            let address = try MQTTAddress(lock.address)
            let bound = try bind(address, within: .everything, isAttached: true)
            let new = MQTTLock(lock, address, bound.dialect, link: bound.link, surroundings)
            let before = roll.add(new)
            // Keep the marks of the same lock: the discovery message that removed or renamed it is not sent again.
            let isSame = before.map { !Set($0.keys).isDisjoint(with: new.keys) } ?? false
            if let before, isSame, before.isGone { new.mark(isGone: true) }
            let renamed = findings[address.broker]?.renamed(from: new.named)
            if let id = isSame ? before?.renamedID ?? renamed : renamed { new.mark(renamed: id) }
            if let before { before.give(wayTo: new) } else { new.arrive() }
        } catch {
            roll.addLost(lock)?.leave(.noWay)
            let mistakes = error.mistakes.map { "\($0.field) \($0.problem)" }.joined(separator: ", ")
            surroundings.logger.error(
                "a lock cannot be reached: its address does not fit the configuration",
                metadata: ["device": "\(lock.id)", "fields": "\(mistakes)"])
        }
    }

    package func detach(_ id: DeviceID) {
        changing.withLock { _ in roll.remove(id)?.leave(.nobody) }
        surroundings.codes.set(nil, for: id)
    }

    package func setCode(_ code: Secret<String>?, for id: DeviceID) {
        surroundings.codes.set(code, for: id)
        if case .lock(let lock)? = roll.entry(id) { lock.reportFaults() }
    }

    package func send(_ order: LockCommand) throws(AdapterError) {
        switch roll.entry(order.deviceID) {
        case .lock(let lock): try lock.send(order)
        case .lost: throw .offline
        case nil: throw .notAttached
        }
    }

    package func refresh(_ id: DeviceID) throws(AdapterError) {
        switch roll.entry(id) {
        case .lock(let lock): try lock.refresh(laterIfBusy: true)
        case .lost: throw .offline
        case nil: throw .notAttached
        }
    }

    package func problem(of command: CommandID, for id: DeviceID) -> TransportProblem? {
        switch roll.entry(id) {
        case .lock(let lock): lock.problem(of: command)
        case .lost:
            TransportProblem(
                detail: "The lock's broker or profile is not in the gateway's configuration.",
                summary: "The gateway's configuration lacks what this lock needs.")
        case nil: nil
        }
    }

    /// The discovered locks of all brokers, without those that are attached.
    package var discovered: [DiscoveredLock] {
        findings.keys.sorted().flatMap { name -> [DiscoveredLock] in
            guard let found = findings[name], let broker = links[name]?.broker else { return [] }
            let renamed = Set(roll.all.filter { $0.keys.first?.broker == name }.compactMap(\.renamedID))
            return found.entries.compactMap { entry in
                renamed.contains(TopicText(entry.lock.id)) ? nil : discovered(entry, on: broker)
            }
        }
    }

    private func discovered(_ entry: FoundLocks.Entry, on broker: MQTTBroker) -> DiscoveredLock? {
        let lock = entry.lock
        guard roll.locks(at: entry.places, on: broker.name).isEmpty else { return nil }
        let address = lock.variables.merging(["broker": .string(broker.name), "profile": .string(lock.profile)]) { $1 }
        return DiscoveredLock(
            id: "\(broker.name):\(lock.id)", name: lock.name, manufacturer: lock.manufacturer, model: lock.model,
            address: address, owner: broker.owner,
            capabilities: entry.capabilities, problem: lock.problem ?? problem(of: entry, on: broker),
            firstSeenAt: entry.firstSeen, lastSeenAt: entry.lastSeen)
    }

    /// Returns why a discovered lock cannot be attached; `nil` if it can.
    private func problem(of entry: FoundLocks.Entry, on broker: MQTTBroker) -> String? {
        if entry.capabilities == nil { return "needs a profile" }
        return roll.rivals(of: entry.uses, on: broker.name).map { _, topic, problem in
            problem == .commandTopicOfOther
                ? "its state topic `\(topic.text)` is the command topic of an attached lock"
                : problem == .stateTopicOfOther
                    ? "its command topic `\(topic.text)` is the state topic of an attached lock"
                    : "its state topic `\(topic.text)` is that of an attached lock"
        }.min()
    }

    private func bind(
        _ address: MQTTAddress, within scope: TransportScope, isAttached: Bool = false
    ) throws(AddressErrors) -> (link: BrokerSession, dialect: Dialect) {
        guard let link = links[address.broker], scope.includes(link.broker.owner) else {
            throw AddressErrors(unknown: "broker")
        }
        guard let profile = library[address.profile] else { throw AddressErrors(unknown: "profile") }
        return (link, try Dialect(profile, variables: address.variables, isAttached: isAttached))
    }
}

extension AddressErrors {
    fileprivate init(unknown key: String) { self.init([Mistake(field: "address.\(key)", problem: "unknown")]) }
}

extension MQTTAdapter {
    /// Reloads the profile folders whenever a file in them has changed.
    private func watchProfiles() {
        guard !library.directories.isEmpty else { return }
        let clock = surroundings.clock
        let first = DirectoryFingerprint(of: library.directories)
        let task = Task(executorPreference: surroundings.executor) { [weak self] in
            var seen = first
            while (try? await clock.sleep(until: clock.monotonicNow().advanced(by: Self.pollInterval))) != nil {
                guard let self else { return }
                let now = DirectoryFingerprint(of: library.directories)
                guard now != seen else {
                    rebindLocks()
                    continue
                }
                seen = now
                for mistake in reloadProfiles() { surroundings.logger.error("\(mistake)") }
                surroundings.logger.notice("the profiles were reloaded")
            }
        }
        watch.withLock { $0 = task }
    }

    /// Reloads the profile folders, and attaches anew each lock whose profile has changed. A lock
    /// with a command in flight is attached anew after the command has ended.
    ///
    /// - Returns: a sentence for each mistake in the files; a profile with a mistake keeps its former version.
    package func reloadProfiles() -> [String] {
        let mistakes = library.reload()
        for found in findings.values { found.bindAnew() }
        hasStaleProfiles.store(true, ordering: .relaxed)
        rebindLocks()
        return mistakes
    }

    private func rebindLocks() {
        guard hasStaleProfiles.exchange(false, ordering: .relaxed) else { return }
        changing.withLock { _ in
            for lock in roll.all where library[lock.address.profile] != lock.dialect.profile {
                if lock.isUnderWay { hasStaleProfiles.store(true, ordering: .relaxed) } else { put(lock.attached) }
            }
            for lock in roll.lost { put(lock) }
        }
    }
}
