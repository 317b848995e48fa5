extension Wire {
    /// Any JSON value, for places whose shape is an adapter's own.
    package enum Value: Codable, Equatable, Sendable {
        /// JSON's `null`, a value like others.
        case null
        /// `true` or `false`; no number is taken for one.
        case bool(Bool)
        /// A number without a fraction, however it was written.
        case integer(Int64)
        /// Any other number.
        case number(Double)
        /// A text, without its quotes and escapes.
        case string(String)
        /// Values in their order.
        case array([Value])
        /// Values by key; their order is not kept.
        case object([String: Value])

        /// Reads any JSON there is, a value without braces around it too.
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

        /// Writes whole numbers without a fraction.
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
