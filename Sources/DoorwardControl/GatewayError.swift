package import DoorwardDomain
package import DoorwardPolicy

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

    /// The answer for an id that the subject may not know of or that does not exist. Nothing is hidden from a super admin.
    package static func outOfReach(of subject: Subject) -> GatewayError { subject.isSuperAdmin ? .notFound : .outOfReach }

    /// A request with a single mistake.
    package static func invalid(_ field: String, _ problem: String) -> GatewayError {
        .invalid([FieldProblem(field: field, problem: problem)])
    }

    /// A failed store is never the caller's fault, and nobody knows whether it wrote.
    init(_ error: StoreError) {
        switch error {
        case .refused(let refusal): self.init(refusal)
        case .failed, .unavailable: self = .unavailable
        case .tooManyReads: self = .rateLimited(retryAfterSeconds: 1)
        case .readTimedOut: self = .listTimedOut
        case .pageTooDeep: self = .invalid("page", "out_of_range")
        }
    }

    /// What a broken rule of the store is to the caller. The use cases test nearly all of them first, on the directory in memory:
    /// the store decides where another transaction came in between.
    init(_ refusal: StoreRefusal) {
        switch refusal {
        case .entityChanged: self = .preconditionFailed
        case .usesExhausted(let id):
            let denial = Denial(.guestUsesExhausted, hasReach: true, rule: .guestAccess(id))
            self = .denied(denial, operation: nil, deviceID: nil)
        // What was decided on is over: the same request is decided anew, by the gateway whose it is.
        case .epochChanged, .leaseChanged: self = .unavailable
        case .emailTaken: self = .alreadyExists
        case .refreshTokenSpent, .userDisabled, .resetTokenSpent: self = .unauthenticated
        case .idempotencyKeyTaken:
            self = .conflict("A request with this idempotency key has been executed meanwhile; repeat it to get its result.")
        case .parentUnknown, .commandExists, .intentMissing, .commandUnknown, .commandEnded, .duplicate, .inconsistent:
            self = .internalFailure("the store refused: \(refusal)")
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
