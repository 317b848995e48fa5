/// One connection of the fleet: a lock's own, or that of the bridge that speaks for many.
struct FleetClient: Sendable {
    /// What the broker tells connections apart by; also what a person calls a bridge.
    let id: String
    let filters: [String]
    let will: Frame?
    /// Its locks, by their numbers in the fleet.
    let locks: Range<Int>
    let bridge: (any Bridge)?
    /// What `ready` waits for after it has connected.
    let guardTime: Duration
    var isConnected = false

    /// Which locks of the fleet a message is for.
    func hearers(of message: Message) -> Range<Int> {
        guard let bridge else { return locks }
        switch bridge.hearers(of: message) {
        case .nobody: return locks.lowerBound..<locks.lowerBound
        case .one(let number): return locks.lowerBound + number..<locks.lowerBound + number + 1
        case .everybody: return locks
        }
    }
}
