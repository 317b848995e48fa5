internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// Who may do what to a lock. Nothing is done and nothing is recorded.
enum AuthorizationRoutes {
    static let all: [Route] = [
        .post(
            "/authorize",
            """
            Decides an operation without doing it: of the caller, or of another user with GRANT_ACCESS on the lock. 200 for a denial \
            too. `at` is now or later, and up to 60 s before now is taken as now; a decision about a later instant assumes the current \
            rights.
            """, .object("decision", "Decision"), authorize),
        .get(
            "/devices/:id/permissions", "Decides each operation of the caller on a lock.",
            .data(["permissions": .array(.reference("Decision"))]), permissions),
        .get(
            "/devices/:id/who-can",
            """
            Lists everyone who may do an operation on a lock, without an override, each with the rule and the end of the right. Needs \
            VIEW_ACCESS_HISTORY.
            """, .page("entries", "PermittedPrincipal"), whoCan),
    ]

    private static func authorize(_ call: AuthenticatedRequest) throws -> APIResponse {
        let request = try call.readBody { body in
            AuthorizationRequest(
                deviceID: body.requiredID("deviceId"),
                operation: body.require("operation", body.word("operation", of: LockOperation.allCases)) ?? .viewStatus,
                userID: body.id("userId"), instant: body.instant("at"))
        }
        let decision = try call.control.authorization.decide(request, for: call.caller)
        return .success { $0.field("decision") { decision.write(into: &$0) } }
    }

    private static func permissions(_ call: AuthenticatedRequest) throws -> APIResponse {
        try call.readNothing()
        let decisions = try call.control.authorization.permissions(on: call.id("id"), for: call.caller)
        return .success { writer in
            writer.field("permissions") { $0.array(decisions) { writer, decision in decision.write(into: &writer) } }
        }
    }

    private static func whoCan(_ call: AuthenticatedRequest) throws -> APIResponse {
        let (page, operation, instant) = try call.readQuery { query in
            (
                PageRequest<NameOrEnd>(&query),
                query.requiredWord("operation", of: LockOperation.allCases) ?? .viewStatus, query.instant("at")
            )
        }
        let entries = try call.control.authorization.whoCan(operation, on: call.id("id"), at: instant, for: call.caller, page)
        return try .page("entries", entries) { $1.write(into: &$0) }
    }
}

extension ExplainedDecision: JSONRenderable {
    /// The form that `write` writes.
    static let schema = JSONSchema.fields([
        "allowed": .boolean, "operation": LockOperation.schema, "deviceId": .id, "at": .instant, "rule": .nullable(Rule.schema),
        "reason": .nullable(DenialReason.schema), "opensAt": .nullable(.instant), "closesAt": .nullable(.instant),
        "missing": .nullable(Denial.Missing.schema), "assumes": .nullable(.words(["current_rules"])),
    ])

    func write(into writer: inout JSONWriter) {
        let denial = decision.denial
        writer.object { writer in
            writer.field("allowed", decision.isAllowed)
            writer.field("operation", operation)
            writer.field("deviceId", deviceID)
            writer.field("at", at)
            writer.field("rule", decision.rule ?? denial?.rule)
            writer.field("reason", denial?.reason)
            writer.field("opensAt", denial?.opensAt)
            writer.field("closesAt", denial?.closesAt)
            writer.field("missing", denial?.missing)
            writer.field("assumes", isAboutFuture ? "current_rules" : nil)
        }
    }
}

extension NamedPrincipal: JSONRenderable {
    static let schema = JSONSchema.fields([
        "principal": .fields([
            "kind": .words([ActorKind.user, .guestLink, .apiKey].map(\.rawValue)), "id": .nullable(.text),
            "name": .nullable(.text),
        ]),
        "rule": Rule.schema, "until": .nullable(.instant),
    ])

    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("principal") { writer in
                writer.object { writer in
                    writer.field("kind", kind)
                    writer.field("id", id)
                    writer.field("name", name)
                }
            }
            writer.field("rule") { writer in
                writer.object { writer in
                    writer.field("kind", rule.kind)
                    writer.field("id", showsRuleID ? rule.id : nil)
                    writer.field("role", rule.role)
                }
            }
            writer.field("until", until)
        }
    }
}
