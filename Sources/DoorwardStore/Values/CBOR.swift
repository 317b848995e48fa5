internal import DoorwardDomain

/// Encodes JSON values as CBOR (RFC 8949). A starting gateway may read a hundred thousand device addresses, and Foundation's
/// JSON parser takes tens of microseconds for each.
///
/// The encoder writes null, booleans, integers, doubles of eight bytes, text, and arrays and maps of definite length, with the
/// shortest heads and the keys of a map in ascending order. The decoder accepts nothing else, so each value has one encoding.
///
/// Text is made stream-safe when it is decoded (`StreamSafeText`). Older gateways stored text unchecked, and a map whose keys
/// contain long runs of combining marks would delay the start by seconds.
enum CBOR {
    /// The maximum nesting depth, which is greater than that of any address or metadata that the gateway accepts. The map
    /// itself is the first level.
    static let maxDepth = 64

    /// Returns `nil` for an object nested deeper than `maxDepth`, which could not be read back.
    static func bytes(of object: [String: JSONValue]) -> [UInt8]? {
        guard isWithin(maxDepth, .object(object)) else { return nil }
        var bytes: [UInt8] = []
        write(.object(object), to: &bytes)
        return bytes
    }

    /// Returns `nil` unless the bytes are exactly one map in the encoding of `bytes(of:)`.
    static func object(from bytes: [UInt8]) -> [String: JSONValue]? {
        var reader = CBORReader(rest: bytes[...])
        guard case .object(let object)? = reader.value(depth: 0), reader.isAtEnd else { return nil }
        return object
    }

    private static func isWithin(_ levels: Int, _ value: JSONValue) -> Bool {
        guard levels > 0 else { return false }
        return switch value {
        case .array(let elements): elements.allSatisfy { isWithin(levels - 1, $0) }
        case .object(let members): members.values.allSatisfy { isWithin(levels - 1, $0) }
        default: true
        }
    }

    private static func write(_ value: JSONValue, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes.append(0xF6)
        case .bool(let flag): bytes.append(flag ? 0xF5 : 0xF4)
        case .integer(let number):
            // A negative number n is written as -1 - n, which is n with all bits inverted.
            number < 0 ? head(1, UInt64(~number), to: &bytes) : head(0, UInt64(number), to: &bytes)
        case .number(let number):
            bytes.append(0xFB)
            withUnsafeBytes(of: number.bitPattern.bigEndian) { bytes.append(contentsOf: $0) }
        case .string(let text): write(text, to: &bytes)
        case .array(let elements):
            head(4, UInt64(elements.count), to: &bytes)
            for element in elements { write(element, to: &bytes) }
        case .object(let members):
            head(5, UInt64(members.count), to: &bytes)
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                write(key, to: &bytes)
                write(member, to: &bytes)
            }
        }
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        head(3, UInt64(text.utf8.count), to: &bytes)
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes the head of an item: its major type and its argument, in the shortest form (RFC 8949, section 3).
    private static func head(_ majorType: UInt8, _ argument: UInt64, to bytes: inout [UInt8]) {
        let type = majorType << 5
        switch argument {
        case 0..<24: bytes.append(type | UInt8(argument))
        case 24...0xFF: append(type | 24, argument, width: 1, to: &bytes)
        case 0x100...0xFFFF: append(type | 25, argument, width: 2, to: &bytes)
        case 0x1_0000...0xFFFF_FFFF: append(type | 26, argument, width: 4, to: &bytes)
        default: append(type | 27, argument, width: 8, to: &bytes)
        }
    }

    private static func append(_ first: UInt8, _ argument: UInt64, width: Int, to bytes: inout [UInt8]) {
        bytes.append(first)
        for index in (0..<width).reversed() { bytes.append(UInt8(truncatingIfNeeded: argument >> UInt64(8 * index))) }
    }
}

/// Decodes the encoding that `CBOR` writes.
private struct CBORReader {
    var rest: ArraySlice<UInt8>

    var isAtEnd: Bool { rest.isEmpty }

    mutating func value(depth: Int) -> JSONValue? {
        guard depth < CBOR.maxDepth, let first = rest.first else { return nil }
        switch first {
        case 0xF4, 0xF5, 0xF6:
            rest.removeFirst()
            return first == 0xF6 ? .null : .bool(first == 0xF5)
        case 0xFB:
            rest.removeFirst()
            return bigEndian(width: 8).map { .number(Double(bitPattern: $0)) }
        default: return item(depth: depth)
        }
    }

    private mutating func item(depth: Int) -> JSONValue? {
        guard let (type, argument) = head() else { return nil }
        switch type {
        case 0: return Int64(exactly: argument).map { .integer($0) }
        case 1: return Int64(exactly: argument).map { .integer(~$0) }
        case 3: return text(argument).map { .string($0) }
        case 4: return array(argument, depth: depth)
        case 5: return object(argument, depth: depth)
        default: return nil
        }
    }

    private mutating func array(_ count: UInt64, depth: Int) -> JSONValue? {
        guard count <= UInt64(rest.count) else { return nil }
        var elements: [JSONValue] = []
        for _ in 0..<count {
            guard let element = value(depth: depth + 1) else { return nil }
            elements.append(element)
        }
        return .array(elements)
    }

    private mutating func object(_ count: UInt64, depth: Int) -> JSONValue? {
        guard count <= UInt64(rest.count) else { return nil }
        var members: [String: JSONValue] = [:]
        var last: String?
        for _ in 0..<count {
            guard let (type, length) = head(), type == 3, let (key, isAsStored) = safeText(length),
                !isAsStored || last.map({ $0 < key }) ?? true, let member = value(depth: depth + 1)
            else { return nil }
            members[key] = member
            // If making the key stream-safe changed it, the order cannot be checked.
            last = isAsStored ? key : nil
        }
        return .object(members)
    }

    private mutating func text(_ count: UInt64) -> String? { safeText(count)?.text }

    private mutating func safeText(_ count: UInt64) -> (text: String, isAsStored: Bool)? {
        guard count <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        guard let text = String(validating: rest.prefix(Int(count)), as: UTF8.self) else { return nil }
        return text.isStreamSafe ? (text, true) : (text.streamSafe, false)
    }

    private mutating func head() -> (type: UInt8, argument: UInt64)? {
        guard let first = rest.popFirst() else { return nil }
        let short = first & 0x1F
        if short < 24 { return (first >> 5, UInt64(short)) }
        guard short <= 27 else { return nil }
        let width = 1 << (Int(short) - 24)
        // A smaller value must have a shorter head.
        let least: UInt64 = width == 1 ? 24 : 1 << UInt64(4 * width)
        guard let argument = bigEndian(width: width), argument >= least else { return nil }
        return (first >> 5, argument)
    }

    private mutating func bigEndian(width: Int) -> UInt64? {
        guard rest.count >= width else { return nil }
        defer { rest = rest.dropFirst(width) }
        return rest.prefix(width).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
