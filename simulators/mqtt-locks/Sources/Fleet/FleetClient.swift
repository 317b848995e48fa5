/// One connection of the fleet: of a single lock, or of a bridge for many.
struct FleetClient: Sendable {
    /// The client identifier; also the name of a bridge in control commands.
    let id: String
    let filters: [String]
    let will: OutgoingMessage?
    /// The locks of the connection, by their numbers in the fleet.
    let locks: Range<Int>
    let bridge: (any Bridge)?
    /// How long the runner delays its line `ready` after this connection is established.
    let guardTime: Duration
    var isConnected = false

    /// The locks of the fleet that a message is addressed to.
    func recipients(of message: IncomingMessage) -> Range<Int> {
        guard let bridge else { return locks }
        switch bridge.recipients(of: message) {
        case .noLock: return locks.lowerBound..<locks.lowerBound
        case .lock(let number): return locks.lowerBound + number..<locks.lowerBound + number + 1
        case .allLocks: return locks
        }
    }
}
