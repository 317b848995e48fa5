/// Scans the tokens of canonical JSON, which contains no white space.
struct CanonicalJSONScanner {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    /// - Returns: `nil` if the bytes are not UTF-8.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        (self.bytes, position) = (bytes, bytes.startIndex)
    }

    var isAtEnd: Bool { position == bytes.endIndex }

    /// The next byte, without consuming it.
    var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    /// Consumes `text` if it is next.
    mutating func skip(_ text: StaticString) -> Bool {
        guard starts(with: text) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }

    /// Scans an integer: no leading zero, plus sign, fraction, exponent or negative zero.
    mutating func integer() -> Int64? {
        let start = position
        if next == UInt8(ascii: "-") { position += 1 }
        let digits = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        let count = position - digits
        guard count > 0, count <= 16 else { return nil }
        if bytes[digits] == UInt8(ascii: "0"), position - start > 1 { return nil }
        return Int64(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    /// Scans a string with its quotation marks, escaped exactly as RFC 8785 requires.
    mutating func string() -> String? {
        guard skip("\"") else { return nil }
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let character = escaped() else { return nil }
                text.append(character)
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    /// Scans an escape after its backslash: the short ones, and `u00xx` for the other control characters.
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
