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
