/// The `code` of an error answer that is no decision. The code of a refused right is the decision's reason instead, with
/// status 403.
package enum ErrorCode: String, CaseIterable, Codable, Sendable {
    /// Something in the request is wrong: `details.fields` names each mistake.
    case invalidRequest = "invalid_request"
    /// No sign-in, or one that is over: sign in again.
    case unauthenticated
    /// The caller has no reach to what the request names, or it does not exist: both answer alike.
    case forbidden
    /// The path is unknown, or the thing does not exist and the caller may know that.
    case notFound = "not_found"
    /// The path exists, and takes other methods: those of the `Allow` header.
    case methodNotAllowed = "method_not_allowed"
    /// What is to be made is there already: an email address, an association.
    case alreadyExists = "already_exists"
    /// The request contradicts how things are; the message says how.
    case conflict
    /// What is to be deleted holds other things: `details.dependents` counts them.
    case hasDependents = "has_dependents"
    /// The thing was changed since the caller read it: read it again.
    case preconditionFailed = "precondition_failed"
    /// The body has more than `WireLimits.bodyBytes`.
    case payloadTooLarge = "payload_too_large"
    /// The body is not sent as `application/json`.
    case unsupportedMediaType = "unsupported_media_type"
    /// The idempotency key was used for another request: take a new key.
    case idempotencyMismatch = "idempotency_mismatch"
    /// Too many attempts of this caller or address: wait as long as `Retry-After` says.
    case rateLimited = "rate_limited"
    /// The lock's queue is full, or holds enough of this caller: try again after `Retry-After`.
    case deviceBusy = "device_busy"
    /// A defect of the gateway. The operator's log has it under the request's id.
    case `internal`
    /// The gateway cannot write at this moment, and has done nothing: try again later.
    case unavailable
    /// The gateway is stopping, and has sent nothing: try again when it is back.
    case shuttingDown = "shutting_down"
    // The ends of a command that was not confirmed.
    /// The command's time was over before its turn came. Nothing was sent.
    case notSentInTime = "not_sent_in_time"
    /// The lock, or the broker before it, is known to be away. Nothing was sent.
    case deviceOffline = "device_offline"
    /// The lock or its bridge refused: `details.command.outcomeDetail` says why.
    case adapterFailure = "adapter_failure"
    /// The bolt jammed on the way. Somebody has to look at the door.
    case lockJammed = "lock_jammed"
    /// The order left, and the lock said nothing of it in time: the door may have moved.
    case confirmationTimeout = "confirmation_timeout"
    /// Nobody knows whether the order left: look at the lock before trying again.
    case outcomeUnknown = "outcome_unknown"

    /// The HTTP status of the answer.
    package var status: Int {
        switch self {
        case .invalidRequest: 400
        case .unauthenticated: 401
        case .forbidden: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .alreadyExists, .conflict, .hasDependents: 409
        case .preconditionFailed: 412
        case .payloadTooLarge: 413
        case .unsupportedMediaType: 415
        case .idempotencyMismatch: 422
        case .rateLimited, .deviceBusy: 429
        case .internal: 500
        case .adapterFailure, .lockJammed: 502
        case .unavailable, .shuttingDown, .deviceOffline, .outcomeUnknown: 503
        case .notSentInTime, .confirmationTimeout: 504
        }
    }
}
