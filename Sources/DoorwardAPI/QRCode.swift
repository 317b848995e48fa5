/// A QR code in byte mode with error correction level M (ISO/IEC 18004), of the smallest version from 1 to 10 that fits.
package struct QRCode: Equatable, Sendable {
    /// The number of modules on each side, without the quiet zone.
    package let size: Int
    private var dark: [Bool]
    /// The modules of the finder, timing and alignment patterns and of the format and version information, which no mask changes.
    private var isReserved: [Bool]

    /// The number of light modules around the symbol that a reader needs.
    package static let quietZone = 4
    /// The longest text in bytes: what version 10 holds.
    package static let maxBytes = 213

    /// - Returns: `nil` if the text is longer than `maxBytes`.
    package init?(_ text: String) { self.init(text, mask: nil) }

    /// - Parameter mask: the mask to apply; `nil` for the one with the lowest penalty, which the standard requires.
    init?(_ text: String, mask: Int?) {
        let bytes = Array(text.utf8)
        guard let version = QRVersion.all.first(where: { $0.fits(bytes.count) }) else { return nil }
        size = version.size
        dark = Array(repeating: false, count: size * size)
        isReserved = dark
        drawFunctionPatterns(of: version)
        place(version.codewords(for: bytes))
        let chosen = mask ?? bestMask
        apply(chosen)
        drawFormat(mask: chosen)
    }

    /// Whether the module at a position is dark; false outside the symbol.
    package subscript(x: Int, y: Int) -> Bool {
        (0..<size).contains(x) && (0..<size).contains(y) && dark[y * size + x]
    }

    // MARK: - Function patterns

    private mutating func reserve(_ x: Int, _ y: Int, _ isDark: Bool) {
        guard (0..<size).contains(x), (0..<size).contains(y) else { return }
        dark[y * size + x] = isDark
        isReserved[y * size + x] = true
    }

    private mutating func drawFunctionPatterns(of version: QRVersion) {
        for index in 0..<size {
            reserve(6, index, index.isMultiple(of: 2))
            reserve(index, 6, index.isMultiple(of: 2))
        }
        for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] { drawRings(x, y, radius: 4, light: [2, 4]) }
        let centers = version.alignment
        for x in centers {
            for y in centers {
                let isAtFinder = (x == 6 || x == size - 7) && (y == 6 || y == size - 7) && !(x == size - 7 && y == size - 7)
                if !isAtFinder { drawRings(x, y, radius: 2, light: [1]) }
            }
        }
        // Reserves the modules; `drawFormat` sets them again for the chosen mask.
        drawFormat(mask: 0)
        drawVersion(version)
    }

    /// Draws a finder or alignment pattern: square rings around a module, of which those with the radii in `light` are light.
    private mutating func drawRings(_ centerX: Int, _ centerY: Int, radius: Int, light: Set<Int>) {
        for dy in -radius...radius {
            for dx in -radius...radius { reserve(centerX + dx, centerY + dy, !light.contains(max(abs(dx), abs(dy)))) }
        }
    }

    /// Draws both copies of the format information: the level (M has the bits 00) and the mask, with a BCH code (section 7.9).
    private mutating func drawFormat(mask: Int) {
        var rest = mask
        for _ in 0..<10 { rest = (rest << 1) ^ ((rest >> 9) * 0x537) }
        let bits = (mask << 10 | rest) ^ 0x5412
        func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
        for index in 0...5 { reserve(8, index, bit(index)) }
        reserve(8, 7, bit(6))
        reserve(8, 8, bit(7))
        reserve(7, 8, bit(8))
        for index in 9..<15 { reserve(14 - index, 8, bit(index)) }
        for index in 0..<8 { reserve(size - 1 - index, 8, bit(index)) }
        for index in 8..<15 { reserve(8, size - 15 + index, bit(index)) }
        reserve(8, size - 8, true)
    }

    /// Draws both copies of the version information, which symbols from version 7 on have (section 7.10).
    private mutating func drawVersion(_ version: QRVersion) {
        guard version.number >= 7 else { return }
        var rest = version.number
        for _ in 0..<12 { rest = (rest << 1) ^ ((rest >> 11) * 0x1F25) }
        let bits = version.number << 12 | rest
        for index in 0..<18 {
            let (long, short) = (size - 11 + index % 3, index / 3)
            reserve(long, short, bits >> index & 1 == 1)
            reserve(short, long, bits >> index & 1 == 1)
        }
    }

    // MARK: - Data

    /// Places the codewords in columns of two modules, from the right, alternately upwards and downwards (section 7.7.3).
    private mutating func place(_ codewords: [UInt8]) {
        var index = 0
        var right = size - 1
        while right >= 1 {
            // The column of the vertical timing pattern contains no data.
            if right == 6 { right = 5 }
            for step in 0..<size {
                let isUpward = (right + 1) & 2 == 0
                let y = isUpward ? size - 1 - step : step
                for x in [right, right - 1] where !isReserved[y * size + x] && index < codewords.count * 8 {
                    dark[y * size + x] = codewords[index >> 3] >> (7 - index & 7) & 1 == 1
                    index += 1
                }
            }
            right -= 2
        }
    }

    // MARK: - Masks

    private mutating func apply(_ mask: Int) {
        for y in 0..<size {
            for x in 0..<size where !isReserved[y * size + x] && Self.isInverted(x, y, mask) { dark[y * size + x].toggle() }
        }
    }

    private static func isInverted(_ x: Int, _ y: Int, _ mask: Int) -> Bool {
        switch mask {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }

    private var bestMask: Int {
        let penalties = (0..<8).map { mask in
            var masked = self
            masked.apply(mask)
            masked.drawFormat(mask: mask)
            return masked.penalty
        }
        return penalties.indices.min { penalties[$0] < penalties[$1] } ?? 0
    }

    /// The penalty of the symbol (section 7.8.3.1): runs of one colour, blocks of 2 by 2, patterns that look like a finder, and an
    /// unequal share of dark modules.
    var penalty: Int {
        var total = 0
        for line in 0..<size {
            total += Self.penalty(of: (0..<size).map { self[$0, line] })
            total += Self.penalty(of: (0..<size).map { self[line, $0] })
        }
        for y in 0..<size - 1 {
            for x in 0..<size - 1 {
                let color = self[x, y]
                if color == self[x + 1, y], color == self[x, y + 1], color == self[x + 1, y + 1] { total += 3 }
            }
        }
        let share = dark.count { $0 } * 20
        // The number of whole steps of 5 % by which the share differs from a half.
        let steps = (abs(share - dark.count * 10) + dark.count - 1) / dark.count - 1
        return total + max(0, steps) * 10
    }

    private static let finderLike = [true, false, true, true, true, false, true]

    private static func penalty(of line: [Bool]) -> Int {
        var (total, run) = (0, 1)
        for index in 1..<line.count {
            if line[index] == line[index - 1] { run += 1 } else { run = 1 }
            if run == 5 { total += 3 } else if run > 5 { total += 1 }
        }
        // Outside the symbol is the light quiet zone.
        let padded = Array(repeating: false, count: 4) + line + Array(repeating: false, count: 4)
        for start in 4..<padded.count - 10 where Array(padded[start..<start + 7]) == finderLike {
            let isLightBefore = !padded[start - 4..<start].contains(true)
            let isLightAfter = !padded[start + 7..<start + 11].contains(true)
            if isLightBefore { total += 40 }
            if isLightAfter { total += 40 }
        }
        return total
    }
}

