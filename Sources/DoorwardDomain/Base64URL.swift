/// Base64 in the alphabet for URLs, without padding (RFC 4648, section 5). Each sequence of bytes has exactly one encoding.
///
/// Works on bytes: each event of a stream has an encoded id, and each request an encoded token.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    /// The value of each character, by its code; 64 for a byte that is none of the alphabet.
    private static let values = (0...UInt8.max).map { byte in UInt8(alphabet.firstIndex(of: byte) ?? 64) }

    /// Encodes bytes as a text of letters, digits, `-` and `_`.
    package static func encode(_ bytes: [UInt8]) -> String {
        let alphabet = alphabet
        return String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
            var (count, word, bits) = (0, 0 as UInt32, 0 as UInt32)
            func append(_ value: UInt32) {
                text.initializeElement(at: count, to: alphabet[Int(value & 63)])
                count += 1
            }
            for byte in bytes {
                (word, bits) = (word << 8 | UInt32(byte), bits + 8)
                while bits >= 6 {
                    bits -= 6
                    append(word >> bits)
                }
            }
            if bits > 0 { append(word << (6 - bits)) }
            return count
        }
    }

    /// - Returns: `nil` for any text that `encode` does not produce: a text with padding, in the
    ///   standard alphabet of Base64, or with bits set after the last byte (section 3.5).
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        let values = values
        var (bytes, word, bits) = ([UInt8](), 0 as UInt32, 0 as UInt32)
        bytes.reserveCapacity(text.count * 3 / 4)
        for character in text {
            let value = values[Int(character)]
            guard value < 64 else { return nil }
            (word, bits) = (word << 6 | UInt32(value), bits + 6)
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: word >> bits))
            }
        }
        // A single character at the end encodes no byte, and the bits after the last byte are 0.
        guard bits < 6, word & ((1 << bits) - 1) == 0 else { return nil }
        return bytes
    }
}

extension Collection<UInt8> {
    /// The bytes as lower-case hexadecimal digits, two for each.
    package var hexadecimal: String {
        String(unsafeUninitializedCapacity: 2 * count) { digits in
            for (index, byte) in enumerated() {
                digits.initializeElement(at: 2 * index, to: Self.digit(byte >> 4))
                digits.initializeElement(at: 2 * index + 1, to: Self.digit(byte & 0xF))
            }
            return 2 * count
        }
    }

    private static func digit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }
}
