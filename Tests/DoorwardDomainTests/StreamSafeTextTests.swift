import Glibc
import Testing

@testable import DoorwardDomain

/// Untrusted text, in a form in which every string operation takes linear time.
@Suite struct StreamSafeTextTests {
    private static let marks: [Unicode.Scalar] = ["\u{345}", "\u{35C}", "\u{301}", "\u{323}", "\u{31B}", "\u{327}", "\u{334}"]

    static func bomb(_ count: Int) -> String {
        String(String.UnicodeScalarView((0..<count).map { marks[$0 % marks.count] }))
    }

    private static let safe: [String] = [
        "", "plain", "Zo\u{EB} e\u{301}", bomb(30), bomb(30) + "a" + bomb(30), bomb(30) + "\u{34F}" + bomb(30),
        // Characters of combining class 0 need no sorting, so any number of them may follow each other.
        String(repeating: "\u{FE0F}", count: 1000), String(repeating: "\u{1F1E6}", count: 1000),
    ]

    @Test("Text with up to 30 combining marks in a row is stream-safe and is not changed", arguments: safe)
    func isSafe(_ text: String) {
        #expect(text.isStreamSafe)
        #expect(text.streamSafe.hasSameBytes(as: text))
    }

    @Test("Text with 31 combining marks in a row is made stream-safe", arguments: [bomb(31), "a" + bomb(31) + "b"])
    func isUnsafe(_ text: String) {
        #expect(!text.isStreamSafe)
        #expect(text.streamSafe.isStreamSafe)
    }

    @Test("Only joiners are added", arguments: [31, 60, 61, 1000, 32_000])
    func process(_ count: Int) {
        let safe = Self.bomb(count).streamSafe
        let kept = safe.unicodeScalars.filter { $0 != StreamSafeText.joiner }
        #expect(String(String.UnicodeScalarView(kept)).hasSameBytes(as: Self.bomb(count)))
        #expect(safe.unicodeScalars.count == count + (count - 1) / 30)
    }

    @Test("Each scalar is examined once", arguments: [0, 1, 100, 10_000])
    func looks(_ count: Int) {
        var looks = 0
        let isMark = { (_: Unicode.Scalar) in
            looks += 1
            return false
        }
        #expect(StreamSafeText.holds(for: Self.bomb(count).unicodeScalars, isMark: isMark))
        #expect(looks == count)
        _ = StreamSafeText.process(Self.bomb(count).unicodeScalars, isMark: isMark)
        #expect(looks == 2 * count)
    }

    @Test("Bytes that are not UTF-8 are rejected")
    func decoding() {
        #expect(String(streamSafe: [0xFF]) == nil)
        #expect(String(streamSafe: [0xCC]) == nil)
        #expect(String(streamSafe: Array("é".utf8)) == "é")
        #expect(String(streamSafe: Array(Self.bomb(90).utf8))?.isStreamSafe == true)
    }

    @Test(
        "Text is truncated between scalars",
        arguments: [("", 3, ""), ("abc", 3, "abc"), ("abcd", 3, "abc"), ("aé", 2, "a"), ("é", 0, "")])
    func truncated(_ text: String, _ limit: Int, _ kept: String) { #expect(text.truncated(toBytes: limit) == kept) }

    @Test("Canonically equivalent texts are equal but do not have the same bytes")
    func bytes() {
        #expect("é" == "e\u{301}")
        #expect(!"é".hasSameBytes(as: "e\u{301}"))
        #expect("é".hasSameBytes(as: "é"))
    }

    /// A text that is 256 times as long may take up to 50 × 256 times the processor time. If an
    /// operation sorted the marks, it would take 256 × 256 times the processor time.
    @Test("Comparing, hashing, ordering and lower-casing stream-safe text takes linear time")
    func linear() {
        func cost(_ count: Int, repeats: Int) -> Double {
            let (one, other) = (Self.bomb(count).streamSafe, (Self.bomb(count) + "x").streamSafe)
            var sum = 0
            let begun = Self.processorTime()
            for _ in 0..<repeats {
                sum &+= one.hashValue
                sum &+= one == other ? 1 : 0
                sum &+= one < other ? 1 : 0
                sum &+= one.lowercased().utf8.count + one.count
            }
            let time = Self.processorTime() - begun
            #expect(sum != 0)
            return time / Double(repeats)
        }
        _ = cost(100, repeats: 100)
        #expect(cost(32_000, repeats: 3) < cost(125, repeats: 1000) * 256 * 50)
    }

    /// Returns the processor time of this thread in seconds, which other programs do not affect.
    private static func processorTime() -> Double {
        // A `timespec` as a plain tuple, because not every build finds the members of `timespec` in the same module.
        var time = (seconds: 0, nanoseconds: 0)
        withUnsafeMutableBytes(of: &time) { bytes in
            guard let start = bytes.baseAddress else { return }
            _ = clock_gettime(CLOCK_THREAD_CPUTIME_ID, start.assumingMemoryBound(to: timespec.self))
        }
        return Double(time.seconds) + Double(time.nanoseconds) / 1e9
    }
}
