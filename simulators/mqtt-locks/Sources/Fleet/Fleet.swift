import Foundation

/// All simulated locks and their connections: broker events and control commands are the input, effects are the output. The fleet
/// has no clock, and all its random choices follow from its seed.
struct Fleet: Sendable {
    private enum Errand: Sendable {
        case lock(Int, life: Int, LockContext.TimerKind)
        case reconnect(client: Int)
        case people
    }

    private(set) var locks: [PlayedLock] = []
    private(set) var clients: [FleetClient] = []
    private(set) var counts = FleetCounts()
    private let plan: FleetPlan
    private let numbers: [String: Int]
    private let clientOfLock: [Int]
    private var now = Duration.zero
    private var agenda = EventQueue<Errand>()
    private var effects: [Effect] = []
    private var people: SeededRandom

    /// - Parameter startedAt: milliseconds since 1970.
    init(_ plan: FleetPlan, startedAt: Int64) {
        self.plan = plan
        people = SeededRandom(seed: plan.seed, stream: .max)
        var (locks, clients, clientOfLock): ([PlayedLock], [FleetClient], [Int]) = ([], [], [])
        for part in plan.parts {
            let first = locks.count
            for number in 0..<part.count {
                locks.append(Self.lock(part.profile, number + 1, stream: first + number, plan, startedAt))
            }
            for client in Self.clients(part.profile, locks, from: first, plan) {
                clientOfLock += repeatElement(clients.count, count: client.locks.count)
                clients.append(client)
            }
        }
        (self.locks, self.clients, self.clientOfLock) = (locks, clients, clientOfLock)
        numbers = Dictionary(uniqueKeysWithValues: locks.enumerated().map { ($1.name, $0) })
        for number in locks.indices { play(number) { $0.scheduleReport() } }
        schedulePeople()
    }

    private static func lock(
        _ profile: Profile, _ number: Int, stream: Int, _ plan: FleetPlan, _ startedAt: Int64
    ) -> PlayedLock {
        var random = SeededRandom(seed: plan.seed, stream: UInt64(stream))
        let dialect = profile.dialect(number: number, &random)
        return PlayedLock(
            name: "\(profile.rawValue)-\(number)", dialect: dialect,
            context: LockContext(plan.manner, startedAt: startedAt, random: random))
    }

    private static func clients(_ profile: Profile, _ locks: [PlayedLock], from first: Int, _ plan: FleetPlan) -> [FleetClient] {
        let range = first..<locks.count
        let variables = locks[range].map(\.dialect.variables)
        guard !range.isEmpty, let bridge = profile.bridge(variables, announcesItself: plan.manner.announcesItself) else {
            return range.map { number in
                let lock = locks[number]
                return FleetClient(
                    id: lock.name, filters: lock.dialect.filters, will: lock.dialect.will, locks: number..<number + 1,
                    bridge: nil, guardTime: profile.guardTime)
            }
        }
        return [
            FleetClient(
                id: profile.rawValue, filters: bridge.filters, will: bridge.will, locks: range, bridge: bridge,
                guardTime: profile.guardTime)
        ]
    }

    /// When the next scheduled item is due.
    var next: Duration? { agenda.next }

    /// Removes and returns the pending effects, in order.
    mutating func takeDeeds() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    // MARK: - Broker events

    mutating func connected(client number: Int, at now: Duration) {
        self.now = now
        clients[number].isConnected = true
        let wall = (locks.first?.context.startedAt ?? 0) + now.milliseconds
        for frame in clients[number].bridge?.greeting(wallMilliseconds: wall) ?? [] {
            effects.append(.publish(client: number, frame))
        }
        for lock in clients[number].locks { play(lock) { $0.connect() } }
    }

    mutating func disconnected(client number: Int, at now: Duration) {
        self.now = now
        clients[number].isConnected = false
    }

    mutating func receive(_ message: Message, client number: Int, at now: Duration) {
        self.now = now
        counts.heard += 1
        for lock in clients[number].recipients(of: message) { play(lock) { $0.receive(message) } }
    }

    // MARK: - Time

    /// Runs every item that is due by `now`, each at its own time.
    mutating func advance(to now: Duration) {
        while let (due, errand) = agenda.take(by: now) {
            self.now = max(self.now, due)
            switch errand {
            case .lock(let number, let life, let cue):
                guard locks[number].life == life || cue == .back else { continue }
                wake(number, cue)
            case .reconnect(let client): effects.append(.connect(client: client))
            case .people: letPeopleAct()
            }
        }
        self.now = max(self.now, now)
    }

