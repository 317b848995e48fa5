import DoorwardDomain
import Glibc

/// The rules of RFC 8785 for strings and for the key order.
enum CanonicalJSON {
    /// Appends a JSON string. Escapes `"` and `\` by a backslash, and control characters by their short escape or, if they have
    /// none, as `\u00xx` in lower case. All other characters are unchanged, without normalisation.
    ///
    /// - Parameter escapingReserved: whether to double a leading `$`, as required for keys of the details.
    static func append(_ text: String, escapingReserved: Bool = false, to output: inout some TextOutput) {
        output.append(UInt8(ascii: "\""))
        if escapingReserved, text.utf8.first == DetailsFormat.reserved { output.append(DetailsFormat.reserved) }
        if text.utf8.contains(where: isEscaped) {
            for byte in text.utf8 {
                if isEscaped(byte) { appendEscape(of: byte, to: &output) } else { output.append(byte) }
            }
        } else {
            output.append(string: text)
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func appendEscape(of byte: UInt8, to bytes: inout some TextOutput) {
        bytes.append(UInt8(ascii: "\\"))
        if let short = shortEscape(of: byte) {
            bytes.append(short)
        } else {
            bytes.append("u00")
            bytes.append(lowerHexDigit(byte >> 4))
            bytes.append(lowerHexDigit(byte & 0xF))
        }
    }

    /// The characters with a short escape, and the character that follows the backslash in it.
    private static let shortEscapes = zip("\"\\\u{8}\t\n\u{C}\r".utf8, "\"\\btnfr".utf8).map { (character: $0, escape: $1) }

    /// Returns the character that follows the backslash in the short escape of `byte`; `nil` if `byte` has no short escape.
    static func shortEscape(of byte: UInt8) -> UInt8? { shortEscapes.first { $0.character == byte }?.escape }

    /// Returns the character that a short escape represents.
    static func character(ofShortEscape escape: UInt8) -> UInt8? { shortEscapes.first { $0.escape == escape }?.character }

    /// Compares keys by their UTF-16 code units, as RFC 8785 orders them. (Swift's `<` on strings compares their normal forms.)
    static func precedes(_ a: String, _ b: String) -> Bool { a.utf16.lexicographicallyPrecedes(b.utf16) }
}

/// Scans canonical JSON, in which every value has exactly one notation and nothing stands between the tokens.
struct CanonicalJSONScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    /// The next byte, without consuming it.
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// The bytes that were not scanned yet.
    var rest: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[position...]) }

    func starts(with text: StaticString) -> Bool {
        guard text.utf8CodeUnitCount <= bytes.count - position, let start = bytes.baseAddress else { return false }
        return memcmp(start + position, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    /// Consumes `text` if it is next.
    mutating func skip(_ text: StaticString) -> Bool { starts(with: text) && skip(text.utf8CodeUnitCount) }

    /// Skips bytes of the rest.
    mutating func skip(_ count: Int) -> Bool {
        guard count <= bytes.count - position else { return false }
        position += count
        return true
    }

    /// A whole number in decimal, less than 2^63. Leaves a fraction or an exponent unread.
    mutating func number() -> UInt64? {
        let start = position
        var value: UInt64 = 0
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            guard position - start < 19 else { return nil }
            value = value * 10 + UInt64(byte - UInt8(ascii: "0"))
            position += 1
        }
        let hasLeadingZero = position > start + 1 && bytes[start] == UInt8(ascii: "0")
        return position > start && !hasLeadingZero && value <= UInt64(Int64.max) ? value : nil
    }

    /// A whole number that may be negative, but not a negative zero.
    mutating func integer() -> Int64? {
        guard skip("-") else { return number().map { Int64($0) } }
        return number().flatMap { $0 > 0 ? -Int64($0) : nil }
    }

    /// The characters between quotation marks, without any escape.
    mutating func plainString() -> UnsafeBufferPointer<UInt8>? {
        guard skip("\"") else { return nil }
        let rest = rest
        guard let end = rest.firstOffset(of: UInt8(ascii: "\"")) else { return nil }
        position += end + 1
        return UnsafeBufferPointer(rebasing: rest[..<end])
    }

    /// Bytes in canonical base64.
    mutating func base64() -> [UInt8]? {
        // stream-safe: base64 is ASCII; any other text is rejected.
        plainString().flatMap { SignedNote.base64(String(decoding: $0, as: UTF8.self)) }
    }

    /// 32 bytes in base64.
    mutating func hash() -> Digest32? { base64().flatMap { Digest32($0) } }

    /// A string with its quotation marks, in UTF-8 and escaped exactly as RFC 8785 requires.
    mutating func string() -> String? {
        let start = position
        guard let plain = plainString() else { return nil }
        if plain.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\\") }) { return String(validating: plain, as: UTF8.self) }
        position = start + 1
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let character = escaped() else { return nil }
                text.append(character)
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    /// Scans an escape after its backslash: a short escape, or `u00xx` for a control character that has no short escape.
    private mutating func escaped() -> UInt8? {
        guard let kind = next else { return nil }
        if let character = CanonicalJSON.character(ofShortEscape: kind) {
            position += 1
            return character
        }
        guard skip("u00"), let high = hexDigit(), let low = hexDigit() else { return nil }
        let character = high << 4 | low
        return character < 0x20 && CanonicalJSON.shortEscape(of: character) == nil ? character : nil
    }

    private mutating func hexDigit() -> UInt8? {
        guard let byte = next else { return nil }
        position += 1
        return lowerHexValue(byte)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The offset of the first occurrence of a byte.
    func firstOffset(of byte: UInt8) -> Int? {
        guard let start = baseAddress, let found = memchr(start, CInt(byte), count) else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(start)
    }
}

extension [UInt8] {
    mutating func append(bigEndian value: UInt64) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// Overwrites the bytes from `offset` on, as many as `new` has.
    mutating func overwrite(at offset: Int, with new: some Collection<UInt8>) {
        replaceSubrange(offset..<offset + new.count, with: new)
    }

    /// Appends the text of the log's id.
    mutating func append(log: LogID) {
        switch log {
        case .gateway: append(contentsOf: "gateway".utf8)
        case .portfolio(let id): append(id: id)
        }
    }

    /// Appends the id's canonical text.
    mutating func append<Entity>(id: EntityID<Entity>) { id.withText { append(contentsOf: $0) } }
}

/// The lower-case hexadecimal digit, in ASCII, of a value below 16.
func lowerHexDigit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
}

extension RandomAccessCollection<UInt8> {
    /// Decodes exactly eight bytes as a big-endian number; `nil` for any other count.
    var bigEndianUInt64: UInt64? { count == 8 ? reduce(0) { $0 << 8 | UInt64($1) } : nil }
}

/// The value of an ASCII hexadecimal digit; `nil` for anything else, including upper-case letters.
func lowerHexValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
}
