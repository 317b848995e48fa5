internal import DoorwardAPI
internal import DoorwardControl
package import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes
internal import NIOHTTP1

/// An error response. Only this type maps failures to a status, a code and a message for people.
struct ErrorResponse: Error {
    let status: Int
    let code: String
    let message: String
    /// Writes the fields of `details`.
    var details: @Sendable (inout JSONWriter) -> Void = { _ in }
    var headers: HTTPFields = [:]

    /// The seconds in `Retry-After` of responses with 503.
    static let retryLater = "5"

    private init(_ code: ErrorCode, _ message: String) {
        (status, self.code, self.message) = (code.status, code.rawValue, message)
        if status == 503 { headers[.retryAfter] = Self.retryLater }
        if status == 401 { headers[.wwwAuthenticate] = "Bearer" }
    }

    private init(refusing reason: String, _ message: String) { (status, code, self.message) = (403, reason, message) }

    // MARK: - Errors of the server

    static let pathUnknown = ErrorResponse(.notFound, "This path does not exist.")

    static func methodNotAllowed(_ allowed: String) -> ErrorResponse {
        var answer = ErrorResponse(.methodNotAllowed, "This path does not support the method; see the Allow header.")
        answer.headers[.allow] = allowed
        return answer
    }

    static func payloadTooLarge(_ maxBytes: Int) -> ErrorResponse {
        ErrorResponse(.payloadTooLarge, "The request's body is too large: at most \(maxBytes) bytes are allowed.")
    }

    static let unsupportedMediaType = ErrorResponse(
        .unsupportedMediaType, "The body must be JSON: send it with Content-Type: application/json.")

    static let formExpected = ErrorResponse(
        .unsupportedMediaType, "The body must be a form: send it with Content-Type: application/x-www-form-urlencoded.")

    static let notBegunInTime = ErrorResponse(
        .notSentInTime, "The time of the bulk passed before this request began; it was not carried out, and nothing was sent.")

    static let `internal` = ErrorResponse(
        .internal, "Internal error; the operator can find its cause in the gateway's log by the request id.")

    // MARK: - Errors of use cases

    init(_ error: GatewayError) {
        switch error {
        case .invalid(let problems): self.init(invalid: problems)
        case .unauthenticated: self.init(.unauthenticated, "Sign in: the credentials are missing, wrong or expired.")
        case .signInRequired:
            self.init(.signInRequired, "The invited address already has an account: sign in to it, then accept the invitation.")
        case .denied(let denial, _, _) where !denial.hasReach:
            self.init(.forbidden, "You have no access to this, or it does not exist.")
        case .denied(let denial, let operation, let device):
            self.init(refusing: denial.reason.rawValue, denial.reason.sentence)
            details = { denial.writeDetails(operation, device, into: &$0) }
        case .notFound: self.init(.notFound, "The object does not exist.")
        case .alreadyExists: self.init(.alreadyExists, "The object already exists.")
        case .addressTaken:
            self.init(.alreadyExists, "A lock is already attached at this address; detach it first, or name another address.")
        case .hasDependents(let counts):
            self.init(
                .hasDependents,
                "It contains others, see details.dependents: remove them first, or repeat this with ?cascade=true.")
            details = { writer in
                writer.field("dependents") { $0.object { for kind in counts.keys.sorted() { $0.field(kind, counts[kind]) } } }
            }
        case .conflict(let sentence): self.init(.conflict, sentence)
        case .preconditionFailed:
            self.init(.preconditionFailed, "The object has changed since you read it; read it again.")
        case .featureUnavailable(let module):
            self.init(
                .featureUnavailable,
                "The portfolio's subscription does not include \(module.rawValue); ask a super admin to switch it on.")
            details = { $0.field("module", module.rawValue) }
        case .limitReached(let limit, let max, let count):
            let sum = "The portfolio has \(count) of at most \(max) \(limit.counted)"
            self.init(.limitReached, "\(sum); remove some, or ask a super admin for a higher limit.")
            details = { writer in
                writer.field("name", limit.rawValue)
                writer.field("limit", max)
                writer.field("count", count)
            }
        case .invalidReceipt(let problem):
            self.init(.invalidReceipt, "The receipt is not accepted: \(problem.sentence)")
            details = { $0.field("problem", problem.rawValue) }
        case .receiptUsed: self.init(.receiptUsed, "Another user has redeemed this purchase; sign in as that user.")
        case .purchasesNotConfigured:
            self.init(.unavailable, "This gateway does not validate purchases: its operator can set `iap` in the configuration.")
        case .idempotencyMismatch:
            self.init(.idempotencyMismatch, "This Idempotency-Key was used for another request; use a new one.")
        case .rateLimited(let seconds):
            self.init(.rateLimited, "Too many attempts; try again in \(seconds) s.")
            headers[.retryAfter] = String(seconds)
        case .streamLimitReached(let limit):
            self.init(
                .rateLimited,
                "At most \(limit) are allowed at the same time; end one first: a stream of this person, or a name of the stream.")
            headers[.retryAfter] = Self.retryLater
            details = { $0.field("limit", limit) }
        case .deviceBusy:
            self.init(.deviceBusy, "Too many commands are queued for this lock; try again shortly.")
            headers[.retryAfter] = "1"
        case .shuttingDown: self.init(.shuttingDown, "The gateway is shutting down and accepts no commands; nothing was sent.")
        case .unavailable: self.init(.unavailable, "The gateway cannot do this at the moment; try again later.")
        case .diskFull(let sentence): self.init(.unavailable, sentence)
        case .listTimedOut:
            self.init(.unavailable, "Reading this list took too long; narrow it by lock or time, or try again later.")
        case .internalFailure: self = .internal
        }
    }

