internal import DoorwardDomain

/// Splits a JSON list into slices of its bytes without parsing them: a long list is never in memory as values.
struct JSONElements {
    let slices: [ArraySlice<UInt8>]

    /// Maximum elements of one list; a bridge has far fewer devices.
    static let maxCount = 50_000

    /// - Returns: `nil` for more than `maxCount` elements, or if brackets, commas and strings do not form a list. The caller has
    ///   to check that each element is JSON.
    init?(_ bytes: [UInt8]) {
        var slices: [ArraySlice<UInt8>] = []
        var (depth, start, isInString, isEscaped, isDone) = (0, 0, false, false, false)
        func element(_ end: Int) -> ArraySlice<UInt8>? {
            let slice = bytes[start..<end]
            return slice.contains { !Self.isSpace($0) } ? slice : nil
        }
        for (index, byte) in bytes.enumerated() {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                guard depth > 0 else { return nil }
                isInString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                guard !isDone, depth > 0 || byte == UInt8(ascii: "[") else { return nil }
                depth += 1
                if depth == 1 { start = index + 1 }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                guard depth >= 0 else { return nil }
                guard depth == 0 else { continue }
                // Only an empty list has an empty last element.
                if let last = element(index) { slices.append(last) } else if !slices.isEmpty { return nil }
                isDone = true
            case UInt8(ascii: ",") where depth == 1:
                guard slices.count < Self.maxCount, let next = element(index) else { return nil }
                slices.append(next)
                start = index + 1
            default:
                guard depth > 0 || Self.isSpace(byte) else { return nil }
            }
        }
        guard isDone, !isInString else { return nil }
        self.slices = slices
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }
}

extension JSONText {
    /// Parses a payload from an untrusted client.
    ///
    /// - Parameter maxBytes: maximum bytes.
    /// - Returns: `nil` if the payload is no JSON in UTF-8, is longer than `maxBytes`, nests deeper than `maxDepth`, or has more
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

extension JSONValue {
    /// The text, if it is a string.
    var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The members, if it is an object.
    var object: [String: JSONValue]? { if case .object(let fields) = self { fields } else { nil } }
    /// The elements, if it is an array.
    var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

    /// The approximate size in bytes: that of the value's texts, and an estimate for everything else.
    var size: Int {
        switch self {
        case .null, .bool, .integer, .number: 8
        case .string(let text): text.utf8.count
        case .array(let values): values.reduce(8) { $0 + $1.size }
        case .object(let fields): fields.reduce(8) { $0 + $1.key.utf8.count + $1.value.size }
        }
    }
}
