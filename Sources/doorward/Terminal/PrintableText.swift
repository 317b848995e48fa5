extension String {
    /// The text with visible signs in place of characters that could control a terminal or make the text look like another one:
    /// control characters, line breaks, bidirectional marks, zero-width characters. Names are written by other users.
    var printable: String {
        guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
        var shown = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar.isUnprintable { shown.append(contentsOf: scalar.visible.unicodeScalars) } else { shown.append(scalar) }
        }
        return String(shown)
    }
}

extension Unicode.Scalar {
    /// Whether the character must be replaced. The zero-width joiner is kept: without it emoji are split, and it cannot change
    /// the direction of text.
    fileprivate var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        case .format: value != 0x200D
        default: false
        }
    }

    /// The symbol for a control character if Unicode has one, else its number.
    fileprivate var visible: String {
        if value < 0x20, let sign = Unicode.Scalar(0x2400 + value) { return String(Character(sign)) }
        if value == 0x7F { return "\u{2421}" }
        return "<U+\(String(value, radix: 16, uppercase: true))>"
    }
}

extension String {
    /// The text as one word of a suggested command: quoted for the shell if it contains anything but letters, digits and a few signs.
    var shellQuoted: String {
        let text = printable
        let isPlain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_./:@%+=,-".contains($0)) }
        return isPlain && !text.isEmpty ? text : "'\(text.replacing("'", with: #"'\''"#))'"
    }
}
