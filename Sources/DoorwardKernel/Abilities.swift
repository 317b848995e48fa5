package import DoorwardDomain
package import DoorwardPolicy

/// What a user may do at one instant, for clients that show only what is permitted.
///
/// A client may hide a button by these rules. The gateway never relies on that: it decides on each request.
package struct Abilities: Sendable {
    /// The rules, in the form of CASL; the last one that matches decides.
    package let rules: [AbilityRule]
    /// When the passing of time next changes the rules; `nil` if it does not.
    package let nextChangeAt: Timestamp?

    package init(rules: [AbilityRule], nextChangeAt: Timestamp?) { (self.rules, self.nextChangeAt) = (rules, nextChangeAt) }

    /// The tag of the abilities.
    package var tag: EntityTag { EntityTag { $0.object { writeFields(into: &$0) } } }

    /// Writes the fields of the abilities.
    ///
    /// - Parameter tag: the field `etag`; `nil` to leave it out.
    package func writeFields(tag: EntityTag? = nil, into writer: inout JSONWriter) {
        writer.field("rules") { $0.array(rules) { $1.write(into: &$0) } }
        writer.field("packedRules") { $0.array(rules) { $1.writePacked(into: &$0) } }
        writer.fieldIfPresent("etag", tag?.text)
        writer.field("nextChangeAt", nextChangeAt)
    }
}

extension AbilityRule: JSONRenderable {
    package func write(into writer: inout JSONWriter) {
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
    fileprivate func writePacked(into writer: inout JSONWriter) {
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
