extension Doorward {
    /// Any JSON value, for members whose form the API leaves open.
    public enum JSONValue: Codable, Hashable, Sendable {
        /// JSON's `null`.
        case null
        /// `true` or `false`.
        case bool(Bool)
        /// A number without a fraction that fits into 64 bits.
        case integer(Int64)
        /// Any other number.
        case number(Double)
        /// A string.
        case string(String)
        /// The elements in order.
        case array([JSONValue])
        /// The members by key.
        case object([String: JSONValue])

        /// Decodes any JSON value.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Int64.self) {
                self = .integer(value)
            } else if let value = try? container.decode(Double.self) {
                self = .number(value)
            } else if let value = try? container.decode(String.self) {
                self = .string(value)
            } else if let value = try? container.decode([JSONValue].self) {
                self = .array(value)
            } else {
                self = .object(try container.decode([String: JSONValue].self))
            }
        }

        /// Encodes the value.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .null: try container.encodeNil()
            case .bool(let value): try container.encode(value)
            case .integer(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .string(let value): try container.encode(value)
            case .array(let values): try container.encode(values)
            case .object(let members): try container.encode(members)
            }
        }

        /// Creates a string, or `nil` from `nil`.
        static func text(_ text: String?) -> JSONValue? { text.map { .string($0) } }
        static func flag(_ flag: Bool?) -> JSONValue? { flag.map { .bool($0) } }
    }
}
