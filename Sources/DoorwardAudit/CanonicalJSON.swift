/// The rules of RFC 8785 for strings and for the key order.
enum CanonicalJSON {
    /// Appends a JSON string: `"` and `\` escaped, control characters by their short escape or as `\u00xx` in lower case,
    /// everything else unchanged. No normalisation.
    ///
    /// - Parameter escapingReserved: whether to double a leading `$`, as required for keys of the details.
    static func append(_ text: String, escapingReserved: Bool = false, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        if escapingReserved, text.utf8.first == DetailsFormat.reserved { bytes.append(DetailsFormat.reserved) }
        for byte in text.utf8 {
            if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "\\"))
                appendEscape(of: byte, to: &bytes)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func appendEscape(of byte: UInt8, to bytes: inout [UInt8]) {
        if let short = shortEscape(of: byte) {
            bytes.append(short)
        } else {
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(lowerHexDigit(byte >> 4))
            bytes.append(lowerHexDigit(byte & 0xF))
        }
    }

    /// The character after the backslash, for a character that has a short escape.
    static func shortEscape(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
        case 0x08: UInt8(ascii: "b")
        case 0x09: UInt8(ascii: "t")
        case 0x0A: UInt8(ascii: "n")
        case 0x0C: UInt8(ascii: "f")
        case 0x0D: UInt8(ascii: "r")
        default: nil
        }
    }

    /// The character that a short escape represents.
    static func character(ofShortEscape escape: UInt8) -> UInt8? {
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): escape
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "r"): 0x0D
        default: nil
        }
    }

    /// The key order: by UTF-16 code units. (Swift's `<` on strings compares their normal forms.)
    static func precedes(_ a: String, _ b: String) -> Bool { a.utf16.lexicographicallyPrecedes(b.utf16) }
}
