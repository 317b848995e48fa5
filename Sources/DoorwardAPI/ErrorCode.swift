/// The `code` of an error answer that is no decision. The code of a refused right is the decision's reason instead, with
/// status 403.
package enum ErrorCode: String, CaseIterable, Codable, Sendable {
    case invalidRequest = "invalid_request"
    case unauthenticated
    case forbidden
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case alreadyExists = "already_exists"
    case conflict
    case hasDependents = "has_dependents"
    case preconditionFailed = "precondition_failed"
    case payloadTooLarge = "payload_too_large"
    case unsupportedMediaType = "unsupported_media_type"
    case idempotencyMismatch = "idempotency_mismatch"
    case rateLimited = "rate_limited"
    case deviceBusy = "device_busy"
    case `internal`
    case unavailable
    case shuttingDown = "shutting_down"
    // The ends of a command that was not confirmed.
    case notSentInTime = "not_sent_in_time"
    case deviceOffline = "device_offline"
    case adapterFailure = "adapter_failure"
    case lockJammed = "lock_jammed"
    case confirmationTimeout = "confirmation_timeout"
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
