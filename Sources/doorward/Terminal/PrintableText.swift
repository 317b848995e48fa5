extension String {
    /// The text with everything made visible that could steer a terminal or pretend to be another text: control characters,
    /// line ends, marks that turn the direction of writing, characters without width. Names come from other people.
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
    /// The joiner of emoji stays: without it they fall apart, and it moves nothing.
    fileprivate var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        case .format: value != 0x200D
        default: false
        }
    }

    /// The sign for a control character where Unicode has one, else its number.
    fileprivate var visible: String {
        if value < 0x20, let sign = Unicode.Scalar(0x2400 + value) { return String(Character(sign)) }
        if value == 0x7F { return "\u{2421}" }
        return "<U+\(String(value, radix: 16, uppercase: true))>"
    }
}
