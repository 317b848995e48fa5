/// A version of QR codes, with its capacity at error correction level M (ISO/IEC 18004, tables 1, 7 and 9 and annex E).
struct QRVersion {
    let number: Int
    /// The number of data and error correction codewords.
    let totalCodewords: Int
    /// The number of error correction codewords of each block.
    let correctionPerBlock: Int
    let blocks: Int
    /// The coordinates of the centers of alignment patterns.
    let alignment: [Int]

    static let all = [
        QRVersion(number: 1, totalCodewords: 26, correctionPerBlock: 10, blocks: 1, alignment: []),
        QRVersion(number: 2, totalCodewords: 44, correctionPerBlock: 16, blocks: 1, alignment: [6, 18]),
        QRVersion(number: 3, totalCodewords: 70, correctionPerBlock: 26, blocks: 1, alignment: [6, 22]),
        QRVersion(number: 4, totalCodewords: 100, correctionPerBlock: 18, blocks: 2, alignment: [6, 26]),
        QRVersion(number: 5, totalCodewords: 134, correctionPerBlock: 24, blocks: 2, alignment: [6, 30]),
        QRVersion(number: 6, totalCodewords: 172, correctionPerBlock: 16, blocks: 4, alignment: [6, 34]),
        QRVersion(number: 7, totalCodewords: 196, correctionPerBlock: 18, blocks: 4, alignment: [6, 22, 38]),
        QRVersion(number: 8, totalCodewords: 242, correctionPerBlock: 22, blocks: 4, alignment: [6, 24, 42]),
        QRVersion(number: 9, totalCodewords: 292, correctionPerBlock: 22, blocks: 5, alignment: [6, 26, 46]),
        QRVersion(number: 10, totalCodewords: 346, correctionPerBlock: 26, blocks: 5, alignment: [6, 28, 50]),
    ]

    var size: Int { 17 + 4 * number }
    private var dataCodewords: Int { totalCodewords - blocks * correctionPerBlock }
    private var countBits: Int { number < 10 ? 8 : 16 }

    /// Whether a text of this many bytes fits, with its mode indicator and character count.
    func fits(_ count: Int) -> Bool { 4 + countBits + 8 * count <= 8 * dataCodewords }

    /// The codewords of the symbol: data and error correction of all blocks, interleaved (section 7.6).
    func codewords(for bytes: [UInt8]) -> [UInt8] {
        let data = dataCodewords(for: bytes)
        let (short, longBlocks) = data.count.quotientAndRemainder(dividingBy: blocks)
        var (parts, start): ([[UInt8]], Int) = ([], 0)
        for block in 0..<blocks {
            let end = start + short + (block < blocks - longBlocks ? 0 : 1)
            parts.append(Array(data[start..<end]))
            start = end
        }
        let corrections = parts.map { ReedSolomon.correction(of: $0, count: correctionPerBlock) }
        return Self.interleaved(parts) + Self.interleaved(corrections)
    }

    /// The data codewords: byte mode, the count, the bytes, a terminator, and padding (section 7.4).
    func dataCodewords(for bytes: [UInt8]) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for index in (0..<count).reversed() { bits.append(value >> index & 1 == 1) }
        }
        append(0b0100, 4)
        append(bytes.count, countBits)
        for byte in bytes { append(Int(byte), 8) }
        append(0, min(4, 8 * dataCodewords - bits.count))
        append(0, (8 - bits.count % 8) % 8)
        var words = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        var isFirst = true
        while words.count < dataCodewords {
            words.append(isFirst ? 0xEC : 0x11)
            isFirst.toggle()
        }
        return words
    }

    private static func interleaved(_ parts: [[UInt8]]) -> [UInt8] {
        (0..<(parts.map(\.count).max() ?? 0)).flatMap { index in parts.compactMap { index < $0.count ? $0[index] : nil } }
    }
}

/// Error correction codewords of QR codes: a Reed-Solomon code over the field of 256 elements with the polynomial
/// x^8 + x^4 + x^3 + x^2 + 1 (ISO/IEC 18004, section 7.5).
enum ReedSolomon {
    static func correction(of data: [UInt8], count: Int) -> [UInt8] {
        let divisor = generator(count)
        var remainder = [UInt8](repeating: 0, count: count)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for index in remainder.indices { remainder[index] ^= product(divisor[index], factor) }
        }
        return remainder
    }

    /// The coefficients of (x - 1)(x - 2)(x - 4)… after the first one, which is 1.
    private static func generator(_ degree: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: degree)
        result[degree - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in 0..<degree {
                result[index] = product(result[index], root) ^ (index + 1 < degree ? result[index + 1] : 0)
            }
            root = product(root, 2)
        }
        return result
    }

    private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
        var result: UInt8 = 0
        for index in (0..<8).reversed() {
            result = (result << 1) ^ (result >> 7 == 1 ? 0x1D : 0)
            if b >> index & 1 == 1 { result ^= a }
        }
        return result
    }
}
