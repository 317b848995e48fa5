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
        func read<Value: Decodable>(_ make: (Value) -> JSONValue) -> JSONValue? { (try? container.decode(Value.self)).map(make) }
        let scalar =
            container.decodeNil() ? .null : read(Self.bool) ?? read(Self.integer) ?? read(Self.number) ?? read(Self.string)
        self = try scalar ?? read(Self.array) ?? .object(container.decode([String: JSONValue].self))
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

/// A type of JSON values that `JSONParser` builds.
package protocol JSONTree {
    /// `null`.
    static var null: Self { get }
    /// `true` or `false`.
    static func bool(_ value: Bool) -> Self
    /// A string with its escapes decoded, stream-safe (see `StreamSafeText`).
    static func string(_ text: String) -> Self
    /// The elements in the order of the text.
    static func array(_ elements: [Self]) -> Self
    /// The members, whose keys are distinct and stream-safe.
    static func object(_ members: [String: Self]) -> Self
    /// A number.
    ///
    /// - Parameters:
    ///   - text: the number as written, in the grammar of JSON.
    ///   - isInteger: whether the number has neither a fraction nor an exponent.
    /// - Returns: `nil` to reject a number that cannot be represented.
    static func number(_ text: String, isInteger: Bool) -> Self?
}

extension JSONValue: JSONTree {
    /// Converts `100.0` and `1e2` to the integer 100. Rejects a number beyond the range of a `Double`.
    package static func number(_ text: String, isInteger: Bool) -> JSONValue? {
        if isInteger, let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { return nil }
        // In this range a `Double` represents every integer.
        if number.magnitude <= 0x1p53, let integer = Int64(exactly: number) { return .integer(integer) }
        return .number(number)
    }

    /// The maximum nesting of arrays and objects in a request. Addresses and metadata of locks are nested less deeply.
    package static let maxDepth = 16

    /// Parses the JSON of a request, see `JSONParser`; text that is not stream-safe is an error.
    ///
    /// The function is not generic, unlike `JSONParser`: a generic function is not specialised
    /// across modules and takes 1.5 times as long.
    package static func parse(_ bytes: [UInt8]) throws(JSONFailure) -> JSONValue {
        try JSONParser<JSONValue>.parse(bytes, maxDepth: maxDepth, rejectsMarks: true)
    }
}

/// Parses JSON (RFC 8259) strictly. The parser rejects an object with a duplicate key, because other parsers differ in the value
/// that they use for it. It also rejects text after the value, a lone surrogate, an invalid number, and nesting beyond a limit.
package struct JSONParser<Value: JSONTree> {
    private let bytes: [UInt8]
    private let maxDepth: Int
    private let rejectsMarks: Bool
    private var position = 0
    private var depth = 0

    private init(_ bytes: [UInt8], maxDepth: Int, rejectsMarks: Bool) {
        (self.bytes, self.maxDepth, self.rejectsMarks) = (bytes, maxDepth, rejectsMarks)
    }

    /// Parses bytes that are exactly one JSON text in UTF-8.
    ///
    /// - Parameters:
    ///   - maxDepth: the maximum nesting of arrays and objects.
    ///   - rejectsMarks: whether a key or string that is not stream-safe is an error. If not, such a text is made stream-safe.
    package static func parse(_ bytes: [UInt8], maxDepth: Int, rejectsMarks: Bool) throws(JSONFailure) -> Value {
        var parser = Self(bytes, maxDepth: maxDepth, rejectsMarks: rejectsMarks)
        let value = try parser.value()
        parser.skipSpace()
        guard parser.position == bytes.count else { throw .notJSON }
        return value
    }

    // MARK: - Values

    private mutating func value() throws(JSONFailure) -> Value {
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return try nested { (parser) throws(JSONFailure) in try parser.object() }
        case UInt8(ascii: "["): return try nested { (parser) throws(JSONFailure) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return try number()
        }
    }

    private mutating func nested(_ read: (inout Self) throws(JSONFailure) -> Value) throws(JSONFailure) -> Value {
        guard depth < maxDepth else { throw .notJSON }
        depth += 1
        position += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func object() throws(JSONFailure) -> Value {
        var members: [String: Value] = [:]
        skipSpace()
        if skip("}") { return .object(members) }
        repeat {
            skipSpace()
            let key = try string()
            skipSpace()
            guard skip(":") else { throw .notJSON }
            guard members.updateValue(try value(), forKey: key) == nil else { throw .duplicateKey(key) }
            skipSpace()
        } while skip(",")
        guard skip("}") else { throw .notJSON }
        return .object(members)
    }

    private mutating func array() throws(JSONFailure) -> Value {
        var elements: [Value] = []
        skipSpace()
        if skip("]") { return .array(elements) }
        repeat {
            elements.append(try value())
            skipSpace()
        } while skip(",")
        guard skip("]") else { throw .notJSON }
        return .array(elements)
    }

    private mutating func literal(_ text: StaticString, _ value: Value) throws(JSONFailure) -> Value {
        for index in 0..<text.utf8CodeUnitCount {
            guard peek == text.utf8Start[index] else { throw .notJSON }
            position += 1
        }
        return value
    }

    // MARK: - Numbers

    private mutating func number() throws(JSONFailure) -> Value {
        let start = position
        _ = skip("-")
        if !skip("0") { try digits() }
        let integerEnd = position
        if skip(".") { try digits() }
        if skip("e") || skip("E") {
            if !skip("+") { _ = skip("-") }
            try digits()
        }
        // The text is ASCII: digits, signs, a point and an exponent.
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let number = Value.number(text, isInteger: position == integerEnd) else { throw .notJSON }
        return number
    }

    private mutating func digits() throws(JSONFailure) {
        let start = position
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw .notJSON }
    }

    // MARK: - Strings

    private mutating func string() throws(JSONFailure) -> String {
        guard skip("\"") else { throw .notJSON }
        var text: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw .notJSON }
                // Check the string before it is compared or hashed: both take quadratic time for text that is not stream-safe.
                if string.isStreamSafe { return string }
                guard !rejectsMarks else { throw .tooManyMarks }
                return string.streamSafe
            case UInt8(ascii: "\\"): text.append(contentsOf: try escape())
            case 0..<0x20: throw .notJSON
            default: text.append(byte)
            }
        }
        throw .notJSON
    }

    private mutating func escape() throws(JSONFailure) -> [UInt8] {
        guard let byte = peek else { throw .notJSON }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return try codePoint()
        default: throw .notJSON
        }
    }

    /// Reads `\uXXXX`, or a surrogate pair of two such escapes.
    private mutating func codePoint() throws(JSONFailure) -> [UInt8] {
        var code = try fourHexDigits()
        if (0xD800..<0xDC00).contains(code) {
            guard skip("\\"), skip("u") else { throw .notJSON }
            let low = try fourHexDigits()
            guard (0xDC00..<0xE000).contains(low) else { throw .notJSON }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw .notJSON }
        return Array(String(Character(scalar)).utf8)
    }

    private mutating func fourHexDigits() throws(JSONFailure) -> UInt32 {
        guard position + 4 <= bytes.count else { throw .notJSON }
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue else { throw .notJSON }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }

    // MARK: - Bytes

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }
}

/// The reason why `JSONParser` rejects a text.
package enum JSONFailure: Error, Equatable {
    /// The text breaks the grammar, is nested too deep, or contains a number that cannot be represented.
    case notJSON
    /// A key or string is not stream-safe, see `StreamSafeText`.
    case tooManyMarks
    /// An object contains this key twice.
    case duplicateKey(String)
}
