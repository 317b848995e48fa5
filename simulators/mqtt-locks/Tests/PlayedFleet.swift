import Testing

@testable import doorward_mqtt_locks

/// A fleet on virtual time, and what it has done.
struct PlayedFleet {
    private(set) var fleet: Fleet
    private(set) var now = Duration.zero
    /// All that was done since somebody looked.
    private(set) var effects: [Effect] = []

    static let startedAt: Int64 = 1_755_955_213_000

    init(
        _ parts: [FleetPlan.Part], seed: UInt64 = 7, manualPerMinute: Double = 0,
        _ change: (inout FaultSettings) -> Void = { _ in }
    ) {
        var plan = FleetPlan(parts: parts, seed: seed, manualPerMinute: manualPerMinute)
        plan.manner.latency = .milliseconds(100) ... .milliseconds(100)
        plan.manner.drain = 0
        change(&plan.manner)
        fleet = Fleet(plan, startedAt: Self.startedAt)
    }

    /// One lock, connected; and what it said then is forgotten.
    init(_ profile: Profile, seed: UInt64 = 7, _ change: (inout FaultSettings) -> Void = { _ in }) {
        self.init([.init(profile: profile, count: 1)], seed: seed, change)
        connect()
        // The hub's guard is over.
        pass(.seconds(7))
        _ = takeFrames()
    }

    var name: String { fleet.locks[0].name }

    mutating func connect() {
        for client in fleet.clients.indices { fleet.connected(client: client, at: now) }
        collect()
    }

    mutating func disconnect(client: Int = 0) { fleet.disconnected(client: client, at: now) }

    mutating func receive(_ topic: String, _ text: String, isRetained: Bool = false, client: Int = 0) {
        fleet.receive(Message(topic, text, isRetained: isRetained), client: client, at: now)
        collect()
    }

    /// Time passes; whatever is due on the way happens at its own time, and a connection that is wanted again stands at once.
    mutating func pass(_ time: Duration) {
        let end = now + time
        while let next = fleet.next, next <= end {
            now = max(now, next)
            fleet.advance(to: now)
            collect()
        }
        now = end
        fleet.advance(to: now)
        collect()
    }

    /// - Returns: why it could not be done.
    @discardableResult
    mutating func obey(_ line: String) throws -> String? {
        let refusal = fleet.obey(try #require(ControlCommand(line)), at: now)
        collect()
        return refusal
    }

    private mutating func collect() {
        let new = fleet.takeDeeds()
        effects += new
        for case .connect(let client) in new {
            fleet.connected(client: client, at: now)
            collect()
        }
    }

    mutating func takeDeeds() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    mutating func takeFrames() -> [Frame] {
        takeDeeds().compactMap { if case .publish(_, let frame) = $0 { frame } else { nil } }
    }

    /// Frames as a table writes them; see `Frame.row`.
    mutating func takeRows() -> [String] { takeFrames().map(\.row) }
}

extension Frame {
    /// `topic payload`, with `!` before what is acknowledged and `*` before what is retained.
    var row: String { (qos == 1 ? "!" : "") + (isRetained ? "*" : "") + "\(topic) \(String(decoding: payload, as: UTF8.self))" }
}
