internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes

/// The caller's abilities, as rules for CASL (https://casl.js.org).
enum AbilityRoutes {
    static let all: [Route] = [
        .get("/users/me/permissions", "Reads what the caller may do, as CASL rules.", answers, read)
    ]

    private static let answers: [DocumentedAnswer] = [
        DocumentedAnswer(
            status: 200, summary: "The rules.",
            data: .fields([
                "rules": .array(rule), "packedRules": .array(.array(.any, maxItems: 6)), "nextChangeAt": .nullable(.instant),
            ]), headers: ["ETag"]),
        DocumentedAnswer(status: 304, summary: "The rules are those of the `If-None-Match`.", data: nil, headers: ["ETag"]),
    ]

    private static let rule = JSONSchema.object([
        JSONSchema.Member("action", .array(.text)), JSONSchema.Member("subject", .array(.text)),
        JSONSchema.Member("conditions", .map(.any), isRequired: false),
        JSONSchema.Member("fields", .array(.text), isRequired: false),
        JSONSchema.Member("inverted", .boolean, isRequired: false), JSONSchema.Member("reason", .text, isRequired: false),
    ])

    private static func read(_ call: AuthenticatedRequest) throws -> APIResponse {
        try call.readNothing()
        let abilities = try call.control.abilities(of: call.caller)
        let tag = tag(of: abilities)
        if call.facts.headers[values: .ifNoneMatch].contains(where: { $0.contains(tag.text) || $0 == "*" }) {
            return APIResponse(status: 304, body: []).tagged(tag)
        }
        return APIResponse.success { write(abilities, into: &$0) }.tagged(tag)
    }

    /// The tag of the abilities.
    static func tag(of abilities: Abilities) -> EntityTag { EntityTag { $0.object { write(abilities, into: &$0) } } }

    /// Writes the fields of the abilities.
    ///
    /// - Parameter tag: the field `etag`; `nil` to leave it out.
    static func write(_ abilities: Abilities, tag: String? = nil, into writer: inout JSONWriter) {
        writer.field("rules") { $0.array(abilities.rules) { $1.write(into: &$0) } }
        writer.field("packedRules") { $0.array(abilities.rules) { $1.writePacked(into: &$0) } }
        writer.fieldIfPresent("etag", tag)
        writer.field("nextChangeAt", abilities.nextChangeAt)
    }
}

extension AbilityRule: JSONRenderable {
    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("action", actions)
            writer.field("subject", subjects)
            if !conditions.isEmpty { writer.field("conditions") { writeConditions(into: &$0) } }
            if !fields.isEmpty { writer.field("fields", fields) }
            if isInverted { writer.field("inverted", true) }
            writer.fieldIfPresent("reason", reason)
        }
    }

    /// Writes the rule as CASL's `packRules` does: `[action, subject, conditions | 0, inverted, fields | 0, reason]`, lists joined
    /// by commas, without the empty values at the end (https://casl.js.org/v6/en/api/casl-ability-extra).
    func writePacked(into writer: inout JSONWriter) {
        let length = isInverted ? 6 : !fields.isEmpty ? 5 : !conditions.isEmpty ? 3 : 2
        writer.array(0..<length) { writer, index in
            switch index {
            case 0: writer.string(actions.joined(separator: ","))
            case 1: writer.string(subjects.joined(separator: ","))
            case 2: if conditions.isEmpty { writer.number(0) } else { writeConditions(into: &writer) }
            case 3: writer.number(isInverted ? 1 : 0)
            case 4: if fields.isEmpty { writer.number(0) } else { writer.string(fields.joined(separator: ",")) }
            default: writer.string(reason?.rawValue ?? "")
            }
        }
    }

    private func writeConditions(into writer: inout JSONWriter) {
        writer.object { writer in
            for condition in conditions {
                switch condition {
                case .equals(let field, let value): writer.field(field, value)
                case .isFlag(let field, let value): writer.field(field, value)
                case .isOneOf(let field, let values): writer.field(field) { $0.object { $0.field("$in", values) } }
                case .containsNone(let field, let values): writer.field(field) { $0.object { $0.field("$nin", values) } }
                }
            }
        }
    }
}
