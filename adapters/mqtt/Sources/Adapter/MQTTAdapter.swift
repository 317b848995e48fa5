package import DoorwardAdapterKit
package import DoorwardDomain
internal import DoorwardMQTT
package import Logging
internal import Synchronization

/// Locks on MQTT brokers, in the dialects that profiles describe.
///
/// A frame of an order is handed to the broker's connection now or never; nothing of the past is taken for a lock's word.
package final class MQTTAdapter: Sendable {
    /// What devices carry in `adapter`.
    package let kind = "mqtt"
    let library: ProfileLibrary
    let surroundings: Surroundings
    let links: [String: BrokerLink]
    private let findings: [String: FoundLocks]
    private let roll: Roll
    /// Held while a lock is attached or detached, so that one that is attached anew is never met by one of before.
    private let changing = Mutex(())
    private let watch = Mutex<Task<Void, Never>?>(nil)
    /// Whether a lock may be spoken to in the words of a profile that has changed.
    private let hasOldWords = Atomic(false)

    /// How often the folders of profiles are looked at.
    private static let watchPause = Duration.seconds(2)

    /// - Parameters:
    ///   - brokers: those that addresses may name; of two with one name the first counts.
    ///   - library: the dialects.
    ///   - executor: where orders wait for silence; `nil` for the global one.
    package init(
        brokers: [MQTTBroker], library: ProfileLibrary, clock: any GatewayClock, random: RandomSource, logger: Logger,
        executor: (any TaskExecutor)? = nil
    ) {
        let surroundings = Surroundings(
            clock: clock, executor: executor, logger: logger, listener: Listener(), counters: Counters())
        let roll = Roll()
        var (links, findings): ([String: BrokerLink], [String: FoundLocks]) = ([:], [:])
        for broker in brokers where links[broker.name] == nil {
            let found = FoundLocks(broker, library, clock: clock) { told in roll.mark(told, on: broker.name) }
            links[broker.name] = BrokerLink(broker, random: random, found: found, surroundings)
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
            let isConnected = link.isConnected
            return AdapterTransport(
                name: name, owner: link.broker.owner, health: isConnected ? .ok : .down,
                problem: isConnected ? nil : link.failure?.description)
        }
    }

    /// Degraded while a broker is away.
    package var health: AdapterHealth {
        guard roll.isStarted else { return .down }
        return links.values.allSatisfy(\.isConnected) ? .ok : .degraded
    }

    /// A broker outside the scope answers as one that does not exist, and nothing more of such an address is looked at.
    package func check(
        address: [String: JSONValue], within scope: TransportScope
    ) throws(AddressMistakes) -> CheckedAddress {
        let bound = try bind(MQTTAddress(address), within: scope)
        return CheckedAddress(bound.dialect.capabilities, holder: holder(of: bound.dialect, on: bound.link.broker.name))
    }

    /// The lock that is attached where this one obeys, as far as the address and what was found say; of several the one that
    /// was attached last under this very address.
    private func holder(of dialect: Dialect, on broker: String) -> DeviceID? {
        let places = findings[broker]?.withSpellings(dialect.places) ?? dialect.places
        let same = roll.locks(at: [CommandPlace(dialect.commandTopic)], on: broker).last
        return (same ?? roll.locks(at: places, on: broker).last)?.id
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
        // What follows from the end of a connection is no word of a lock.
        surroundings.listener.set(nil)
        roll.stop()
        watch.withLock { $0.take()?.cancel() }
        for link in links.values { await link.stop() }
    }

    /// A lock whose broker or profile the configuration no longer has stays without a way to it until it has.
    package func attach(_ lock: AttachedLock) { changing.withLock { _ in put(lock) } }

    private func put(_ lock: AttachedLock) {
        do {
            let address = try MQTTAddress(lock.address)
            let bound = try bind(address, within: .everything)
            let new = MQTTLock(lock, address, bound.dialect, link: bound.link, surroundings)
            let before = roll.add(new)
            // What took it away is not heard again.
            if let before, before.isGone, !Set(before.keys).isDisjoint(with: new.keys) { new.mark(isGone: true) }
            if let before { before.give(wayTo: new) } else { new.arrive() }
        } catch {
            roll.addLost(lock)?.leave(.noWay)
            surroundings.logger.error(
                "a lock cannot be reached: its broker or profile is not in the configuration",
                metadata: ["device": "\(lock.id)", "fields": "\(error.mistakes.map(\.field).joined(separator: " "))"])
        }
    }

    package func detach(_ id: DeviceID) {
        changing.withLock { _ in roll.remove(id)?.leave(.nobody) }
    }

    package func send(_ order: LockOrder) throws(AdapterError) {
        switch roll.entry(order.deviceID) {
        case .lock(let lock): try lock.send(order)
        case .lost: throw .offline
        case nil: throw .notAttached
        }
    }

    package func refresh(_ id: DeviceID) throws(AdapterError) {
        switch roll.entry(id) {
        case .lock(let lock): try lock.refresh()
        case .lost: throw .offline
        case nil: throw .notAttached
        }
    }

    /// What discovery has found on all brokers and nobody has attached.
    package var discovered: [DiscoveredLock] {
        findings.keys.sorted().flatMap { name -> [DiscoveredLock] in
            guard let found = findings[name], let broker = links[name]?.broker else { return [] }
            return found.entries.compactMap { entry in discovered(entry, on: broker) }
        }
    }

    private func discovered(_ entry: FoundLocks.Entry, on broker: MQTTBroker) -> DiscoveredLock? {
        let lock = entry.lock
        guard roll.locks(at: entry.places, on: broker.name).isEmpty else { return nil }
        let address = lock.variables.merging(["broker": .string(broker.name), "profile": .string(lock.profile)]) { $1 }
        return DiscoveredLock(
            id: "\(broker.name):\(lock.id)", name: lock.name, manufacturer: lock.manufacturer, model: lock.model,
            address: address, owner: broker.owner,
            capabilities: entry.capabilities, problem: lock.problem ?? (entry.capabilities == nil ? "needs a profile" : nil),
            firstSeenAt: entry.firstSeen, lastSeenAt: entry.lastSeen)
    }

    private func bind(
        _ address: MQTTAddress, within scope: TransportScope
    ) throws(AddressMistakes) -> (link: BrokerLink, dialect: Dialect) {
        guard let link = links[address.broker], scope.includes(link.broker.owner) else {
            throw AddressMistakes(unknown: "broker")
        }
        guard let profile = library[address.profile] else { throw AddressMistakes(unknown: "profile") }
        return (link, try Dialect(profile, variables: address.variables))
    }
}

