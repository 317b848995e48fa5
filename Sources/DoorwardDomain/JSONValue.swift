/// Any JSON value: what is stored and shown without the gateway looking inside, such as an adapter's `address`.
///
/// Numbers are whole (`integer`) where they were written so, else `number`.
package enum JSONValue: Hashable, Sendable {
    /// `null` in the text; an absent field is no value at all.
    case null
    /// `true` or `false`; 0 and 1 are numbers.
    case bool(Bool)
    /// A number without a fraction that 64 bits hold, also if it was written as `1.0`.
    case integer(Int64)
    /// Any other number, as near as a double is to it.
    case number(Double)
    /// Without the escapes that it was written with.
    case string(String)
    /// In the order of the text.
    case array([JSONValue])
    /// The order of the fields is not kept.
    case object([String: JSONValue])
}

extension JSONValue: Codable {
    /// Reads any value that JSON has.
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
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
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
    /// Texts are equal when their bytes are: a name of one composed letter and one of two are two MQTT topics.
    package static func == (one: JSONValue, other: JSONValue) -> Bool {
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
