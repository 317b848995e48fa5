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

    @Test(
        "A text is divided at spaces into lines that fit, and a longer word has a line of its own",
        arguments: [
            ("one two three", 7, ["one two", "three"]), ("one two", 7, ["one two"]), ("one two", 6, ["one", "two"]),
            ("", 5, []), ("far-too-long a b", 3, ["far-too-long", "a b"]), ("鍵 鍵 鍵", 5, ["鍵 鍵", "鍵"]),
        ] as [(String, Int, [String])])
    func wrapped(_ text: String, _ width: Int, _ lines: [String]) {
        #expect(text.wrapped(to: width) == lines)
    }

    @Test(
        "A word of a suggested command is quoted for the shell where it must be",
        arguments: [
            ("Cellar", "Cellar"), ("Quay 1 / 1A", "'Quay 1 / 1A'"), ("Tom's", #"'Tom'\''s'"#), ("a@b.example", "a@b.example"),
            ("$(reboot)", "'$(reboot)'"), ("", "''"), ("Tür", "'Tür'"), ("a\nb", "'a␊b'"), ("~", "'~'"), ("*", "'*'"),
        ])
    func shellQuoted(_ text: String, _ word: String) { #expect(text.shellQuoted == word) }
}
