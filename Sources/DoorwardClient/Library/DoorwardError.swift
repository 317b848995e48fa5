/// Why a call of the library failed.
public enum DoorwardError: Error, Equatable, Sendable {
    /// The gateway was not reached; nothing was sent. A sentence for a person.
    case notConnected(String)
    /// The request was sent, and no complete response arrived: whether it had an effect is unknown. A sentence for a person.
    case noResponse(String)
    /// The gateway refused the request.
    case refused(Refusal)
    /// There is no session: call `signIn` first.
    case notSignedIn
    /// The session or API key is no longer accepted; the person must sign in again.
    case sessionEnded
    /// The address, the certificates or the stored session cannot be used. A sentence for a person.
    case unusable(String)
    /// The object is not here: it was deleted, it is not visible to the person, or its data has not been loaded.
    case notLoaded
    /// The person has lost the right to everything that the subscription selected.
    case revoked
    /// The data did not arrive in time.
    case timedOut
    /// A subscription with this name and another query exists; replace it explicitly.
    case nameInUse(String)
    /// A view has read what it did not declare in its `needs`.
    case undeclared(Need)
    /// The server sent something that this library cannot read.
    case unreadable(String)

    /// A refusal of the gateway.
    public struct Refusal: Equatable, Sendable {
        /// The HTTP status.
        public var status: Int
        /// The stable error code for programs.
        public var code: String
        /// One sentence for a person.
        public var message: String
        /// Why access was denied; `nil` if the person may not see the reason, or for an error of another kind.
        public var reason: Doorward.DenialReason?
        /// When a denied guest access opens.
        public var opensAt: Doorward.Instant?
        /// When a guest access ends or ended.
        public var closesAt: Doorward.Instant?
        /// The disabled module of the subscription.
        public var missingModule: Doorward.Module?
        /// The lowest role that has the right.
        public var missingRole: Doorward.Role?
        /// The invalid fields of the request, with their problems.
        public var fields: [String: String]
        /// The id of the command that the error is about.
        public var commandID: String?
        /// Seconds to wait before another attempt.
        public var retryAfter: Int?
        /// Identifies the request in the gateway's log.
        public var requestID: String?

        /// Creates an instance with the services that it uses.
        public init(status: Int, code: String, message: String = "") {
            (self.status, self.code, self.message, fields) = (status, code, message, [:])
        }
    }

    /// Whether another attempt can succeed without a change by a person.
    public var isTransient: Bool {
        switch self {
        case .notConnected, .noResponse, .timedOut, .unreadable: true
        case .refused(let refusal): refusal.status == 429 || refusal.status >= 500
        case .notSignedIn, .sessionEnded, .unusable, .notLoaded, .revoked, .nameInUse, .undeclared: false
        }
    }
}

extension DoorwardError {
    /// Converts the error of a request.
    package init(_ error: ClientError) {
        switch error {
        case .noConnection(let server, let why): self = .notConnected("\(server): \(why)")
        case .tlsFailed(let server, let why): self = .unusable("\(server): \(why)")
        case .noResponse(let server, let why): self = .noResponse("\(server): \(why)")
        case .refused(let error) where error.status == 401: self = .sessionEnded
        case .refused(let error): self = .refused(Refusal(error))
        case .notAGateway(let server): self = .unreadable("the response of \(server) is not one of a gateway")
        case .notSignedIn: self = .notSignedIn
        case .sessionExpired: self = .sessionEnded
        case .badAddress(let address, let why): self = .unusable("\(address): \(why)")
        case .sessionFile(let path, let why), .authorityFile(let path, let why): self = .unusable("\(path): \(why)")
        }
    }

    /// Runs a request, and converts its error. Cancellation stays what it is.
    package static func converting<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        do { return try await body() } catch let error as ClientError { throw DoorwardError(error) }
    }
}

extension DoorwardError.Refusal {
    init(_ error: APIError) {
        self.init(status: error.status, code: error.code, message: error.message)
        let denial = error.denial
        (reason, opensAt, closesAt) = (denial?.reason, denial?.opensAt, denial?.closesAt)
        (missingModule, missingRole) = (denial?.missing?.module, denial?.missing?.role)
        fields = Dictionary(error.fields.map { ($0.field, $0.problem) }) { first, _ in first }
        (commandID, retryAfter, requestID) = (error.command?.id, error.retryAfter, error.requestID)
    }
}
