internal import DoorwardDomain
internal import Logging
internal import NIOCore
internal import Synchronization

/// All open connections, and the limits on them.
///
/// When a limit is reached, connections that are not signed in are evicted for new ones. A client that sends its request at once
/// is therefore served even if other clients hold many idle connections.
final class ConnectionTable: Sendable {
    fileprivate struct State {
        var connections: [ObjectIdentifier: ClientConnection] = [:]
        var perNetwork: [ClientNetwork: Int] = [:]
        /// Requests in progress of the clients behind trusted proxies.
        var forwarded: [ClientNetwork: Int] = [:]
        var signedIn = 0
        /// The last time that a reached limit was logged.
        var loggedAt: MonotonicInstant?
    }

    let limits: ConnectionLimits
    private let proxies: TrustedProxies
    private let clock: any GatewayClock
    private let logger: Logger
    private let state = Mutex(State())

    init(_ limits: ConnectionLimits, proxies: TrustedProxies, clock: any GatewayClock, logger: Logger) {
        (self.limits, self.proxies, self.clock, self.logger) = (limits, proxies, clock, logger)
    }

    var now: MonotonicInstant { clock.monotonicNow() }

    /// The number of open connections, and of those without a sign-in.
    var counts: (open: Int, anonymous: Int) {
        state.withLock { ($0.connections.count, $0.connections.count - $0.signedIn) }
    }

    // MARK: - Opening and closing

    /// Registers an accepted connection, and closes others to make room for it.
    ///
    /// - Parameters:
    ///   - id: identifies the channel while it is open.
    ///   - address: the address of the peer, without its port.
    /// - Returns: `nil` if there is no room: the caller must close the connection.
    func open(_ id: ObjectIdentifier, address: String?, close: @escaping @Sendable () -> Void) -> ClientConnection? {
        let now = now
        let connection = ClientConnection(PeerAddress(address, proxies: proxies), openedAt: now, close: close)
        let (isAdmitted, evicted, isToLog) = state.withLock { state in
            let (isAdmitted, evicted) = state.makeRoom(for: connection, limits)
            if isAdmitted { state.insert(connection, id) }
            return (isAdmitted, evicted, (!isAdmitted || !evicted.isEmpty) && state.isTimeToLog(now))
        }
        for connection in evicted { connection.close() }
        if isToLog {
            logger.warning(
                "connection limit reached: connections without a sign-in are closed to make room",
                metadata: ["limit": .stringConvertible(limits.total), "perAddress": .stringConvertible(limits.perNetwork)])
        }
        return isAdmitted ? connection : nil
    }

    /// The connection of a channel, if it was admitted and is open.
    func connection(_ id: ObjectIdentifier) -> ClientConnection? { state.withLock { $0.connections[id] } }

    func remove(_ id: ObjectIdentifier, _ connection: ClientConnection) {
        state.withLock { if $0.connections[id] === connection { $0.remove(id) } }
    }

    /// Records whether the connection is signed in: whether its last request that required authentication was authenticated.
    func setSignedIn(_ id: ObjectIdentifier, _ isSignedIn: Bool) {
        state.withLock { state in
            guard let connection = state.connections[id], connection.setSignedIn(isSignedIn) else { return }
            state.signedIn += isSignedIn ? 1 : -1
        }
    }

    /// Closes at most `count` evictable connections, in the order of `evict`, to free descriptors.
    func closeOldest(_ count: Int) {
        let evicted = state.withLock { $0.evict(count) { _ in true } }
        for connection in evicted { connection.close() }
    }

    // MARK: - Requests through trusted proxies

    /// Counts a request of a client behind a trusted proxy as in progress until `finishForwarded`.
    ///
    /// - Returns: false if the client already has as many requests in progress as one address may have connections.
    func beginForwarded(_ network: ClientNetwork) -> Bool {
        state.withLock { state in
            guard state.forwarded[network, default: 0] < limits.perNetwork else { return false }
            state.forwarded[network, default: 0] += 1
            return true
        }
    }

    /// The number of requests in progress of a client behind a trusted proxy.
    func forwardedCount(of network: ClientNetwork) -> Int { state.withLock { $0.forwarded[network, default: 0] } }

    func finishForwarded(_ network: ClientNetwork) {
        state.withLock { state in
            let count = state.forwarded[network, default: 0] - 1
            state.forwarded[network] = count > 0 ? count : nil
        }
    }

    // MARK: - Time

    /// Closes every connection whose client exceeds a timeout. Runs until the task is cancelled.
    func enforceTimeLimits(every interval: Duration = .seconds(1)) async {
        while (try? await clock.sleep(until: now.advanced(by: interval))) != nil { closeOverdue() }
    }

    func closeOverdue() {
        let now = now
        let overdue = state.withLock { state in
            let overdue = state.connections.filter { $0.value.isOverdue(limits, at: now) }
            for id in overdue.keys { state.remove(id) }
            return overdue
        }
        for connection in overdue.values { connection.close() }
    }
}

extension ConnectionTable.State {
    mutating func insert(_ connection: ClientConnection, _ id: ObjectIdentifier) {
        connections[id] = connection
        if connection.countsForNetwork { perNetwork[connection.network, default: 0] += 1 }
    }

    mutating func remove(_ id: ObjectIdentifier) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        if connection.isSignedIn { signedIn -= 1 }
        guard connection.countsForNetwork else { return }
        let count = perNetwork[connection.network, default: 0] - 1
        perNetwork[connection.network] = count > 0 ? count : nil
    }

    /// - Returns: whether there is room for the connection, and the connections that were removed for it, which the caller must close.
    mutating func makeRoom(
        for new: ClientConnection, _ limits: ConnectionLimits
    ) -> (isAdmitted: Bool, evicted: [ClientConnection]) {
        var evicted: [ClientConnection] = []
        // Evict several at once, so that a flood of connections does not need a search for each of them.
        if new.countsForNetwork, perNetwork[new.network, default: 0] >= limits.perNetwork {
            evicted += evict(max(1, limits.perNetwork / 16)) { $0.countsForNetwork && $0.network == new.network }
            if evicted.isEmpty { return (false, []) }
        }
        if connections.count >= limits.total || connections.count - signedIn >= limits.anonymous {
            let others = evict(max(1, limits.anonymous / 16)) { _ in true }
            evicted += others
            if others.isEmpty { return (false, evicted) }
        }
        return (true, evicted)
    }

    /// Removes at most `count` evictable connections. The network with the most connections comes
    /// first; within a network, the oldest connections come first.
    mutating func evict(_ count: Int, _ matches: (ClientConnection) -> Bool) -> [ClientConnection] {
        var candidates: [(id: ObjectIdentifier, connection: ClientConnection, share: Int, since: MonotonicInstant)] = []
        for (id, connection) in connections where matches(connection) {
            guard let since = connection.evictableSince else { continue }
            candidates.append((id, connection, perNetwork[connection.network, default: 0], since))
        }
        candidates.sort { ($1.share, $0.since) < ($0.share, $1.since) }
        for candidate in candidates.prefix(count) { remove(candidate.id) }
        return candidates.prefix(count).map(\.connection)
    }

    /// Whether to log now: at most one line a minute.
    mutating func isTimeToLog(_ now: MonotonicInstant) -> Bool {
        if let loggedAt, now.duration(since: loggedAt) < .seconds(60) { return false }
        loggedAt = now
        return true
    }
}