// MARK: - Output

extension QRCode {
    /// The code as an SVG image with its quiet zone, dark on white, without references to anything else.
    ///
    /// - Parameter title: the text alternative; it must not need escaping in XML.
    package func svg(title: String) -> String {
        let side = size + 2 * Self.quietZone
        var path = ""
        for y in 0..<size {
            var x = 0
            while x < size {
                let start = x
                while self[x, y] { x += 1 }
                if x > start { path += "M\(start + Self.quietZone) \(y + Self.quietZone)h\(x - start)v1h-\(x - start)z" }
                x += 1
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" role="img" shape-rendering="crispEdges">\
            <title>\(title)</title><path fill="#fff" d="M0 0h\(side)v\(side)H0z"/><path fill="#000" d="\(path)"/></svg>
            """
    }

    /// The code in lines for a terminal, each of two rows of modules.
    ///
    /// - Parameter hasColour: whether to set the colours, dark on white. Otherwise the light modules are drawn, which is correct on a
    ///   terminal with light text on a dark background; most readers can also read the inverted code.
    package func terminalLines(hasColour: Bool) -> [String] {
        let range = -Self.quietZone..<size + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { y in
            let blocks = range.map { x in
                switch (self[x, y] == hasColour, self[x, y + 1] == hasColour) {
                case (true, true): "\u{2588}"
                case (true, false): "\u{2580}"
                case (false, true): "\u{2584}"
                case (false, false): " "
                }
            }
            return hasColour ? "\u{1B}[30;107m\(blocks.joined())\u{1B}[0m" : blocks.joined()
        }
    }
}

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
        let words = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        return words + (0..<dataCodewords - words.count).map { $0.isMultiple(of: 2) ? 0xEC : 0x11 }
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
