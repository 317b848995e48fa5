extension Wire {
    /// Any JSON value, for objects whose form an adapter defines.
    package enum Value: Codable, Equatable, Sendable {
        /// JSON's `null`.
        case null
        /// `true` or `false`, never a number.
        case bool(Bool)
        /// A number without a fraction that fits into 64 bits, in any notation.
        case integer(Int64)
        /// Any other number.
        case number(Double)
        /// A string.
        case string(String)
        /// The elements in order.
        case array([Value])
        /// The members by key; their order is not kept.
        case object([String: Value])

        /// Decodes any JSON value, including one that is neither an object nor an array.
        package init(from decoder: any Decoder) throws {
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
            } else if let value = try? container.decode([Value].self) {
                self = .array(value)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }

        /// Encodes integers without a fraction.
        package func encode(to encoder: any Encoder) throws {
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
    }
}
