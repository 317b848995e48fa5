import Testing

@testable import doorward

@Suite("Untrusted text on a terminal") struct PrintableTextTests {
    @Test(
        "control characters and misleading characters are made visible",
        arguments: [
            ("plain name", "plain name"), ("a\u{1B}[31mb", "a␛[31mb"), ("a\rb", "a␍b"), ("a\u{7}b", "a␇b"), ("a\u{7F}", "a␡"),
            ("a\u{9B}b", "a<U+9B>b"), ("a\u{202E}b", "a<U+202E>b"), ("a\u{2066}b", "a<U+2066>b"), ("a\u{200B}b", "a<U+200B>b"),
            ("a\u{2028}b", "a<U+2028>b"), ("a\r\nb", "a␍␊b"), ("Tür 東 é", "Tür 東 é"), ("👩‍🚒", "👩‍🚒"),
        ])
    func visible(_ text: String, _ shown: String) {
        #expect(text.printable == shown)
    }

    @Test(
        "the width of a text is its number of terminal columns",
        arguments: [
            ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("東口", 4), ("ｶﾅ", 2), ("한글", 4), ("👍", 2), ("👩‍🚒", 2), ("❤️", 2),
            ("Kellertür", 9), ("✓", 1),
        ])
    func widths(_ text: String, _ width: Int) {
        #expect(text.displayWidth == width)
        #expect(text.padded(to: 12).displayWidth == 12)
    }

    @Test("padding does not shorten a text that is already wider")
    func wide() { #expect("abcdef".padded(to: 3) == "abcdef") }

    @Test(
        "a text that is too long is cut between characters and ends with an ellipsis",
        arguments: [
            ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("東口東口", 6, "東口…"), ("東口東口", 4, "東…"), ("abc", 1, "…"),
            ("abc", 0, ""),
            ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ])
    func clipped(_ text: String, _ width: Int, _ shown: String) {
        #expect(text.clipped(to: width) == shown)
        #expect(text.clipped(to: width).displayWidth <= width)
    }
}
