package import DoorwardDomain
package import DoorwardPolicy

/// The errors of all use cases. The HTTP layer maps them to status codes in one place.
package enum GatewayError: Error, Sendable {
    /// The request is invalid. The value contains each invalid field with its error.
    case invalid([FieldProblem])
    /// The credentials are missing, wrong or expired.
    case unauthenticated
    /// The invited address belongs to a user, and the request is not signed in as that user.
    case signInRequired
    /// The request was denied. `Denial.hasReach` determines whether the caller may see the reason.
    case denied(Denial, operation: LockOperation?, deviceID: DeviceID?)
    /// The object does not exist, and the caller may know this: the object's parent is visible to
    /// the caller, or the caller is a super admin.
    case notFound
    /// The object to be created already exists.
    case alreadyExists
    /// Another lock of the tenancy is attached at the address.
    case addressTaken
    /// The object to remove contains others, which are counted by their kind: `properties`, `units` or `devices`.
    case hasDependents([String: Int])
    /// The request conflicts with the current state; the sentence describes how.
    case conflict(String)
    /// The object to be changed does not meet the request's precondition.
    case preconditionFailed
    /// The portfolio's subscription does not include the module.
    case featureUnavailable(SubscriptionModule)
    /// The portfolio has as many objects as its subscription allows.
    case limitReached(SubscriptionLimit, max: Int, count: Int)
    /// The receipt of a purchase is not accepted.
    case invalidReceipt(ReceiptProblem)
    /// Another user has redeemed the purchase of the receipt.
    case receiptUsed
    /// The gateway's configuration names no root certificate for purchases, so no receipt can be verified.
    case purchasesNotConfigured
    /// The same idempotency key was used for another request.
    case idempotencyMismatch
    /// Too many attempts; the caller may retry after this many seconds.
    case rateLimited(retryAfterSeconds: Int)
    /// As many streams of the person are open, or as many names of the stream are subscribed to, as allowed.
    case streamLimitReached(Int)
    /// The device's queue is full, or has the maximum number of commands of this principal.
    case deviceBusy
    /// The gateway is stopping. Nothing was sent.
    case shuttingDown
    /// The store cannot write, or its queue is full. The request can be repeated later.
    case unavailable
    /// A disk of the gateway's machine is full. The value is the sentence of the response, with the next step.
    case diskFull(String)
    /// Reading a list took longer than the limit for one request.
    case listTimedOut
    /// A defect or a hardware failure. The text is for the operator's log only.
    case internalFailure(String)

    /// The error for every object that is not visible to the caller. It is always the same, so that
    /// it does not reveal whether the object exists.
    package static let outOfReach = GatewayError.denied(Denial(.noAssociation, hasReach: false), operation: nil, deviceID: nil)

    /// The error for an id that does not exist or is not visible to the subject. A super admin gets `.notFound`.
    package static func outOfReach(of subject: Subject) -> GatewayError { subject.isSuperAdmin ? .notFound : .outOfReach }

    /// A request with a single invalid field.
    package static func invalid(_ field: String, _ problem: String) -> GatewayError {
        .invalid([FieldProblem(field: field, problem: problem)])
    }

    /// Maps a store error. After a failure of the store, the transaction may or may not have been written.
    package init(_ error: StoreError) {
        switch error {
        case .refused(let refusal): self.init(refusal)
        case .failed, .unavailable: self = .unavailable
        case .tooManyReads: self = .rateLimited(retryAfterSeconds: 1)
        case .readTimedOut: self = .listTimedOut
        case .pageTooDeep: self = .invalid("page", "out_of_range")
        }
    }

    /// Maps a constraint violation of the store. The use cases check nearly all constraints first, on the directory in memory.
    /// The store finds a violation that another transaction has caused after that check.
    init(_ refusal: StoreRefusal) {
        switch refusal {
        case .entityChanged: self = .preconditionFailed
        case .usesExhausted(let id):
            let denial = Denial(.guestUsesExhausted, hasReach: true, rule: .guestAccess(id))
            self = .denied(denial, operation: nil, deviceID: nil)
        // The basis of the decision is outdated: the same request is to be decided again, by the gateway responsible for it.
        case .emailTaken: self = .alreadyExists
        case .purchaseRedeemed: self = .receiptUsed
        case .refreshTokenSpent, .userDisabled, .resetTokenSpent, .recoveryCodeSpent: self = .unauthenticated
        case .idempotencyKeyTaken:
            self = .conflict("A request with this idempotency key has been executed meanwhile; repeat it to get its result.")
        case .parentUnknown, .stillReferenced, .commandExists, .intentMissing, .commandUnknown, .commandEnded, .duplicate,
            .inconsistent:
            self = .internalFailure("the store refused: \(refusal)")
        }
    }
}

/// One invalid field of a request.
package struct FieldProblem: Hashable, Sendable {
    /// A path in the body, or the name of a query parameter or header.
    package let field: String
    /// A stable code, such as `end_not_after_start`.
    package let problem: String

    package init(field: String, problem: String) { (self.field, self.problem) = (field, problem) }
}

/// Runs a store operation and maps its errors to `GatewayError`.
package func mappingStoreErrors<Value>(
    isolation: isolated (any _Concurrency.Actor)? = #isolation, _ body: @autoclosure () async throws(StoreError) -> Value
) async throws(GatewayError) -> Value {
    do {
        return try await body()
    } catch {
        throw GatewayError(error)
    }
}

/// The check that a receipt fails, in the order of the checks. Raw values are those of the API.
package enum ReceiptProblem: String, CaseIterable, Sendable {
    /// It is not a JWS with ES256, or the signature does not match its certificate.
    case signature
    /// Its certificates do not lead to the configured root, are not those of the App Store, or were not valid when it was signed.
    case chain
    /// It is for another product.
    case product
    /// It is for another app.
    case bundle
    /// Its environment is not accepted.
    case environment
    /// The purchase was refunded or revoked.
    case revoked
    /// The purchase has ended.
    case expired
}
