import DoorwardPolicy

/// An evaluation of rules by the semantics of CASL 6, as its documentation states them: the last rule that matches decides.
struct Ability {
    /// The value of a field of an object.
    enum Value: Equatable {
        case text(String)
        case flag(Bool)
        case list([String])
    }

    let rules: [AbilityRule]

    /// Whether the action is permitted on an object with these fields; a field that is `nil` or not visible is left out.
    func can(_ action: String, _ subject: String, _ object: [String: Value], field: String? = nil) -> Bool {
        decidingRule(action, subject, object, field: field).map { !$0.isInverted } ?? false
    }

    func decidingRule(_ action: String, _ subject: String, _ object: [String: Value], field: String? = nil) -> AbilityRule? {
        rules.last { rule in
            rule.actions.contains(action) && rule.subjects.contains(subject)
                && (field.map { rule.fields.isEmpty || rule.fields.contains($0) } ?? true)
                && rule.conditions.allSatisfy { Self.holds($0, object) }
        }
    }

    /// MongoDB's operators: an absent field equals nothing and contains nothing.
    private static func holds(_ condition: AbilityRule.Condition, _ object: [String: Value]) -> Bool {
        switch condition {
        case .equals(let field, let value): return object[field] == .text(value)
        case .isFlag(let field, let value): return object[field] == .flag(value)
        case .isOneOf(let field, let values):
            guard case .text(let value)? = object[field] else { return false }
            return values.contains(value)
        case .containsNone(let field, let values):
            guard case .list(let list)? = object[field] else { return true }
            return !list.contains(where: values.contains)
        }
    }
}
