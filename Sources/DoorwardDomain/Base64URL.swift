internal import FoundationEssentials

/// Base64 in the alphabet for URLs, without padding (RFC 4648, section 5). Each sequence of bytes has exactly one encoding.
package enum Base64URL {
    /// Encodes bytes as a text of letters, digits, `-` and `_`.
    package static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString(options: [.base64URLAlphabet, .omitPaddingCharacter])
    }

    /// - Returns: `nil` for any text that `encode` does not produce: a text with padding, in the
    ///   standard alphabet of Base64, or with bits set after the last byte (section 3.5).
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        let standard = text.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0 }
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
        guard let bytes = Data(base64Encoded: Data(standard + padding)).map(Array.init), encode(bytes).utf8.elementsEqual(text)
        else { return nil }
        return bytes
    }
}

extension Collection<UInt8> {
    /// The bytes as lower-case hexadecimal digits, two for each.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * count)
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 0xF)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
