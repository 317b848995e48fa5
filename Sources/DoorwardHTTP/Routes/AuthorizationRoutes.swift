internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import FoundationEssentials
internal import HTTPTypes

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
        .read(
            "/devices/:id/permissions", "Decides each operation of the caller on a lock.",
            .data(["permissions": .array(.reference("Decision"))])
        ) { request in
            let decisions = try request.control.authorization.permissions(on: request.id("id"), for: request.caller)
            return .success { $0.field("permissions", decisions) }
        },
        .get(
            "/devices/:id/who-can",
            """
            Lists everyone who may do an operation on a lock, without an override, each with the rule and the end of the right. Needs \
            VIEW_ACCESS_HISTORY.
            """, .page("entries", "PermittedPrincipal"), whoCan),
    ]

    private static func authorize(_ request: AuthenticatedRequest) throws -> APIResponse {
        let (device, operation, user, instant): (DeviceID, LockOperation, UserID?, Timestamp?) = try request.readBody { body in
            (
                body.requiredID("deviceId"),
                body.require("operation", body.enumValue("operation", of: LockOperation.allCases)) ?? .viewStatus,
                body.id("userId"), body.instant("at")
            )
        }
        let decision = try request.control.authorization.decide(operation, on: device, by: user, at: instant, for: request.caller)
        return .success { $0.field("decision", decision) }
    }

    private static func whoCan(_ request: AuthenticatedRequest) throws -> APIResponse {
        let (page, operation, instant) = try request.readQuery { query in
            (
                PageRequest<NameOrEnd>(&query),
                query.requiredEnumValue("operation", of: LockOperation.allCases) ?? .viewStatus, query.instant("at")
            )
        }
        let entries = try request.control.authorization.whoCan(
            operation, on: request.id("id"), at: instant, for: request.caller, page)
        return try .page("entries", entries) { $1.write(into: &$0) }
    }
}

extension ExplainedDecision: ResponseObject {
    static let fields: [ResponseField<Self>] = [
        .init("allowed", \.decision.isAllowed), .init("operation", \.operation), .init("deviceId", \.deviceID), .init("at", \.at),
        .init("rule") { $0.decision.rule ?? $0.decision.denial?.rule }, .init("reason", \.decision.denial?.reason),
        .init("opensAt", \.decision.denial?.opensAt), .init("closesAt", \.decision.denial?.closesAt),
        .init("missing", \.decision.denial?.missing),
        .init("assumes", .nullable(.words(["current_rules"]))) { $0.isAboutFuture ? "current_rules" : nil },
    ]
}

extension NamedPrincipal: ResponseObject {
    static let fields: [ResponseField<Self>] = [
        .object(
            "principal",
            [
                .init("kind", .words([ActorKind.user, .guestLink, .apiKey].map(\.rawValue)), \.kind), .init("id", \.id),
                .init("name", \.name),
            ]),
        .written("rule", Rule.schema) { principal, writer in
            writer.object { writer in
                writer.field("kind", principal.rule.kind)
                writer.field("id", principal.showsRuleID ? principal.rule.id : nil)
                writer.field("role", principal.rule.role)
            }
        },
        .init("until", \.until),
    ]
}

/// The caller's abilities, as rules for CASL (https://casl.js.org).
enum AbilityRoutes {
    static let all: [Route] = [.read("/users/me/permissions", "Reads what the caller may do, as CASL rules.", answers, read)]

    private static let answers: [DocumentedAnswer] = [
        DocumentedAnswer(
            status: 200, summary: "The rules.",
            data: .fields([
                "rules": .array(rule), "packedRules": .array(.array(.any, maxItems: 6)), "nextChangeAt": .nullable(.instant),
            ]), headers: ["ETag"]),
        DocumentedAnswer(status: 304, summary: "The rules are those of the `If-None-Match`.", data: nil, headers: ["ETag"]),
    ]

    private static let rule = JSONSchema.fields(
        ["action": .array(.text), "subject": .array(.text)],
        optional: ["conditions": .map(.any), "fields": .array(.text), "inverted": .boolean, "reason": .text])

    private static func read(_ request: AuthenticatedRequest) throws -> APIResponse {
        let abilities = try request.control.authorization.abilities(of: request.caller)
        let tag = abilities.tag
        if request.metadata.headers[values: .ifNoneMatch].contains(where: { $0.contains(tag.text) || $0 == "*" }) {
            return APIResponse(status: 304, body: []).tagged(tag)
        }
        return APIResponse.success { abilities.writeFields(into: &$0) }.tagged(tag)
    }
}

/// The permission matrices, as data.
enum PermissionRoutes {
    static let all: [Route] = [
        .read("/permission-matrix", "Reads which roles hold which operations and permissions.", .data(fields)) { _ in
            .success(fields, of: ())
        }
    ]

    private static let fields: [ResponseField<Void>] = [
        .objects(
            "operations", { LockOperation.allCases },
            [
                .init("operation") { $0 },
                .objects(
                    "holders", PermissionMatrix.operationHolders,
                    [.init("role", \.role), .ifPresent("condition", \.condition?.rawValue)]),
            ]),
        .objects(
            "management", { ManagementPermission.allCases },
            [
                .init("permission", \.rawValue), .init("superAdmin") { PermissionMatrix.holders(of: $0).superAdmin.rawValue },
                .init("roles") { PermissionMatrix.holders(of: $0).roles },
            ]),
    ]
}
