extension String {
    /// The number of terminal columns that the text occupies.
    var displayWidth: Int {
        if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return utf8.count }
        return reduce(0) { $0 + $1.displayWidth }
    }

    /// Appends spaces up to this number of columns; a wider text stays unchanged.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - displayWidth)) }

    /// Returns the whole text if it fits into this number of columns, else its beginning and `…`.
    func clipped(to width: Int) -> String {
        guard displayWidth > width else { return self }
        guard width > 0 else { return "" }
        var text = ""
        for character in self {
            let longer = text + String(character)
            guard longer.displayWidth < width else { break }
            text = longer
        }
        return text + "…"
    }

    /// Returns the text in lines of at most this number of columns, divided at spaces. A longer word has a line of its own.
    func wrapped(to width: Int) -> [String] {
        var lines: [String] = []
        for word in split(separator: " ").map(String.init) {
            if let last = lines.last, last.displayWidth + 1 + word.displayWidth <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(word)
            }
        }
        return lines
    }
}

extension Character {
    /// Emoji and the wide characters of East Asia occupy two columns; combining marks occupy none.
    fileprivate var displayWidth: Int {
        if unicodeScalars.contains(where: { $0.value == 0xFE0F || $0.properties.isEmojiPresentation }) { return 2 }
        return unicodeScalars.map(\.displayWidth).max() ?? 0
    }
}

extension Unicode.Scalar {
    /// The blocks that are wide or full-width in East Asian Width (UAX #11, Unicode 16).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x18AFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD,
    ]

    fileprivate var displayWidth: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: 0
        default: Self.wide.contains { $0.contains(value) } ? 2 : 1
        }
    }
}
