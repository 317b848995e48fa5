import Foundation

/// All simulated locks and their connections: broker events and control commands are the input, effects are the output. The fleet
/// has no clock, and all its random choices follow from its seed.
struct Fleet: Sendable {
    private enum ScheduledItem: Sendable {
        case lock(Int, restartCount: Int, LockContext.TimerKind)
        case reconnect(client: Int)
        case manualOperation
    }

    private(set) var locks: [SimulatedLock] = []
    private(set) var clients: [FleetClient] = []
    private(set) var counts = FleetCounts()
    private let plan: FleetPlan
    private let numberByName: [String: Int]
    private let clientOfLock: [Int]
    private var now = Duration.zero
    private var schedule = EventQueue<ScheduledItem>()
    private var effects: [Effect] = []
    private var manualRandom: SeededRandom

    /// - Parameter startedAt: milliseconds since 1970.
    init(_ plan: FleetPlan, startedAt: Int64) {
        self.plan = plan
        manualRandom = SeededRandom(seed: plan.seed, stream: .max)
        var (locks, clients, clientOfLock): ([SimulatedLock], [FleetClient], [Int]) = ([], [], [])
        for part in plan.parts {
            let first = locks.count
            for number in 0..<part.count {
                locks.append(Self.lock(part.profile, number + 1, stream: first + number, plan, startedAt))
            }
            for client in Self.clients(of: locks[first...], plan) {
                clientOfLock += repeatElement(clients.count, count: client.locks.count)
                clients.append(client)
            }
        }
        (self.locks, self.clients, self.clientOfLock) = (locks, clients, clientOfLock)
        numberByName = Dictionary(uniqueKeysWithValues: locks.enumerated().map { ($1.name, $0) })
        for number in locks.indices { update(number) { $0.scheduleReport() } }
        scheduleManualOperation()
    }

    private static func lock(
        _ profile: Profile, _ number: Int, stream: Int, _ plan: FleetPlan, _ startedAt: Int64
    ) -> SimulatedLock {
        var random = SeededRandom(seed: plan.seed, stream: UInt64(stream))
        let dialect = profile.dialect(number: number, &random)
        return SimulatedLock(
            name: "\(profile.rawValue)-\(number)", dialect: dialect,
            context: LockContext(plan.settings, startedAt: startedAt, random: random))
    }

    /// - Parameter locks: locks of one profile.
    private static func clients(of locks: ArraySlice<SimulatedLock>, _ plan: FleetPlan) -> [FleetClient] {
        guard let first = locks.first else { return [] }
        let (dialect, variables) = (type(of: first.dialect), locks.map(\.dialect.variables))
        if let bridge = dialect.bridge(of: variables, publishesDiscovery: plan.settings.publishesDiscovery) {
            return [
                FleetClient(
                    id: first.profile.rawValue, filters: bridge.filters, will: bridge.will, locks: locks.indices, bridge: bridge,
                    guardTime: dialect.guardTime)
            ]
        }
        return zip(locks.indices, locks).map { number, lock in
            FleetClient(
                id: lock.name, filters: lock.dialect.filters, will: lock.dialect.will, locks: number..<number + 1, bridge: nil,
                guardTime: dialect.guardTime)
        }
    }

    /// When the next scheduled item is due.
    var nextDue: Duration? { schedule.nextDue }

    /// Removes and returns the pending effects, in order.
    mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    // MARK: - Broker events

    mutating func connected(client number: Int, at now: Duration) {
        self.now = now
        clients[number].isConnected = true
        let wall = (locks.first?.context.startedAt ?? 0) + now.milliseconds
        for message in clients[number].bridge?.birthMessages(wall) ?? [] {
            effects.append(.publish(client: number, message))
        }
        for lock in clients[number].locks { update(lock) { $0.connect() } }
    }

    mutating func disconnected(client number: Int, at now: Duration) {
        self.now = now
        clients[number].isConnected = false
    }

    mutating func receive(_ message: Message, client number: Int, at now: Duration) {
        self.now = now
        counts.received += 1
        for lock in clients[number].recipients(of: message) { update(lock) { $0.receive(message) } }
    }

    // MARK: - Time

