/// Any JSON value, such as the `address` of a lock. The gateway stores and shows it without interpreting it.
///
/// A number without a fraction that fits into 64 bits is an `integer`; any other number is a `number`.
public enum JSONValue: Hashable, Sendable {
    /// An explicit `null`. An absent field has no `JSONValue`.
    case null
    /// `true` or `false`; never 0 or 1.
    case bool(Bool)
    /// A number without a fraction that fits into 64 bits. In a request, this includes a number written as `1.0`.
    case integer(Int64)
    /// Any other number, rounded to the nearest double.
    case number(Double)
    /// The string with its escapes decoded.
    case string(String)
    /// The elements in the order of the text.
    case array([JSONValue])
    /// The members; their order is not kept.
    case object([String: JSONValue])
}

extension JSONValue: Codable {
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

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONValue {
    /// Compares strings by their bytes, because a composed and a decomposed letter give different MQTT topics.
    public static func == (one: JSONValue, other: JSONValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.integer(let one), .integer(let other)): one == other
        case (.number(let one), .number(let other)): one == other
        case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        default: false
        }
    }
}
