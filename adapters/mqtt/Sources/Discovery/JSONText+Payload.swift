internal import DoorwardDomain

extension JSONText {
    /// Parses a payload from an untrusted client.
    ///
    /// - Parameter longest: maximum bytes.
    /// - Returns: `nil` if the payload is no JSON in UTF-8, is longer than `longest`, nests deeper than `maxDepth`, or has more
    ///   than `maxValues` values. Without the last limit, four million bytes of empty objects would fill the memory.
    static func read(_ payload: [UInt8], maxBytes: Int = 65_536) -> JSONText? {
        guard payload.count <= maxBytes, countSeparators(payload) <= maxValues else { return nil }
        return JSONText(payload)
    }

    /// Maximum values of one payload. A list of Zigbee2MQTT has about one value in twenty bytes.
    static let maxValues = 300_000

    /// Counts commas and opening brackets, also in strings. The count is an upper bound of the number of values.
    private static func countSeparators(_ payload: [UInt8]) -> Int {
        payload.count { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
    }

    /// The text, if it is a string.
    var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The value, if it is a boolean.
    var bool: Bool? { if case .bool(let isTrue) = self { isTrue } else { nil } }
    /// The members, if it is an object.
    var object: [String: JSONText]? { if case .object(let fields) = self { fields } else { nil } }
    /// The elements, if it is an array.
    var array: [JSONText]? { if case .array(let values) = self { values } else { nil } }

    /// The value as in an address. An integer that exceeds 64 bits becomes a string of its digits.
    var value: JSONValue {
        switch self {
        case .null: .null
        case .bool(let isTrue): .bool(isTrue)
        case .integer(let digits): Int64(digits).map { .integer($0) } ?? .string(digits)
        case .number(let number): .number(number)
        case .string(let text): .string(text)
        case .array(let values): .array(values.map(\.value))
        case .object(let fields): .object(fields.mapValues(\.value))
        }
    }
}
