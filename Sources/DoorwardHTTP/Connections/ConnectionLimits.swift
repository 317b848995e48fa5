/// How many connections may be open at a time, and how long a client may take for a request and its response.
struct ConnectionLimits: Sendable {
    /// All open connections.
    var total: Int
    /// Open connections of one `ClientNetwork`; of a trusted proxy's clients, requests in progress.
    var perNetwork: Int
    /// Timeout of an idle connection: without a request, or since the last response.
    var idle: Duration
    /// From the first byte of a request to its last.
    var request: Duration
    /// From the first byte of a request to the end of its head; at most `request`.
    var head: Duration { min(.seconds(10), request) }
    /// Time for a body before `bodyRate` is enforced.
    let bodyGrace = Duration.seconds(5)
    /// The minimum rate of a body in bytes per second, averaged since its head.
    let bodyRate = 500
    /// How long a client may read nothing of its response.
    let stall = Duration.seconds(60)

    /// Maximum number of connections that are not signed in. The rest is reserved for signed-in ones.
    var anonymous: Int { max(1, total / 2) }

    init(_ settings: HTTPSettings) {
        total = max(1, settings.maxConnections)
        perNetwork = max(1, settings.maxConnectionsPerAddress)
        (idle, request) = (settings.idleTimeout, settings.requestTimeout)
    }

    /// Open descriptors beyond `total` before accepting is paused: connections that are closing and not closed yet.
    static let closingAllowance = 32
}