    private init(invalid problems: [FieldProblem]) {
        self.init(.invalidRequest, "The request is not valid; see details.fields.")
        details = { writer in
            writer.objects("fields", problems) { writer, problem in
                writer.field("field", problem.field)
                writer.field("problem", problem.problem)
            }
        }
    }

    /// The error for a command that ended without a confirmation. For a denied command, it includes the details of the denial if
    /// the caller may still know that the device exists. It always includes the command, which is the caller's own.
    ///
    /// - Parameter problem: the adapter's explanation of the failure, in whole sentences; `nil` if there is none, or if the
    ///   caller may not see it.
    init(_ finished: FinishedCommand, problem: String?, _ view: ProjectedRenderer) {
        let command = finished.command
        self.init(ending: command, problem: problem)
        details = { writer in
            if let denial = finished.denial, denial.hasReach {
                denial.writeDetails(command.operation, command.deviceID, into: &writer)
            }
            writer.field("command") { view.command(command, into: &$0) }
        }
    }

    /// The same error without details.
    init(ending command: Command, problem: String? = nil) {
        switch (command.state, command.outcomeDetail) {
        case (.denied, let reason):
            let known = reason.flatMap { DenialReason(rawValue: $0) }
            self.init(
                refusing: reason ?? ErrorCode.forbidden.rawValue,
                "The permission was lost while the command was queued; nothing was sent. \(known?.sentence ?? "")".trimmed)
        case (.timedOut, _) where command.operation == .changeSettings:
            self.init(
                .confirmationTimeout,
                "The lock did not confirm its new settings in time; set them again. \(problem ?? "")".trimmed)
        case (.timedOut, _):
            self.init(
                .confirmationTimeout, "The lock did not confirm the command in time; check the door. \(problem ?? "")".trimmed)
        case (.failed, "deadline_passed"):
            self.init(.notSentInTime, "The command's deadline passed while it was queued; nothing was sent.")
        case (.failed, "device_offline"):
            self.init(.deviceOffline, problem ?? "The lock cannot be reached; check its power and network.")
        case (.failed, "shutting_down"): self.init(.shuttingDown, "The gateway is shutting down; nothing was sent.")
        case (.failed, "jammed"): self.init(.lockJammed, "The lock reports a jam; check the door and the bolt.")
        case (.failed, _):
            self.init(
                .adapterFailure, problem ?? "The lock or its bridge rejected the command; see details.command.outcomeDetail.")
        case (_, _) where command.sent == false:
            self.init(.outcomeUnknown, "The command was not sent, as the gateway cannot write to its database; try again later.")
        case (_, _) where command.operation == .changeSettings:
            self.init(.outcomeUnknown, "It is unknown whether the lock has its new settings; set them again.")
        default: self.init(.outcomeUnknown, "It is unknown whether the lock has moved; check the door.")
        }
    }

