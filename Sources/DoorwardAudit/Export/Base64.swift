/// Base64 with padding (RFC 4648, section 4) between byte buffers. Foundation's needs a `Data` and a `String` for each value, which
/// takes longer than to verify the value.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    /// The value of each character; 255 for other bytes.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    static func append(_ bytes: UnsafeBufferPointer<UInt8>, to text: inout [UInt8]) {
        let start = text.count
        text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (bytes.count + 2) / 3 * 4))
        text.withUnsafeMutableBufferPointer { text in
            alphabet.withUnsafeBufferPointer { alphabet in
                var (index, end) = (0, start)
                while index + 3 <= bytes.count {
                    let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
                    text[end] = alphabet[Int(group >> 18)]
                    text[end + 1] = alphabet[Int(group >> 12 & 63)]
                    text[end + 2] = alphabet[Int(group >> 6 & 63)]
                    text[end + 3] = alphabet[Int(group & 63)]
                    (index, end) = (index + 3, end + 4)
                }
                let rest = bytes.count - index
                guard rest > 0 else { return }
                let group = UInt32(bytes[index]) << 16 | (rest == 2 ? UInt32(bytes[index + 1]) << 8 : 0)
                text[end] = alphabet[Int(group >> 18)]
                text[end + 1] = alphabet[Int(group >> 12 & 63)]
                if rest == 2 { text[end + 2] = alphabet[Int(group >> 6 & 63)] }
            }
        }
    }

    static func append(_ bytes: [UInt8], to text: inout [UInt8]) { bytes.withUnsafeBufferPointer { append($0, to: &text) } }

    /// Appends the decoded bytes.
    ///
    /// - Returns: false unless `text` is the one spelling of some bytes.
    static func decode(_ text: UnsafeBufferPointer<UInt8>, into bytes: inout [UInt8]) -> Bool {
        guard text.count % 4 == 0 else { return false }
        guard !text.isEmpty else { return true }
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: text.count / 4 * 3 - 3))
        return values.withUnsafeBufferPointer { values in
            let isValid = bytes.withUnsafeMutableBufferPointer { bytes in
                var (index, end, invalid) = (0, start, 0 as UInt8)
                while index < text.count - 4 {
                    let (a, b) = (values[Int(text[index])], values[Int(text[index + 1])])
                    let (c, d) = (values[Int(text[index + 2])], values[Int(text[index + 3])])
                    invalid |= a | b | c | d
                    bytes[end] = a << 2 | b >> 4
                    bytes[end + 1] = b << 4 | c >> 2
                    bytes[end + 2] = c << 6 | d
                    (index, end) = (index + 4, end + 3)
                }
                return invalid < 64
            }
            return isValid && decodeLast(text.suffix(4), values, into: &bytes)
        }
    }

    private static func decodeLast(
        _ group: Slice<UnsafeBufferPointer<UInt8>>, _ values: UnsafeBufferPointer<UInt8>, into bytes: inout [UInt8]
    ) -> Bool {
        let padding = group.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        let digits = group.dropLast(padding).map { values[Int($0)] }
        guard padding <= 2, digits.allSatisfy({ $0 < 64 }) else { return false }
        bytes.append(digits[0] << 2 | digits[1] >> 4)
        if padding == 2 { return digits[1] & 15 == 0 }
        bytes.append(digits[1] << 4 | digits[2] >> 2)
        if padding == 1 { return digits[2] & 3 == 0 }
        bytes.append(digits[2] << 6 | digits[3])
        return true
    }
}
