/// The `code` of an error response. The code of a denied request is the reason of the denial instead, with status 403.
package enum ErrorCode: String, CaseIterable, Codable, Sendable {
    /// The request is invalid: `details.fields` lists each error.
    case invalidRequest = "invalid_request"
    /// The receipt of a purchase is not accepted: `details.problem` names the check that it fails.
    case invalidReceipt = "invalid_receipt"
    /// The request contains no valid access token, or the session has expired: sign in again.
    case unauthenticated
    /// The invited address has an account: accept the invitation while signed in to it.
    case signInRequired = "sign_in_required"
    /// The object is not visible to the caller, or does not exist. Both cases have the same response.
    case forbidden
    /// The path is unknown, or the object does not exist and the caller may know this.
    case notFound = "not_found"
    /// The path exists, but not with this method: `Allow` lists its methods.
    case methodNotAllowed = "method_not_allowed"
    /// The object to create exists already, such as an email address or an association.
    case alreadyExists = "already_exists"
    /// The request conflicts with the current state; the message explains how.
    case conflict
    /// The object to delete contains others: `details.dependents` counts them.
    case hasDependents = "has_dependents"
    /// Another user has redeemed the purchase of the receipt.
    case receiptUsed = "receipt_used"
    /// The object was changed since the caller read it: read it again.
    case preconditionFailed = "precondition_failed"
    /// The portfolio's subscription does not include a module: `details.module` names it.
    case featureUnavailable = "feature_unavailable"
    /// The portfolio has as many objects as its subscription allows: `details` names the limit and the count.
    case limitReached = "limit_reached"
    /// The body is larger than `WireLimits.bodyBytes`, or that of a bulk than `WireLimits.bulkBytes`.
    case payloadTooLarge = "payload_too_large"
    /// The body is not sent as `application/json`.
    case unsupportedMediaType = "unsupported_media_type"
    /// The idempotency key was used for another request: use a new key.
    case idempotencyMismatch = "idempotency_mismatch"
    /// The caller or the network address made too many attempts: wait for the time in `Retry-After`.
    case rateLimited = "rate_limited"
    /// The lock's queue is full, or contains the maximum number of commands of this caller: try again after `Retry-After`.
    case deviceBusy = "device_busy"
    /// An internal error. The operator's log contains it under the request's id.
    case `internal`
    /// The gateway cannot execute the request at the moment, and has changed nothing: try again later.
    case unavailable
    /// The gateway is shutting down, and has sent no command: try again after its next start.
    case shuttingDown = "shutting_down"
    // The outcomes of a command that was not confirmed.
    /// The command's deadline passed while it was queued, or the time of a bulk before the request began. Nothing was sent or changed.
    case notSentInTime = "not_sent_in_time"
    /// The lock, or its broker, is known to be offline. Nothing was sent.
    case deviceOffline = "device_offline"
    /// The lock or its bridge rejected the command: `details.command.outcomeDetail` contains the reason.
    case adapterFailure = "adapter_failure"
    /// The bolt jammed while moving: check the door.
    case lockJammed = "lock_jammed"
    /// The command was sent, and the lock did not confirm it in time: the door may have moved.
    case confirmationTimeout = "confirmation_timeout"
    /// It is unknown whether the lock executed the command: check the lock before trying again.
    case outcomeUnknown = "outcome_unknown"

    /// The HTTP status of the response.
    package var status: Int {
        switch self {
        case .invalidRequest, .invalidReceipt: 400
        case .unauthenticated, .signInRequired: 401
        case .forbidden, .featureUnavailable, .limitReached: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .alreadyExists, .conflict, .hasDependents, .receiptUsed: 409
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