    /// Runs every item that is due by `now`, each at its own time.
    mutating func advance(to now: Duration) {
        while let (due, item) = schedule.popFirst(dueBy: now) {
            self.now = max(self.now, due)
            switch item {
            case .lock(let number, let restartCount, let timer):
                guard locks[number].restartCount == restartCount || timer == .reconnect else { continue }
                timerFired(number, timer)
            case .reconnect(let client): effects.append(.connect(client: client))
            case .manualOperation: performManualOperation()
            }
        }
        self.now = max(self.now, now)
    }

    private mutating func timerFired(_ number: Int, _ timer: LockContext.TimerKind) {
        if timer == .reconnect, locks[number].hasOwnConnection {
            effects.append(.connect(client: clientOfLock[number]))
            return
        }
        update(number) { $0.timerFired(timer) }
        if timer == .report, let interval = plan.settings.reportEvery {
            schedule.insert(.lock(number, restartCount: locks[number].restartCount, .report), at: now + interval)
        }
    }

    // MARK: - Control commands

    /// - Returns: why the command cannot be executed; `nil` if it was executed.
    mutating func execute(_ command: ControlCommand, at now: Duration) -> String? {
        self.now = now
        if let client = clients.firstIndex(where: { $0.id == command.target && $0.bridge != nil }) {
            return execute(command.action, bridge: client)
        }
        guard let number = numberByName[command.target] else { return "there is no lock \(command.target)" }
        switch command.action {
        case .keypad where !type(of: locks[number].dialect).hasKeypad: return "\(command.target) has no keypad"
        case .offline: takeOffline(number, for: nil)
        case .online:
            if locks[number].hasOwnConnection {
                if !locks[number].context.isReachable { effects.append(.connect(client: clientOfLock[number])) }
            } else {
                update(number) { $0.goOnline() }
            }
        case .reboot: restart(number)
        default: update(number) { $0.apply(command.action) }
        }
        return nil
    }

    private mutating func execute(_ action: ControlCommand.Action, bridge: Int) -> String? {
        switch action {
        case .offline, .reboot:
            effects.append(.cut(client: bridge))
            clients[bridge].isConnected = false
            if action == .reboot { schedule.insert(.reconnect(client: bridge), at: now + plan.settings.restartDuration) }
        case .online: if !clients[bridge].isConnected { effects.append(.connect(client: bridge)) }
        default: return "\(clients[bridge].id) is a bridge: it can go offline, online, or reboot"
        }
        return nil
    }

    private mutating func scheduleManualOperation() {
        guard plan.manualPerMinute > 0, !locks.isEmpty else { return }
        // Independent events have exponentially distributed intervals; long ones are capped.
        let wait = min(10, -Foundation.log(1 - manualRandom.fraction())) * 60 / plan.manualPerMinute
        schedule.insert(.manualOperation, at: now + .milliseconds(Int64(wait * 1000)))
    }

    private mutating func performManualOperation() {
        scheduleManualOperation()
        let number = Int.random(in: locks.indices, using: &manualRandom)
        counts.manualOperations += 1
        let types = type(of: locks[number].dialect).hasKeypad && manualRandom.happens(0.3)
        update(number) { types ? $0.enterCode(slot: 1) : $0.turnThumb() }
    }

    // MARK: - Locks

    /// Changes one lock, and processes the messages, timers and connection faults that follow.
    private mutating func update(_ number: Int, _ change: (inout SimulatedLock) -> Void) {
        locks[number].context.now = now
        change(&locks[number])
        collectOutput(of: number)
    }

    private mutating func collectOutput(of number: Int) {
        let client = clientOfLock[number]
        for message in locks[number].context.messages {
            // Messages of a disconnected lock are lost.
            guard clients[client].isConnected else {
                counts.lost += 1
                continue
            }
            counts.published += 1
            effects.append(.publish(client: client, message))
        }
        for (wait, timer) in locks[number].context.timers {
            schedule.insert(.lock(number, restartCount: locks[number].restartCount, timer), at: now + wait)
        }
        let connectionFault = locks[number].context.connectionFault
        (locks[number].context.messages, locks[number].context.timers, locks[number].context.connectionFault) = ([], [], nil)
        switch connectionFault {
        case .offline(let duration): takeOffline(number, for: duration)
        case .restart: restart(number)
        case nil: break
        }
    }

    private mutating func takeOffline(_ number: Int, for duration: Duration?) {
        counts.faults += 1
        update(number) { $0.goOffline(for: duration) }
        cutOwnConnection(number)
    }