    // MARK: - Sending

    /// The response to a request: in the envelope, or in the format of RFC 9457 if its client asks for that.
    func answer(_ metadata: RequestMetadata) -> APIResponse {
        let asProblem = metadata.wantsProblem
        var writer = JSONWriter()
        writer.object { writer in
            if asProblem {
                writer.field("type", "about:blank")
                writer.field("title", HTTPResponseStatus(statusCode: status).reasonPhrase)
                writer.field("status", status)
                writer.field("detail", message)
            } else {
                writer.field("status", "error")
            }
            writer.field("code", code)
            if !asProblem { writer.field("message", message) }
            writer.field("details") { $0.object(details) }
            writer.field("requestId", metadata.requestID)
        }
        var answer = APIResponse(status: status, body: writer.bytes)
        answer.headers = headers
        if asProblem { answer.headers[.contentType] = "application/problem+json" }
        return answer
    }
}

extension DenialReason {
    /// The meaning of the reason, and what the caller can do about it.
    var sentence: String {
        switch self {
        case .userUnknown: "The user does not exist."
        case .userDisabled: "The user is disabled; ask a manager."
        case .deviceUnknown: "The lock does not exist."
        case .deviceUnassigned: "The lock is not assigned to a property; assign it first."
        case .noAssociation: "None of your roles and guest accesses covers this."
        case .guestAccessRevoked: "The guest access was revoked; ask the person who granted it."
        case .grantorLostAccess: "The person who granted the guest access no longer has the right to; ask for a new one."
        case .roleInsufficient: "Your role does not include this; ask a person with a higher role."
        case .operationNotGranted: "The guest access does not include this operation."
        case .guestWindowEnded: "The guest access has ended."
        case .guestUsesExhausted: "The guest access has no uses left."
        case .guestWindowNotStarted: "The guest access has not begun yet; see details.opensAt."
        case .outsideSchedule: "The guest access is not valid at this time; see details.opensAt."
        case .clockUntrusted: "The gateway's clock cannot be trusted, so access that depends on the time is denied."
        case .featureUnavailable: "The portfolio's subscription does not include this."
        case .capabilityMissing: "The lock cannot do this."
        case .remoteOperationDisabled: "Remote operation of this lock is switched off."
        case .lockdownActive: "The property is locked down."
        }
    }
}

extension ReceiptProblem {
    /// What the receipt fails, and what the caller can do about it.
    var sentence: String {
        switch self {
        case .signature: "it is not a signed transaction of the App Store (JWS, ES256), or its signature is wrong."
        case .chain: "its certificates do not lead to the root certificate that this gateway trusts, or were not valid."
        case .product: "it is for another product."
        case .bundle: "it is for another app."
        case .environment: "this gateway does not accept purchases of its environment."
        case .revoked: "the purchase was refunded or revoked."
        case .expired: "the purchase has expired."
        }
    }
}

extension Denial {
    /// Writes the fields of `details` for a denial.
    fileprivate func writeDetails(_ operation: LockOperation?, _ device: DeviceID?, into writer: inout JSONWriter) {
        writer.fieldIfPresent("operation", operation)
        writer.fieldIfPresent("deviceId", device)
        writer.field("reason", reason)
        if let rule { writer.field("rule") { rule.write(into: &$0) } }
        writer.fieldIfPresent("opensAt", opensAt)
        writer.fieldIfPresent("closesAt", closesAt)
        if let missing { writer.field("missing") { missing.write(into: &$0) } }
    }
}

extension Denial.Missing: ResponseObject {
    static let fields: [ResponseField<Self>] = [
        .ifPresent("role", \.role), .ifPresent("operation", \.operation), .ifPresent("capability", \.capability),
        .ifPresent("module", \.module),
    ]
}
