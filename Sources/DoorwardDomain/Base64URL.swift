internal import FoundationEssentials

/// Base64 in the alphabet for URLs, without padding (RFC 4648, section 5). Each sequence of bytes has exactly one encoding.
package enum Base64URL {
    /// Encodes bytes as a text of letters, digits, `-` and `_`.
    package static func encode(_ bytes: [UInt8]) -> String {
        String(
            Data(bytes).base64EncodedString().compactMap { $0 == "=" ? nil : $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }

    /// - Returns: `nil` for any text that `encode` does not produce: a text with padding, in the
    ///   standard alphabet of Base64, or with bits set after the last byte (section 3.5).
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var characters = text.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while !characters.count.isMultiple(of: 4) { characters.append(UInt8(ascii: "=")) }
        guard let bytes = Data(base64Encoded: Data(characters)).map({ Array($0) }), encode(bytes).utf8.elementsEqual(text)
        else { return nil }
        return bytes
    }
}
