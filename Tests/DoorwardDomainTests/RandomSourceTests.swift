import DoorwardDomain
import DoorwardTesting
import Testing

@Suite struct RandomSourceTests {
    private static let at = Timestamp(milliseconds: 0x0199_0000_0001)

    @Test("The same seed gives the same ids and bytes, and another seed gives others")
    func seeded() {
        func draw(_ seed: UInt64) -> ([UserID], [UInt8]) {
            let source = RandomSource(SeededGenerator(seed: seed))
            return ((0..<20).map { _ in source.id(at: Self.at) }, source.bytes(40))
        }
        #expect(draw(1) == draw(1))
        #expect(draw(1).0 != draw(2).0)
        #expect(draw(1).1 != draw(2).1)
    }

    @Test("The requested number of bytes is returned", arguments: [0, 1, 7, 32, 1000])
    func count(bytes: Int) { #expect(RandomSource(SeededGenerator(seed: 1)).bytes(bytes).count == bytes) }

    @Test("Every byte value occurs")
    func allValues() { #expect(Set(RandomSource(SeededGenerator(seed: 2)).bytes(5000)).count == 256) }

    @Test("Two sources without a seed give different values")
    func system() {
        #expect(RandomSource().bytes(16) != RandomSource().bytes(16))
        let first: CommandID = RandomSource().id(at: Self.at)
        #expect(first != RandomSource().id(at: Self.at))
    }

    @Test("Concurrent callers never get the same id")
    func concurrent() async {
        let source = RandomSource(SeededGenerator(seed: 3))
        let ids = await withTaskGroup(of: [CommandID].self) { group in
            for _ in 0..<8 { group.addTask { (0..<250).map { _ in source.id(at: Self.at) } } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(ids.count == 2000)
        #expect(Set(ids).count == 2000)
    }

    @Test("The system's numbers vary in every bit and never repeat")
    func systemNumbers() {
        let source = RandomSource()
        let bytes = source.bytes(8 * 32 * 100)
        let words = stride(from: 0, to: bytes.count, by: 8).map { start in
            bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        #expect(Set(words).count == words.count)
        #expect(words.reduce(0, |) == .max)
        #expect(words.reduce(.max, &) == 0)
    }

    @Test("Concurrent callers of a source without a seed never get the same bytes")
    func concurrentCallers() async {
        let source = RandomSource()
        let drawn = await withTaskGroup(of: [[UInt8]].self) { group in
            for _ in 0..<8 { group.addTask { (0..<500).map { _ in source.bytes(8) } } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(drawn.count == 4000)
        #expect(Set(drawn).count == 4000)
    }

    @Test("Random bytes are the bytes of the generator's numbers in order, and none is used twice")
    func bytesOfWords() {
        struct Counter: RandomNumberGenerator, Sendable {
            var word: UInt64 = 0x0706_0504_0302_0100
            mutating func next() -> UInt64 {
                defer { word &+= 0x0808_0808_0808_0808 }
                return word
            }
        }
        let source = RandomSource(Counter())
        #expect(source.bytes(11) == Array(0..<11))
        #expect(source.hexadecimal(byteCount: 9) == "101112131415161718")
        #expect([UInt8]([0, 9, 0xA0, 0xFF]).hexadecimal == "0009a0ff")
    }
}
