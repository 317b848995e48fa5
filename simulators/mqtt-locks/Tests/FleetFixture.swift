import Testing

@testable import doorward_mqtt_locks

/// A fleet on virtual time, with a record of its effects.
struct FleetFixture {
    private(set) var fleet: Fleet
    private(set) var now = Duration.zero
    /// The effects since the last call of a `take…` function.
    private(set) var effects: [Effect] = []

    static let startedAt: Int64 = 1_755_955_213_000

    init(
        _ parts: [FleetPlan.Part], seed: UInt64 = 7, manualPerMinute: Double = 0,
        _ change: (inout FaultSettings) -> Void = { _ in }
    ) {
        var plan = FleetPlan(parts: parts, seed: seed, manualPerMinute: manualPerMinute)
        plan.settings.latency = .milliseconds(100) ... .milliseconds(100)
        plan.settings.drain = 0
        change(&plan.settings)
        fleet = Fleet(plan, startedAt: Self.startedAt)
    }

    /// Makes a fleet of one connected lock, without its first messages.
    init(_ profile: Profile, seed: UInt64 = 7, _ change: (inout FaultSettings) -> Void = { _ in }) {
        self.init([.init(profile: profile, count: 1)], seed: seed, change)
        connect()
        // Skips the time in which Nuki Hub ignores actions after connecting.
        advance(by: .seconds(7))
        _ = takeMessages()
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

    /// Advances the time. Each due event happens at its own time, and a requested connection is established at once.
    mutating func advance(by time: Duration) {
        let end = now + time
        while let next = fleet.nextDue, next <= end {
            now = max(now, next)
            fleet.advance(to: now)
            collect()
        }
        now = end
        fleet.advance(to: now)
        collect()
    }

    /// - Returns: the reason why the command could not be executed, or `nil`.
    @discardableResult
    mutating func execute(_ line: String) throws -> String? {
        let problem = fleet.execute(try #require(ControlCommand(line)), at: now)
        collect()
        return problem
    }

    private mutating func collect() {
        let new = fleet.takeEffects()
        effects += new
        for case .connect(let client) in new {
            fleet.connected(client: client, at: now)
            collect()
        }
    }

    mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    mutating func takeMessages() -> [Message] {
        takeEffects().compactMap { if case .publish(_, let message) = $0 { message } else { nil } }
    }

    /// Returns the messages since the last call as lines of text; see `Message.line`.
    mutating func takeLines() -> [String] { takeMessages().map(\.line) }
}

extension Message {
    /// `topic payload`, with the prefix `!` for QoS 1 and `*` for a retained message.
    var line: String { (qos == 1 ? "!" : "") + (isRetained ? "*" : "") + "\(topic) \(text)" }
}
