import Testing

@testable import DoorwardAPI

/// QR codes, against the worked example of ISO/IEC 18004 and against the definitions. `scripts/test-pages` decodes codes with
/// another program.
@Suite struct QRCodeTests {
    @Test("The error correction codewords are those of the standard's example (annex I)")
    func reedSolomon() {
        let data: [UInt8] = [
            0x10, 0x20, 0x0C, 0x56, 0x61, 0x80, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11,
        ]
        let expected: [UInt8] = [0xA5, 0x24, 0xD4, 0xC1, 0xED, 0x36, 0xC7, 0x87, 0x2C, 0x55]
        #expect(ReedSolomon.correction(of: data, count: 10) == expected)
    }

    @Test(
        "A text gets the smallest version that holds it",
        arguments: [(14, 21), (15, 25), (26, 25), (27, 29), (180, 53), (181, 57), (213, 57)])
    func versions(_ count: Int, _ size: Int) {
        #expect(QRCode(String(repeating: "a", count: count))?.size == size)
    }

    @Test("A text that no version holds has no code")
    func tooLong() { #expect(QRCode(String(repeating: "a", count: QRCode.maxBytes + 1)) == nil) }

    @Test(
        "The codewords fill the modules that no pattern takes, but for the remainder bits", arguments: QRVersion.all.map(\.number)
    )
    func capacity(_ number: Int) {
        let version = QRVersion.all[number - 1]
        let remainder = number == 1 || number >= 7 ? 0 : 7
        let patterns = version.alignment.isEmpty ? 0 : version.alignment.count * version.alignment.count - 3
        // Finders with separators, timing, alignment (which share modules with the timing patterns), format and version.
        let shared = max(0, version.alignment.count - 2) * 2 * 5
        let taken = 3 * 64 + 2 * (version.size - 16) + patterns * 25 - shared + 31 + (number >= 7 ? 36 : 0)
        #expect(version.size * version.size - taken == version.totalCodewords * 8 + remainder)
        #expect(version.codewords(for: [1, 2, 3]).count == version.totalCodewords)
    }

    @Test("The padding of a short text is 236 and 17 in turn")
    func padding() {
        let words = QRVersion.all[0].dataCodewords(for: Array("A".utf8))
        #expect(words.prefix(5) == [0x40, 0x14, 0x10, 0xEC, 0x11])
        #expect(words.count == 16)
    }

    @Test(
        "The mask is the one with the lowest penalty",
        arguments: ["a", "https://doors.example/g/abcdefghijklmnopqrstuvwxyz0123456789_-ABCDE"])
    func mask(_ text: String) throws {
        let chosen = try #require(QRCode(text))
        let all = try (0..<8).map { try #require(QRCode(text, mask: $0)) }
        #expect(Set(all.map { "\($0)" }).count == 8 && all.contains(chosen))
        #expect(chosen.penalty == all.map(\.penalty).min())
    }

    @Test("The image draws each dark module once, inside a quiet zone of four modules")
    func svg() throws {
        let code = try #require(QRCode("https://doors.example/g/x"))
        let image = code.svg(title: "QR code")
        #expect(image.hasPrefix("<svg xmlns=") && image.contains("viewBox=\"0 0 \(code.size + 8) \(code.size + 8)\""))
        let widths = image.matches(of: #/h([0-9]+)v1h-/#).compactMap { Int($0.1) }
        let dark = (0..<code.size).reduce(0) { sum, y in sum + (0..<code.size).count { code[$0, y] } }
        #expect(widths.reduce(0, +) == dark && !image.contains("href"))
    }

    @Test("The lines for a terminal have two rows of modules each, dark on white or with the light modules drawn")
    func terminal() throws {
        let code = try #require(QRCode("x"))
        let (plain, coloured) = (code.terminalLines(hasColour: false), code.terminalLines(hasColour: true))
        #expect(plain.count == (code.size + 8 + 1) / 2 && plain.allSatisfy { $0.count == code.size + 8 })
        #expect(plain[0] == String(repeating: "\u{2588}", count: code.size + 8))
        #expect(coloured.count == plain.count && coloured.allSatisfy { $0.hasPrefix("\u{1B}[30;107m") })
        let inverse: [Character: Character] = ["\u{2588}": " ", " ": "\u{2588}", "\u{2580}": "\u{2584}", "\u{2584}": "\u{2580}"]
        let inverted = coloured.map { line in String(line.dropFirst(9).dropLast(4).map { inverse[$0] ?? $0 }) }
        #expect(inverted == plain)
    }
}
