/// Base64 with padding (RFC 4648, section 4) between byte buffers. Foundation's needs a `Data` and a `String` for each value, which
/// takes longer than to verify the value.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    /// The two characters of each number of 12 bits, in the order in which a little-endian number is stored.
    private static let pairs: [UInt16] = (0..<64 * 64).map {
        UInt16(littleEndian: UInt16(alphabet[$0 >> 6]) | UInt16(alphabet[$0 & 63]) << 8)
    }
    /// The value of each character, shifted to its place in a group of four: 256 values for each place. Other bytes are `invalid`.
    private static let values: [UInt32] = {
        var values = [UInt32](repeating: invalid, count: 4 * 256)
        for (value, character) in alphabet.enumerated() {
            for place in 0..<4 { values[place * 256 + Int(character)] = UInt32(value) << UInt32(18 - 6 * place) }
        }
        return values
    }()
    private static let invalid: UInt32 = 1 << 24

    static func append(_ bytes: UnsafeBufferPointer<UInt8>, to text: inout [UInt8]) {
        let start = text.count
        text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (bytes.count + 2) / 3 * 4))
        text.withUnsafeMutableBytes { text in
            pairs.withUnsafeBufferPointer { pairs in
                var (index, end) = (0, start)
                while index + 3 <= bytes.count {
                    let group = Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
                    text.storeBytes(of: pairs[group >> 12], toByteOffset: end, as: UInt16.self)
                    text.storeBytes(of: pairs[group & 0xFFF], toByteOffset: end + 2, as: UInt16.self)
                    (index, end) = (index + 3, end + 4)
                }
                let rest = bytes.count - index
                guard rest > 0 else { return }
                let group = Int(bytes[index]) << 16 | (rest == 2 ? Int(bytes[index + 1]) << 8 : 0)
                text.storeBytes(of: pairs[group >> 12], toByteOffset: end, as: UInt16.self)
                if rest == 2 { text[end + 2] = alphabet[group >> 6 & 63] }
            }
        }
    }

    static func append(_ bytes: [UInt8], to text: inout [UInt8]) { bytes.withUnsafeBufferPointer { append($0, to: &text) } }

    /// Appends the decoded bytes.
    ///
    /// - Returns: false unless `text` is the one spelling of some bytes.
    static func decode(_ text: UnsafeBufferPointer<UInt8>, into bytes: inout [UInt8]) -> Bool {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: text.count / 4 * 3))
        let count = bytes.withUnsafeMutableBufferPointer {
            decode(text, into: UnsafeMutableBufferPointer(rebasing: $0[start...]))
        }
        guard let count else { return false }
        bytes.removeLast(bytes.count - start - count)
        return true
    }

    /// Writes the decoded bytes at the beginning of a buffer.
    ///
    /// - Returns: their number; `nil` unless `text` is the one spelling of some bytes, and they fit into the buffer.
    static func decode(_ text: UnsafeBufferPointer<UInt8>, into bytes: UnsafeMutableBufferPointer<UInt8>) -> Int? {
        guard text.count % 4 == 0, let last = text.last else { return text.isEmpty ? 0 : nil }
        let padding = last != UInt8(ascii: "=") ? 0 : text[text.count - 2] != UInt8(ascii: "=") ? 1 : 2
        let (groups, count) = (text.count / 4 - 1, text.count / 4 * 3 - padding)
        guard count <= bytes.count else { return nil }
        return values.withUnsafeBufferPointer { values in
            func value(_ index: Int, _ place: Int) -> UInt32 { values[place * 256 + Int(text[index + place])] }
            var all: UInt32 = 0
            for index in 0..<groups {
                let at = index * 4
                let group = value(at, 0) | value(at, 1) | value(at, 2) | value(at, 3)
                all |= group
                bytes[index * 3] = UInt8(truncatingIfNeeded: group >> 16)
                bytes[index * 3 + 1] = UInt8(truncatingIfNeeded: group >> 8)
                bytes[index * 3 + 2] = UInt8(truncatingIfNeeded: group)
            }
            var group: UInt32 = 0
            for place in 0..<4 - padding { group |= value(groups * 4, place) }
            // The bits after the last byte are zero in the one spelling.
            guard (all | group) < invalid, group & (1 << UInt32(8 * padding) - 1) == 0 else { return nil }
            for index in 0..<3 - padding {
                bytes[groups * 3 + index] = UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * index))
            }
            return count
        }
    }
}
