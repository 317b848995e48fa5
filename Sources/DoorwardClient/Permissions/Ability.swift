extension Doorward {
    /// A person's abilities, evaluated with the semantics of CASL: the last rule that matches decides, and without one an action
    /// is forbidden. A check makes no request and allocates almost nothing.
    ///
    /// Evaluated are the condition operators that gateways use, which are equality, `$eq`, `$ne`, `$in`, `$nin` and `$exists`. A
    /// rule with another operator never permits and always forbids.
    public struct Ability: Sendable {
        /// The rules in their order.
        public let rules: [AbilityRule]
        /// The rules that may match, by subject and action; the last rule comes first.
        private let index: [String: [String: [RuleGroup]]]

        /// No abilities: everything is forbidden.
        public static let none = Ability([])

        /// Prepares rules for evaluation.
        public init(_ rules: [AbilityRule]) {
            self.rules = rules
            let compiled = rules.enumerated().reversed().map { CompiledRule($1, number: $0) }
            let subjects = Set(rules.flatMap(\.subject)).union([SubjectType.all.rawValue])
            let actions = Set(rules.flatMap(\.action)).union([Action.manage.rawValue])
            var index: [String: [String: [RuleGroup]]] = [:]
            for subject in subjects {
                let ofSubject = compiled.filter {
                    $0.subjects.contains(subject) || $0.subjects.contains(SubjectType.all.rawValue)
                }
                for action in actions {
                    let matching = ofSubject.filter { $0.actions.contains(action) || $0.actions.contains(Action.manage.rawValue) }
                    if !matching.isEmpty { index[subject, default: [:]][action] = RuleGroup.groups(of: matching) }
                }
            }
            self.index = index
        }

        /// Whether the action is permitted on the object or, with a field, on this field of the object.
        public func can(_ action: Action, _ subject: some PermissionSubject, field: String? = nil) -> Bool {
            decidingRule(action, subject, field: field).map { !$0.inverted } ?? false
        }

        /// Whether the action is permitted on some objects of a type.
        public func can(_ action: Action, any type: SubjectType, field: String? = nil) -> Bool {
            decidingRule(action, type, { _ in nil }, field: field, hasObject: false).map { !$0.inverted } ?? false
        }

        /// The rule that decides; `nil` if none matches.
        public func decidingRule(_ action: Action, _ subject: some PermissionSubject, field: String? = nil) -> AbilityRule? {
            decidingRule(action, subject.subjectType, subject.subjectValue, field: field, hasObject: true)
        }

        /// Whether a rule permits the action, apart from the rules that forbid it: the person has the right, perhaps not now.
        public func hasRight(_ action: Action, _ subject: some PermissionSubject) -> Bool {
            candidates(action, subject.subjectType).contains {
                !$0.isInverted && $0.firstMatch(subject.subjectValue, field: nil, hasObject: true) != nil
            }
        }

        /// The position in `rules` of the rule that decides; for tests.
        func decidingNumber(
            _ action: Action, _ type: SubjectType, _ value: (String) -> JSONValue?, field: String?, hasObject: Bool
        ) -> Int? {
            for group in candidates(action, type) {
                if let number = group.firstMatch(value, field: field, hasObject: hasObject) { return number }
            }
            return nil
        }

        private func decidingRule(
            _ action: Action, _ type: SubjectType, _ value: (String) -> JSONValue?, field: String?, hasObject: Bool
        ) -> AbilityRule? {
            decidingNumber(action, type, value, field: field, hasObject: hasObject).map { rules[$0] }
        }

        private func candidates(_ action: Action, _ type: SubjectType) -> [RuleGroup] {
            let action = action.resolved(for: type).rawValue
            let ofSubject = index[type.rawValue] ?? index[SubjectType.all.rawValue]
            return ofSubject?[action] ?? ofSubject?[Action.manage.rawValue] ?? []
        }
    }
}

/// Consecutive rules that all permit or all forbid.
///
/// A person who manages many properties has one rule for each; these rules differ in one text only. Such rules are one look-up.
private enum RuleGroup: Sendable {
    case rule(CompiledRule)
    /// Rules whose only condition is that a field has a text: their numbers by the text, and the number of the first one.
    case texts(field: String, numbers: [String: Int], first: Int, isInverted: Bool)