extension AddressMistakes {
    fileprivate init(unknown key: String) { self.init([Mistake(field: "address.\(key)", problem: "unknown")]) }
}

extension MQTTAdapter {
    /// Reads the folders of profiles again whenever a file in them has changed.
    private func watchProfiles() {
        guard !library.directories.isEmpty else { return }
        let clock = surroundings.clock
        let first = FolderStamp(of: library.directories)
        let task = Task(executorPreference: surroundings.executor) { [weak self] in
            var seen = first
            while (try? await clock.sleep(until: clock.monotonicNow().advanced(by: Self.watchPause))) != nil {
                guard let self else { return }
                let now = FolderStamp(of: library.directories)
                guard now != seen else {
                    renewLocks()
                    continue
                }
                seen = now
                for mistake in reloadProfiles() { surroundings.logger.error("\(mistake)") }
                surroundings.logger.notice("the profiles were read again")
            }
        }
        watch.withLock { $0 = task }
    }

    /// Reads the folders of profiles again; locks whose profile has changed are spoken to in its new form, one that owes an
    /// answer as soon as it has given it.
    ///
    /// - Returns: a sentence for each mistake in the files; a profile that became wrong stays as it was.
    package func reloadProfiles() -> [String] {
        let mistakes = library.reload()
        for found in findings.values { found.bindAnew() }
        hasOldWords.store(true, ordering: .relaxed)
        renewLocks()
        return mistakes
    }

    private func renewLocks() {
        guard hasOldWords.exchange(false, ordering: .relaxed) else { return }
        changing.withLock { _ in
            for lock in roll.all where library[lock.address.profile] != lock.dialect.profile {
                if lock.isUnderWay { hasOldWords.store(true, ordering: .relaxed) } else { put(lock.attached) }
            }
            for lock in roll.lost { put(lock) }
        }
    }
}
