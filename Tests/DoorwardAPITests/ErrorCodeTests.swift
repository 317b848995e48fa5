import DoorwardAPI
import Testing

@Suite struct ErrorCodeTests {
    @Test("every error code has the HTTP status of the contract")
    func statuses() {
        let byStatus: [Int: Set<String>] = [
            400: ["invalid_request", "invalid_receipt"], 401: ["unauthenticated", "sign_in_required"],
            403: ["forbidden", "feature_unavailable", "limit_reached"], 404: ["not_found"], 405: ["method_not_allowed"],
            409: ["already_exists", "conflict", "has_dependents", "receipt_used"], 412: ["precondition_failed"],
            413: ["payload_too_large"],
            415: ["unsupported_media_type"], 422: ["idempotency_mismatch"], 429: ["rate_limited", "device_busy"],
            500: ["internal"],
            502: ["adapter_failure", "lock_jammed"], 503: ["unavailable", "shutting_down", "device_offline", "outcome_unknown"],
            504: ["not_sent_in_time", "confirmation_timeout"],
        ]
        let answered = Dictionary(grouping: ErrorCode.allCases, by: \.status).mapValues { Set($0.map(\.rawValue)) }
        #expect(answered == byStatus)
    }
}
