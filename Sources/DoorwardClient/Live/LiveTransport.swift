/// A subscription as it is sent to the gateway.
package struct StreamSubscription: Codable, Hashable, Sendable {
    /// The type of the objects.
    package let type: StreamType
    /// The filters, percent-encoded.
    package let query: String

    package init(type: StreamType, query: String) { (self.type, self.query) = (type, query) }
    /// Creates the subscription of a need.
    package init(_ need: Need) { self.init(type: need.type, query: need.query) }
}

/// The request for a stream.
package struct StreamRequest: Equatable, Sendable {
    /// All names and what they select.
    package let subscriptions: [String: StreamSubscription]
    /// The id of the last event that was received with these names; `nil` for a new stream.
    package let lastEventID: String?

    package init(subscriptions: [String: StreamSubscription], lastEventID: String?) {
        (self.subscriptions, self.lastEventID) = (subscriptions, lastEventID)
    }
}

/// Sends the requests of the live stream. All functions throw `DoorwardError`, or `CancellationError`.
package protocol LiveTransport: Sendable {
    /// Obtains a fresh token, before a stream is opened again.
    func renew() async throws
    /// Opens a stream, and passes the pieces of its body on until it ends. The next piece is not read before `receive` returns.
    func open(_ request: StreamRequest, receive: @escaping @Sendable ([UInt8]) async -> Void) async throws
    /// Adds a name to an open stream, or replaces its query.
    func put(_ name: String, _ subscription: StreamSubscription, stream: String) async throws
    /// Removes a name from an open stream.
    func delete(_ name: String, stream: String) async throws
}

/// The state of the connection.
public enum LiveStatus: Equatable, Sendable {
    /// Nothing is subscribed, so there is no connection.
    case idle
    /// The stream is being opened, for the first time or again. A reconnection is no error.
    case connecting
    /// The stream is open.
    case live
    /// The gateway has been silent since this instant, for 45 seconds or more. What is shown may have changed.
    case stale(since: Doorward.Instant)
    /// The stream has ended and is not opened again, such as after the session has ended.
    case ended(DoorwardError)
}

/// When a stream is opened again, and when it counts as stale.
package enum LiveTiming {
    /// Silence after which the connection counts as stale.
    package static let staleAfter = Duration.seconds(45)
    /// The bound of the first wait.
    package static let minDelay = Duration.milliseconds(500)
    /// The bound of every wait.
    package static let maxDelay = Duration.seconds(30)
    /// A connection of this age makes the next wait short again.
    package static let quietLife = Duration.seconds(60)
    /// The bound of the wait after the app was woken, or the network has returned.
    package static let wakeDelay = Duration.seconds(1)

    /// Full jitter: a random wait between zero and a bound that doubles with each attempt.
    ///
    /// - Parameters:
    ///   - attempt: 0 for the first attempt after a connection.
    ///   - random: in [0, 1).
    package static func delay(attempt: Int, random: Double) -> Duration {
        let bound = min(maxDelay, minDelay * (1 << min(attempt, 10)))
        return bound * random
    }
}
