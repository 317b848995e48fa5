import DoorwardTesting
import Testing

@testable import DoorwardAudit

@Suite struct TextComparisonTests {
    /// Compares the pieces with a text.
    private func compare(_ pieces: [[UInt8]], with text: [UInt8]) -> (isSame: Bool, count: Int) {
        text.withUnsafeBufferPointer { text in
            var comparison = TextComparison(with: text)
            for piece in pieces {
                if piece.count == 1 {
                    comparison.append(piece[0])
                } else {
                    piece.withUnsafeBufferPointer { comparison.append(contentsOf: $0) }
                }
            }
            return (comparison.isSame, comparison.count)
        }
    }

    @Test("pieces are the same if and only if the text begins with them", arguments: 0..<300 as Range<UInt64>)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...1, using: &random) } }
        let text = bytes(Int.random(in: 0...12, using: &random))
        // Mostly pieces of the text itself, sometimes with a change, and sometimes longer than the text.
        var written = Array(text.prefix(Int.random(in: 0...12, using: &random)))
        if Bool.random(using: &random) { written += bytes(Int.random(in: 0...2, using: &random)) }
        if let index = written.indices.randomElement(using: &random), Int.random(in: 0..<3, using: &random) == 0 {
            written[index] ^= 1
        }
        var (pieces, rest) = ([[UInt8]](), written[...])
        while !rest.isEmpty {
            let count = Int.random(in: 0...min(4, rest.count), using: &random)
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        let result = compare(pieces, with: text)
        #expect(result.isSame == text.starts(with: written))
        if result.isSame { #expect(result.count == written.count) }
    }

    @Test("a difference is not forgotten, even if later pieces would fit again")
    func sticky() {
        let text = Array("abcdef".utf8)
        #expect(compare([[0x61], [0x78], [0x62], [0x63]], with: text) == (false, 1))
        #expect(compare([Array("abx".utf8), Array("abcdef".utf8)], with: text) == (false, 0))
        #expect(compare([[], [0x61], Array("bcdef".utf8), []], with: text) == (true, 6))
    }

    @Test("strings and constants are compared by their bytes in UTF-8, without normalisation")
    func strings() {
        let text = Array("Tür und Tor".utf8)
        func isSame(_ string: String) -> Bool {
            text.withUnsafeBufferPointer { text in
                var comparison = TextComparison(with: text)
                comparison.append(string: string)
                comparison.append(" und ")
                return comparison.isSame
            }
        }
        #expect(isSame("Tür"))
        #expect(!isSame("Tu\u{308}r"))
    }
}
