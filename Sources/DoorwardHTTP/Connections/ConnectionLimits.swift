/// The limits on open connections, and the timeouts of requests and responses.
struct ConnectionLimits: Sendable {
    /// Maximum number of open connections.
    var total: Int
    /// Maximum number of open connections of one `ClientNetwork`. For clients behind a trusted proxy, it is the maximum number of
    /// requests in progress of one network.
    var perNetwork: Int
    /// Timeout of an idle connection, from its opening or from the end of its last response.
    var idle: Duration
    /// Timeout of a request, from its first byte to its last.
    var request: Duration
    /// Timeout from the first byte of a request to the end of its head; at most `request`.
    var head: Duration { min(.seconds(10), request) }
    /// Time for a body before `bodyRate` is enforced.
    let bodyGrace = Duration.seconds(5)
    /// The minimum rate of a body in bytes per second, averaged since its head.
    let bodyRate = 500
    /// Maximum number of bytes of one request, with the framing of its body: the largest body in chunks of one byte fits in.
    let requestBytes = 1 << 20
    /// Maximum number of bytes that are received after an early response, and the time to receive them. An early response is
    /// complete before its request is.
    let drainBytes = 64 * 1024
    let drain = Duration.seconds(1)
    /// Timeout of a client that reads nothing of its response.
    let stall = Duration.seconds(60)

    /// Maximum number of connections that are not signed in. The rest is reserved for signed-in connections.
    var anonymous: Int { max(1, total / 2) }

    /// Maximum number of live streams. The rest is reserved for requests, such as the unlocking of a door.
    var streams: Int { max(1, total / 4 * 3) }

    init(_ settings: HTTPSettings) {
        total = max(1, settings.maxConnections)
        perNetwork = max(1, settings.maxConnectionsPerAddress)
        (idle, request) = (settings.idleTimeout, settings.requestTimeout)
    }

    /// The number by which the open descriptors may exceed `total` before accepting is paused. It
    /// covers connections that are being closed.
    static let closingAllowance = 32
}
