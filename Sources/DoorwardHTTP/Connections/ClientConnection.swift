internal import DoorwardDomain
internal import Synchronization

/// An open client connection: its state, when that state began, and whether a user is signed in.
final class ClientConnection: Sendable {
    /// The connection whose requests the current task handles; `nil` in tasks that handle none.
    @TaskLocal static var current: ClientConnection?

    let peer: PeerAddress
    /// The network of the peer's address; the peer is a client or a trusted proxy.
    let network: ClientNetwork
    /// Whether the connection counts towards the limit of `network`. A connection of a trusted proxy does not count.
    var countsForNetwork: Bool { !peer.isTrustedProxy }
    private let closeChannel: @Sendable () -> Void
    private let state: Mutex<State>

    private struct State {
        /// When the connection was opened, or the last response ended.
        var idleSince: MonotonicInstant
        /// The time of the first byte of a request that is not complete.
        var receivingSince: MonotonicInstant?
        /// The time at which the head of that request was complete.
        var bodySince: MonotonicInstant?
        var bodyBytes = 0
        /// The bytes of that request, with its framing.
        var requestBytes = 0
        /// The bytes received after an early response to that request; `nil` if it has no response yet.
        var drainedBytes: Int?
        /// Requests whose head has arrived and whose response has not been written completely.
        var unanswered = 0
        /// When the client stopped reading, so that the connection accepts no more response bytes; `nil` while it accepts them.
        var stalledSince: MonotonicInstant?
        var isSignedIn = false

        /// Whether a response to a complete request is in progress. The client may be sending another request meanwhile.
        var isBeingAnswered: Bool { unanswered > (bodySince == nil ? 0 : 1) }
    }

    /// - Parameter close: closes the channel from any thread.
    init(_ peer: PeerAddress, openedAt now: MonotonicInstant, close: @escaping @Sendable () -> Void) {
        (self.peer, network, closeChannel) = (peer, ClientNetwork(peer.text), close)
        state = Mutex(State(idleSince: now))
    }

    func close() { closeChannel() }

    var isSignedIn: Bool { state.withLock { $0.isSignedIn } }

    /// - Returns: whether the value changed.
    func setSignedIn(_ isSignedIn: Bool) -> Bool {
        state.withLock { state in
            defer { state.isSignedIn = isSignedIn }
            return state.isSignedIn != isSignedIn
        }
    }

    // MARK: - Reports of the handlers

    /// - Returns: false if the request is too long, or too much of it was sent after an early response: the caller must close the
    ///   connection.
    func receivedBytes(_ count: Int, _ limits: ConnectionLimits, at now: MonotonicInstant) -> Bool {
        state.withLock { state in
            if state.receivingSince == nil { state.receivingSince = now }
            state.requestBytes += count
            guard let drained = state.drainedBytes else { return state.requestBytes <= limits.requestBytes }
            state.drainedBytes = drained + count
            return drained + count <= limits.drainBytes
        }
    }

    func receivedHead(at now: MonotonicInstant) {
        state.withLock { ($0.bodySince, $0.bodyBytes, $0.unanswered) = (now, 0, $0.unanswered + 1) }
    }

    func receivedBody(_ bytes: Int) { state.withLock { $0.bodyBytes += bytes } }

    func receivedEnd() {
        state.withLock { state in
            (state.receivingSince, state.bodySince) = (nil, nil)
            (state.requestBytes, state.drainedBytes) = (0, nil)
        }
    }

    /// - Returns: whether this is an early response, the first one to its request: the caller must close the connection after
    ///   `ConnectionLimits.drain` unless the request ends before.
    func answered(at now: MonotonicInstant) -> Bool {
        state.withLock { state in
            // Without an unanswered request, this is the response to a head that cannot be parsed.
            let isEarly = state.drainedBytes == nil && state.unanswered <= (state.bodySince == nil ? 0 : 1)
            if isEarly { state.drainedBytes = 0 }
            (state.unanswered, state.idleSince) = (max(0, state.unanswered - 1), now)
            // The timeout for the head of the next request, or for a line break after a body, begins here.
            if state.bodySince == nil, state.receivingSince != nil { state.receivingSince = now }
            return isEarly
        }
    }

    func becameWritable(_ isWritable: Bool, at now: MonotonicInstant) {
        state.withLock { $0.stalledSince = isWritable ? nil : $0.stalledSince ?? now }
    }

    // MARK: - Timeouts and eviction

    /// Whether the client has exceeded one of the timeouts.
    func isOverdue(_ limits: ConnectionLimits, at now: MonotonicInstant) -> Bool {
        state.withLock { state in
            if let since = state.stalledSince, now.duration(since: since) >= limits.stall { return true }
            if state.isBeingAnswered { return false }
            guard let since = state.receivingSince else { return now.duration(since: state.idleSince) >= limits.idle }
            let elapsed = now.duration(since: since)
            if elapsed >= limits.request { return true }
            guard let bodySince = state.bodySince else { return elapsed >= limits.head }
            let bodyTime = now.duration(since: bodySince)
            return bodyTime >= limits.bodyGrace && state.bodyBytes < limits.bodyRate * Int(bodyTime.components.seconds)
        }
    }

    /// The time since which the gateway has been waiting for this client. `nil` for a connection that must not be evicted,
    /// because it is signed in, or because a response is in progress and the client reads it.
    var evictableSince: MonotonicInstant? {
        state.withLock { state in
            if state.isSignedIn { return nil }
            if let since = state.stalledSince { return since }
            return state.isBeingAnswered ? nil : state.receivingSince ?? state.idleSince
        }
    }
}

/// The address at the other end of a connection. It is parsed once for all requests of the connection.
struct PeerAddress: Sendable {
    /// The parsed address; `nil` if the transport has none.
    let address: IPAddress?
    /// The canonical text of the address, without its port; `nil` if the transport has none.
    let text: String?
    /// Whether the peer is a proxy whose `X-Forwarded-For` is trusted.
    let isTrustedProxy: Bool

    /// - Parameter text: the address without a port; `nil` if the transport has none.
    init(_ text: String?, proxies: TrustedProxies) {
        address = text.flatMap { IPAddress($0) }
        self.text = address?.description ?? text
        isTrustedProxy = address.map { proxies.isTrusted($0) } ?? false
    }
}

/// The unit in which clients are counted: an IPv4 address, or the first 64 bits of an IPv6 address. One household or server
/// usually gets all addresses of such an IPv6 network.
struct ClientNetwork: Hashable, Sendable {
    /// `nil` for an unknown address.
    private let text: String?

    /// - Parameter address: an address without a port; any other text counts as unknown.
    init(_ address: String?) { text = address.flatMap { IPAddress($0) }?.network(ofIPv6Bits: 64) }
}
