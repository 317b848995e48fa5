import DoorwardControl
import DoorwardDomain
import DoorwardTesting

/// Counts the situations that campaigns reach: a situation that is never reached is not tested.
struct CampaignReach {
    private(set) var counts: [String: Int] = [:]

    /// The situations that the campaigns together must reach often.
    static let wanted = [
        "commands", "CONFIRMED", "FAILED", "TIMED_OUT", "DENIED", "UNKNOWN", "deadline_passed", "device_offline", "jammed",
        "busy",
        "shutting_down", "further intents", "recovered", "late answers", "stranger denied", "denied with reach", "rate limited",
        "busy doors", "unavailable", "stopping", "repeats", "twins", "mismatches", "revokes", "revokes in force later",
        "runs with failures", "told unknown, kept otherwise", "starts", "mended", "store events",
    ]

    mutating func add(_ checks: CampaignChecks) {
        let trace = checks.trace
        add("commands", trace.commands.count)
        for command in checks.commands.values {
            add(command.state.rawValue)
            if let detail = command.outcomeDetail { add(detail) }
        }
        add("revokes", trace.revoked.count)
        add("revokes in force later", trace.revoked.count { $0.commandsBefore < ($0.commandsUntil ?? trace.commands.count) })
        add("runs with failures", trace.runsWithFailures.count)
        for request in trace.requests { add(request, checks) }
        for body in checks.house.logs.flatMap({ checks.store.log($0) }).map(\.body) { add(body) }
        let intents = checks.house.logs.flatMap { checks.store.log($0) }.count { $0.body.kind == .commandIntent }
        add("further intents", intents - checks.commands.count)
    }

    private mutating func add(_ body: RecordBody) {
        if body.details["recovered"] == .bool(true) { add("recovered") }
        if body.kind == .deviceEvent { add(body.commandID == nil ? "store events" : "late answers") }
        if body.event == .start { add("starts") }
        if body.event == .recovered, body.details["after"] == .string("store_failure") { add("mended") }
    }

    private mutating func add(_ request: CampaignTrace.Request, _ checks: CampaignChecks) {
        switch request.answer {
        case .ended(let told)?: if told != checks.commands[told.id] { add("told unknown, kept otherwise") }
        case .replayed?: add(checks.isTwin(request) ? "twins" : "repeats")
        case .denied(let denial)?: add(denial.hasReach ? "denied with reach" : "stranger denied")
        case .refused(let error)?: add(Self.word(for: error))
        case nil: add("never answered")
        }
    }

    private static func word(for error: GatewayError) -> String {
        switch error {
        case .rateLimited: "rate limited"
        case .deviceBusy: "busy doors"
        case .unavailable: "unavailable"
        case .shuttingDown: "stopping"
        case .idempotencyMismatch: "mismatches"
        default: "refused otherwise"
        }
    }

    private mutating func add(_ word: String, _ count: Int = 1) { counts[word, default: 0] += count }
}

extension CampaignChecks {
    /// Returns whether a repeat arrived while the first request with its key was in flight.
    func isTwin(_ request: CampaignTrace.Request) -> Bool {
        trace.requests.contains { first in
            guard let command = first.accepted.flatMap({ commands[$0.id] }), let end = command.completedAt else { return false }
            return first.run == request.run && first.wanted.key == request.wanted.key
                && first.wanted.user == request.wanted.user && first.id != request.id
                && first.began <= request.began
                && request.began < first.began.advanced(by: end.duration(since: command.requestedAt))
        }
    }
}