    /// - Parameter rules: in the order of evaluation, which is descending by their numbers.
    static func groups(of rules: [CompiledRule]) -> [RuleGroup] {
        var (groups, rest) = ([RuleGroup](), rules[...])
        while let rule = rest.first {
            guard let (field, _) = rule.onlyText else {
                groups.append(.rule(rule))
                rest.removeFirst()
                continue
            }
            let run = rest.prefix { $0.isInverted == rule.isInverted && $0.onlyText?.field == field }
            var numbers: [String: Int] = [:]
            // The first of several rules with the same text decides.
            for rule in run.reversed() { if let (_, text) = rule.onlyText { numbers[text] = rule.number } }
            let group = RuleGroup.texts(field: field, numbers: numbers, first: rule.number, isInverted: rule.isInverted)
            groups.append(run.count > 1 ? group : .rule(rule))
            rest = rest.dropFirst(run.count)
        }
        return groups
    }

    var isInverted: Bool {
        switch self {
        case .rule(let rule): rule.isInverted
        case .texts(_, _, _, let isInverted): isInverted
        }
    }

    /// The number of the first rule that matches; see `CompiledRule.matches`.
    func firstMatch(_ value: (String) -> Doorward.JSONValue?, field: String?, hasObject: Bool) -> Int? {
        switch self {
        case .rule(let rule): return rule.matches(value, field: field, hasObject: hasObject) ? rule.number : nil
        case .texts(let condition, let numbers, let first, let isInverted):
            guard hasObject else { return isInverted ? nil : first }
            switch value(condition) {
            case .string(let text)?: return numbers[text]
            case .array(let elements)?:
                let found = elements.compactMap { element in
                    if case .string(let text) = element { numbers[text] } else { nil }
                }
                return found.max()
            default: return nil
            }
        }
    }
}

/// A rule that is prepared for evaluation.
private struct CompiledRule: Sendable {
    let number: Int
    let actions: Set<String>
    let subjects: Set<String>
    let conditions: [Condition]
    let fields: Set<String>?
    let isInverted: Bool

    init(_ rule: Doorward.AbilityRule, number: Int) {
        self.number = number
        (actions, subjects, isInverted) = (Set(rule.action), Set(rule.subject), rule.inverted)
        fields = rule.fields.map { Set($0) }
        conditions = (rule.conditions ?? [:]).flatMap { field, value in Condition.all(field, value) }
    }

    /// The only condition, if it is that a field has a text, and if the rule is not limited to fields.
    var onlyText: (field: String, text: String)? {
        guard fields == nil, conditions.count == 1, case .equals(.string(let text), isNegated: false) = conditions[0].test
        else { return nil }
        return (conditions[0].field, text)
    }

    /// Without an object, the question is about the type: a rule with conditions may permit some of its objects, and does not forbid all of
    /// them. Without a field, a rule that forbids some fields does not decide.
    func matches(_ value: (String) -> Doorward.JSONValue?, field: String?, hasObject: Bool) -> Bool {
        if let fields {
            guard let field else { return !isInverted && matchesConditions(value, hasObject) }
            guard fields.contains(field) else { return false }
        }
        return matchesConditions(value, hasObject)
    }

    private func matchesConditions(_ value: (String) -> Doorward.JSONValue?, _ hasObject: Bool) -> Bool {
        guard hasObject else { return !isInverted || conditions.isEmpty }
        return conditions.allSatisfy { $0.holds(value($0.field)) ?? isInverted }
    }
}

/// One condition on one field.
private struct Condition: Sendable {
    enum Test: Sendable {
        case equals(Doorward.JSONValue, isNegated: Bool)
        case isOneOf(Set<Doorward.JSONValue>, isNegated: Bool)
        case exists(Bool)
        case unsupported
    }

    let field: String
    let test: Test

    static func all(_ field: String, _ value: Doorward.JSONValue) -> [Condition] {
        guard case .object(let operators) = value, operators.keys.contains(where: { $0.hasPrefix("$") }) else {
            if field.hasPrefix("$") { return [Condition(field: field, test: .unsupported)] }
            return [Condition(field: field, test: isComparable(value) ? .equals(value, isNegated: false) : .unsupported)]
        }
        return operators.map { Condition(field: field, test: test($0, $1)) }
    }

    private static func test(_ name: String, _ value: Doorward.JSONValue) -> Test {
        switch (name, value) {
        case ("$eq", _) where isComparable(value): .equals(value, isNegated: false)
        case ("$ne", _) where isComparable(value): .equals(value, isNegated: true)
        case ("$in", .array(let values)) where values.allSatisfy(isComparable): .isOneOf(Set(values), isNegated: false)
        case ("$nin", .array(let values)) where values.allSatisfy(isComparable): .isOneOf(Set(values), isNegated: true)
        case ("$exists", .bool(let exists)): .exists(exists)
        default: .unsupported
        }
    }

    private static func isComparable(_ value: Doorward.JSONValue) -> Bool {
        switch value {
        case .array, .object: false
        case .null, .bool, .integer, .number, .string: true
        }
    }