    private mutating func wake(_ number: Int, _ cue: LockContext.TimerKind) {
        if cue == .back, locks[number].isOnItsOwn {
            effects.append(.connect(client: clientOfLock[number]))
            return
        }
        play(number) { $0.wake(cue) }
        if cue == .report, let interval = plan.manner.reportEvery {
            agenda.note(.lock(number, life: locks[number].life, .report), at: now + interval)
        }
    }

    // MARK: - Control commands

    /// - Returns: why the command cannot be executed; `nil` if it was executed.
    mutating func obey(_ order: ControlCommand, at now: Duration) -> String? {
        self.now = now
        if let client = clients.firstIndex(where: { $0.id == order.target && $0.bridge != nil }) {
            return obey(order.act, bridge: client)
        }
        guard let number = numbers[order.target] else { return "there is no lock \(order.target)" }
        switch order.act {
        case .keypad where !type(of: locks[number].dialect).hasKeypad: return "\(order.target) has no keypad"
        case .offline: leave(number, for: nil)
        case .online:
            if locks[number].isOnItsOwn {
                if !locks[number].context.isReachable { effects.append(.connect(client: clientOfLock[number])) }
            } else {
                play(number) { $0.comeBack() }
            }
        case .reboot: restart(number)
        default: play(number) { order.act.carryOut(on: &$0) }
        }
        return nil
    }

    private mutating func obey(_ act: ControlCommand.Act, bridge: Int) -> String? {
        switch act {
        case .offline, .reboot:
            effects.append(.cut(client: bridge))
            clients[bridge].isConnected = false
            if act == .reboot { agenda.note(.reconnect(client: bridge), at: now + plan.manner.restart) }
        case .online: if !clients[bridge].isConnected { effects.append(.connect(client: bridge)) }
        default: return "\(clients[bridge].id) is a bridge: it can go offline, online, or reboot"
        }
        return nil
    }

    private mutating func schedulePeople() {
        guard plan.manualPerMinute > 0, !locks.isEmpty else { return }
        // Independent events have exponentially distributed intervals; long ones are capped.
        let wait = min(10, -Foundation.log(1 - people.share())) * 60 / plan.manualPerMinute
        agenda.note(.people, at: now + .milliseconds(Int64(wait * 1000)))
    }

    private mutating func letPeopleAct() {
        schedulePeople()
        let number = Int.random(in: locks.indices, using: &people)
        counts.byHand += 1
        let types = type(of: locks[number].dialect).hasKeypad && people.happens(0.3)
        play(number) { types ? $0.typeCode(slot: 1) : $0.turn() }
    }

    // MARK: - Locks

    /// Changes one lock, and processes the messages, timers and connection faults that follow.
    private mutating func play(_ number: Int, _ happening: (inout PlayedLock) -> Void) {
        locks[number].context.now = now
        happening(&locks[number])
        settle(number)
    }

    private mutating func settle(_ number: Int) {
        let client = clientOfLock[number]
        for frame in locks[number].context.frames {
            // Messages of a disconnected lock are lost.
            guard clients[client].isConnected else {
                counts.unsaid += 1
                continue
            }
            counts.said += 1
            effects.append(.publish(client: client, frame))
        }
        for (wait, cue) in locks[number].context.cues {
            agenda.note(.lock(number, life: locks[number].life, cue), at: now + wait)
        }
        let fate = locks[number].context.fate
        (locks[number].context.frames, locks[number].context.cues, locks[number].context.fate) = ([], [], nil)
        switch fate {
        case .offline(let absence): leave(number, for: absence)
        case .restart: restart(number)
        case nil: break
        }
    }

    private mutating func leave(_ number: Int, for absence: Duration?) {
        counts.faults += 1
        play(number) { $0.goAway(for: absence) }
        cutIfOnItsOwn(number)
    }

    private mutating func restart(_ number: Int) {
        counts.faults += 1
        play(number) { $0.restart() }
        cutIfOnItsOwn(number)
    }

    private mutating func cutIfOnItsOwn(_ number: Int) {
        guard locks[number].isOnItsOwn else { return }
        effects.append(.cut(client: clientOfLock[number]))
        clients[clientOfLock[number]].isConnected = false
    }
}
