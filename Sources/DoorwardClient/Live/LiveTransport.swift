internal import FoundationEssentials
internal import NIOHTTP1

/// A subscription as it is sent to the gateway.
package struct StreamSubscription: Codable, Hashable, Sendable {
    /// The type of the objects.
    package let type: StreamType
    /// The filters, percent-encoded.
    package let query: String

    /// Creates the subscription of a need.
    init(_ need: Need) { (type, query) = (need.type, need.query) }
}

/// The request for a stream.
package struct StreamRequest: Equatable, Sendable {
    /// All names and what they select.
    package let subscriptions: [String: StreamSubscription]
    /// The id of the last event that was received with these names; `nil` for a new stream.
    package let lastEventID: String?
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
    /// The stream is being opened, for the first time or again. A reconnection is not an error.
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
    /// The maximum wait after the app was woken or the network has returned.
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

/// What happens to the connection of a stream.
package enum LiveConnectionEvent: Sendable {
    /// The stream was not opened.
    case failed(ClientError)
    /// The gateway has opened the stream.
    case opened
}

extension DoorwardClient {
    /// Returns the live stream with the credentials of this client. It is opened with the first subscription.
    ///
    /// - Parameter observe: called for each attempt to open the stream, before its subscriptions receive anything.
    package func live(
        clock: any LiveClock = SystemLiveClock(), observe: @escaping @Sendable (LiveConnectionEvent) -> Void = { _ in }
    ) -> Live {
        Live(transport: HTTPLiveTransport(client: self, observe: observe), clock: clock)
    }
}

/// The requests of the live stream over HTTP.
struct HTTPLiveTransport: LiveTransport {
    let client: DoorwardClient
    let observe: @Sendable (LiveConnectionEvent) -> Void

    func renew() async throws { try await observing { try await client.renew() } }

    func open(_ request: StreamRequest, receive: @escaping @Sendable ([UInt8]) async -> Void) async throws {
        let response = try await observing {
            var opening = try APIRequest(.POST, ["stream"], body: ["subscriptions": request.subscriptions])
            opening.headers = [("Accept", "text/event-stream")]
            if let position = request.lastEventID { opening.headers.append(("Last-Event-ID", position)) }
            let response = try await client.open(opening)
            if !response.isSuccess { try response.requireSuccess(try await response.whole()) }
            return response
        }
        observe(.opened)
        try await DoorwardError.converting {
            try await response.read { part in
                await receive(part)
                return true
            }
        }
    }

    private func observing<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await DoorwardError.converting {
            do {
                return try await body()
            } catch let error as ClientError {
                observe(.failed(error))
                throw error
            }
        }
    }

    func put(_ name: String, _ subscription: StreamSubscription, stream: String) async throws {
        try await DoorwardError.converting {
            try await client.perform(.put("stream", stream, "subscriptions", name, body: subscription))
        }
    }

    func delete(_ name: String, stream: String) async throws {
        try await DoorwardError.converting {
            try await client.perform(APIRequest(.DELETE, "stream", stream, "subscriptions", name))
        }
    }
}

/// The time that the client uses. Tests replace it by a virtual clock.
public protocol LiveClock: Sendable {
    /// The wall time.
    var now: Doorward.Instant { get }
    /// The time since some start. It also advances while the machine sleeps.
    var uptime: Duration { get }
    /// Suspends until `uptime` reaches an instant.
    ///
    /// - Throws: `CancellationError`.
    func sleep(until instant: Duration) async throws
}

/// The clock of the machine.
public struct SystemLiveClock: LiveClock {
    private static let start = ContinuousClock.now

    public init() {}

    /// The wall time.
    public var now: Doorward.Instant { Doorward.Instant(Date()) }
    /// The time since some start.
    public var uptime: Duration { ContinuousClock.now - Self.start }
    /// Suspends until the time is reached. Throws `CancellationError`.
    public func sleep(until instant: Duration) async throws {
        try await Task.sleep(until: Self.start + instant, tolerance: .milliseconds(20), clock: ContinuousClock())
    }
}