    /// Whether the condition holds for the field's value; `nil` if it cannot be evaluated. A list matches if one of its elements
    /// does, as in MongoDB.
    func holds(_ value: Doorward.JSONValue?) -> Bool? {
        switch test {
        case .equals(let expected, let isNegated):
            // An absent field equals null.
            Self.contains(expected == .null ? value ?? .null : value) { $0 == expected } != isNegated
        case .isOneOf(let expected, let isNegated): Self.contains(value, where: expected.contains) != isNegated
        case .exists(let exists): (value != nil) == exists
        case .unsupported: nil
        }
    }

    private static func contains(_ value: Doorward.JSONValue?, where isExpected: (Doorward.JSONValue) -> Bool) -> Bool {
        guard let value else { return false }
        if case .array(let elements) = value { return elements.contains(where: isExpected) }
        return isExpected(value)
    }
}

extension Doorward {
    /// A rule of a person's abilities, in the form of CASL (https://casl.js.org): the actions on objects that match are permitted
    /// or, for an inverted rule, forbidden. The last rule that matches decides.
    public struct AbilityRule: Codable, Hashable, Sendable {
        /// The actions; `manage` is any action.
        public var action: [String]
        /// The types of objects; `all` is any type.
        public var subject: [String]
        /// The conditions on the object's fields, in MongoDB's operators; `nil` if there are none.
        public var conditions: [String: JSONValue]?
        /// The fields that the rule is limited to; `nil` if it is not limited to fields.
        public var fields: [String]?
        /// Whether the rule forbids the actions.
        public var inverted: Bool
        /// Why the rule forbids the actions.
        public var reason: DenialReason?

        public init(
            action: [String], subject: [String], conditions: [String: JSONValue]? = nil, fields: [String]? = nil,
            inverted: Bool = false, reason: DenialReason? = nil
        ) {
            (self.action, self.subject, self.conditions) = (action, subject, conditions)
            (self.fields, self.inverted, self.reason) = (fields, inverted, reason)
        }

        private enum CodingKeys: String, CodingKey { case action, subject, conditions, fields, inverted, reason }

        /// Decodes a rule, whose actions, subjects and fields may be a list or a single text. A rule without a subject is about
        /// any type.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            func list(_ key: CodingKeys) throws -> [String]? {
                guard container.contains(key), try !container.decodeNil(forKey: key) else { return nil }
                if let text = try? container.decode(String.self, forKey: key) { return [text] }
                return try container.decode([String].self, forKey: key)
            }
            guard let action = try list(.action) else {
                throw DecodingError.keyNotFound(
                    CodingKeys.action, .init(codingPath: decoder.codingPath, debugDescription: "a rule names its actions"))
            }
            self.action = action
            subject = try list(.subject) ?? ["all"]
            conditions = try container.decodeIfPresent([String: JSONValue].self, forKey: .conditions)
            fields = try list(.fields)
            inverted = try container.decodeIfPresent(Bool.self, forKey: .inverted) ?? false
            reason = try container.decodeIfPresent(DenialReason.self, forKey: .reason)
        }

        /// Unpacks a rule from CASL's packed form, `[action, subject, conditions | 0, inverted, fields | 0, reason]` with lists
        /// joined by commas, and without the empty values at the end.
        ///
        /// - Returns: `nil` for a value of another form.
        public init?(packed: [JSONValue]) {
            guard case .string(let action)? = packed.first, packed.count >= 2, case .string(let subject) = packed[1],
                packed.count <= 6
            else { return nil }
            func list(_ text: String) -> [String] {
                text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            }
            self.init(action: list(action), subject: list(subject))
            for (index, value) in packed.enumerated().dropFirst(2) {
                switch (index, value) {
                case (2, .object(let conditions)): self.conditions = conditions
                case (3, .integer(let flag)): inverted = flag != 0
                case (3, .bool(let flag)): inverted = flag
                case (4, .string(let fields)) where !fields.isEmpty: self.fields = list(fields)
                case (5, .string(let reason)): if !reason.isEmpty { self.reason = DenialReason(rawValue: reason) }
                case (2, .integer(0)), (4, .integer(0)), (4, .string), (2, .null), (4, .null), (5, .null): break
                default: return nil
                }
            }
        }

        /// The rule in CASL's packed form.
        public var packed: [JSONValue] {
            var values: [JSONValue] = [
                .string(action.joined(separator: ",")), .string(subject.joined(separator: ",")),
                conditions.map { .object($0) } ?? .integer(0), .integer(inverted ? 1 : 0),
                fields.map { .string($0.joined(separator: ",")) } ?? .integer(0), .string(reason?.rawValue ?? ""),
            ]
            while let last = values.last, last == .integer(0) || last == .string("") { values.removeLast() }
            return values
        }
    }
}
