internal import DoorwardDomain

extension JSONText {
    /// Reads a payload that anybody may have published.
    ///
    /// - Parameter longest: bytes.
    /// - Returns: `nil` for what is no JSON in UTF-8, longer, deeper than `deepest`, or of more than `mostValues` values: four
    ///   million bytes of empty objects would otherwise fill the memory.
    static func read(_ payload: [UInt8], longest: Int = 65_536) -> JSONText? {
        // `JSONText` takes stream-safe text out of it.
        guard payload.count <= longest, countMarks(payload) <= mostValues, let text = String(validating: payload, as: UTF8.self)
        else {
            return nil
        }
        return JSONText(text)
    }

    /// A list of Zigbee2MQTT has about one value in twenty bytes.
    static let mostValues = 300_000

    /// What begins a value, commas and brackets, wherever it stands.
    private static func countMarks(_ payload: [UInt8]) -> Int {
        payload.count { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
    }

    /// The text, if it is one.
    var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The truth value, if it is one.
    var bool: Bool? { if case .bool(let isTrue) = self { isTrue } else { nil } }
    /// The fields, if it is an object.
    var object: [String: JSONText]? { if case .object(let fields) = self { fields } else { nil } }
    /// The values, if it is an array.
    var array: [JSONText]? { if case .array(let values) = self { values } else { nil } }

    /// The same as an address has it. A whole number that 64 bits do not hold is its digits.
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
