package import DoorwardDomain

/// Every way in which a use case can end without doing what was asked. The HTTP layer maps it to statuses in one place.
package enum GatewayError: Error, Sendable {
    /// The request says something that cannot be: each mistake with its field.
    case invalid([FieldProblem])
    /// The sign-in is missing, wrong or over.
    case unauthenticated
    /// The decision; what of it the caller may see depends on `Denial.hasReach`.
    case denied(Denial, operation: LockOperation?, deviceID: DeviceID?)
    /// The caller may know that this does not exist: a child under a parent in reach, or anything for the super admin.
    case notFound
    /// What is to be made is there already.
    case alreadyExists
    /// Another lock of the tenancy is attached at the address.
    case addressTaken
    /// The request contradicts how things are; the sentence says how.
    case conflict(String)
    /// What is to be changed is not, or no longer, as the caller asks it to be.
    case preconditionFailed
    /// The same idempotency key was used for another request.
    case idempotencyMismatch
    /// Too many attempts; try again after so many seconds.
    case rateLimited(retryAfterSeconds: Int)
    /// The device's queue is full, or holds enough of this principal.
    case deviceBusy
    /// A command that exists ended otherwise than confirmed.
    case commandEnded(Command)
    /// The gateway is stopping. Nothing was sent.
    case shuttingDown
    /// The store cannot write, or too much waits: nothing was done, try again later.
    case unavailable
    /// Reading a list took longer than one request may.
    case listTimedOut
    /// A defect or a broken machine. The text is for the operator's log only.
    case internalFailure(String)

    /// A stranger's answer: the same for everything that is outside the caller's reach.
    package static let outOfReach = GatewayError.denied(
        Denial(.noAssociation, hasReach: false), operation: nil, deviceID: nil)

    /// A request with a single mistake.
    package static func invalid(_ field: String, _ problem: String) -> GatewayError {
        .invalid([FieldProblem(field: field, problem: problem)])
    }

    /// A failed store is never the caller's fault, and nobody knows whether it wrote.
    init(_ error: StoreError) {
        switch error {
        case .refused(let rule): self = .internalFailure("the store refused: \(rule)")
        case .failed, .unavailable: self = .unavailable
        case .tooManyReads: self = .rateLimited(retryAfterSeconds: 1)
        case .readTimedOut: self = .listTimedOut
        case .pageTooDeep: self = .invalid("page", "out_of_range")
        }
    }
}

/// One mistake in a request.
package struct FieldProblem: Hashable, Sendable {
    /// A path in the body, a query item's or a header's name.
    package let field: String
    /// A stable word, such as `end_not_after_start`.
    package let problem: String

    package init(field: String, problem: String) { (self.field, self.problem) = (field, problem) }
}

/// Who calls, and what a record says of the call.
package struct Caller: Sendable {
    /// Who they are; their rights are looked up anew for each decision.
    package let userID: UserID
    /// The session they signed in to; `nil` for those who act on the gateway's own machine.
    package let sessionID: SessionID?
    /// By which way the call came, for the record.
    package let source: RecordSource
    /// The network address that the call came from, as far as the proxies in between are trusted. Personal.
    package let clientAddress: String?
    /// The id of the request, which its answer bears too.
    package let requestID: String?

    package init(
        userID: UserID, sessionID: SessionID? = nil, source: RecordSource = .api, clientAddress: String? = nil,
        requestID: String? = nil
    ) {
        (self.userID, self.sessionID, self.source) = (userID, sessionID, source)
        (self.clientAddress, self.requestID) = (clientAddress, requestID)
    }

    /// The caller as a decision knows them.
    package var principal: Principal { .user(userID) }
}

/// Runs something of the store, and says its failure in the words of use cases.
func storing<Value>(
    isolation: isolated (any _Concurrency.Actor)? = #isolation, _ body: () async throws(StoreError) -> Value
) async throws(GatewayError) -> Value {
    do {
        return try await body()
    } catch {
        throw GatewayError(error)
    }
}