    private mutating func restart(_ number: Int) {
        counts.faults += 1
        update(number) { $0.restart() }
        cutOwnConnection(number)
    }

    private mutating func cutOwnConnection(_ number: Int) {
        guard locks[number].hasOwnConnection else { return }
        effects.append(.cut(client: clientOfLock[number]))
        clients[clientOfLock[number]].isConnected = false
    }
}

extension Fleet {
    /// The locks as a gateway needs them: name, profile, variables of the address.
    var list: JSON {
        .list(
            locks.map { lock in
                ["name": .text(lock.name), "profile": .text(lock.profile.rawValue), "address": lock.dialect.variables]
            })
    }
}

/// An effect that the fleet requests from its runner.
enum Effect: Hashable, Sendable {
    /// Publishes on the connection with this number.
    case publish(client: Int, Message)
    /// Ends the connection without a DISCONNECT, so that the broker publishes the last will.
    case cut(client: Int)
    /// Connects again.
    case connect(client: Int)
}

/// One connection of the fleet: of a single lock, or of a bridge for many.
struct FleetClient: Sendable {
    /// The client identifier; also the name of a bridge in control commands.
    let id: String
    let filters: [String]
    let will: Message?
    /// The locks of the connection, by their numbers in the fleet.
    let locks: Range<Int>
    let bridge: Bridge?
    /// How long the runner delays its line `ready` after this connection is established.
    let guardTime: Duration
    var isConnected = false

    /// The locks of the fleet that a message is addressed to.
    func recipients(of message: Message) -> Range<Int> {
        guard let bridge, message.topic != bridge.topicOfAll else { return locks }
        return bridge.recipient(message).map { locks.dropFirst($0).prefix(1) } ?? locks.prefix(0)
    }
}

/// Counters of a fleet, for the summary at its end.
struct FleetCounts: Hashable, Sendable {
    /// Messages that the fleet received.
    var received = 0
    /// Messages published while connected.
    var published = 0
    /// Messages lost while disconnected.
    var lost = 0
    /// Times that a lock went offline or restarted, at random or by a control command.
    var faults = 0
    /// The number of random manual operations: uses of a thumb turn, and typed codes.
    var manualOperations = 0
}

extension FleetCounts {
    /// One line, for a person.
    func summary(locks: Int) -> String {
        "\(Self.count(locks, "lock")): heard \(Self.count(received, "message")), published \(published)"
            + (lost == 0 ? "" : ", \(lost) more while away")
            + ", went away \(Self.count(faults, "time")), moved by hand \(Self.count(manualOperations, "time"))"
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}

/// A queue of scheduled items by due time; items of the same time keep their insertion order.
struct EventQueue<Element: Sendable>: Sendable {
    private struct Item {
        let due: Duration
        let sequence: Int
        let element: Element

        func isBefore(_ other: Item) -> Bool { (due, sequence) < (other.due, other.sequence) }
    }

    /// A binary heap: no item is due before its parent.
    private var items: [Item] = []
    private var insertionCount = 0

    /// When the next item is due.
    var nextDue: Duration? { items.first?.due }

    mutating func insert(_ element: Element, at due: Duration) {
        items.append(Item(due: due, sequence: insertionCount, element: element))
        insertionCount += 1
        var child = items.count - 1
        while child > 0, items[child].isBefore(items[(child - 1) / 2]) {
            items.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes and returns the next item, if it is due by `now`.
    mutating func popFirst(dueBy now: Duration) -> (due: Duration, element: Element)? {
        guard let first = items.first, first.due <= now else { return nil }
        items.swapAt(0, items.count - 1)
        items.removeLast()
        siftDown()
        return (first.due, first.element)
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < items.count && items[child].isBefore(items[least]) {
                least = child
            }
            guard least != parent else { return }
            items.swapAt(parent, least)
            parent = least
        }
    }
}

/// The locks of a fleet, and their behaviour.
struct FleetPlan: Hashable, Sendable {
    /// The number of locks per dialect, in the order of the arguments. Each dialect appears once.
    var parts: [Part]
    var seed: UInt64
    var settings = FaultSettings()
    /// Rate of manual operations (thumb turn or code) over the whole fleet.
    var manualPerMinute = 0.0

    struct Part: Hashable, Sendable {
        let profile: Profile
        let count: Int
    }
}
