/// The Stream-Safe Text Format (Unicode Standard Annex 15, section 13): at most 30 combining marks in a row.
///
/// Swift compares, hashes and orders strings by their canonical normal form, for which it sorts the combining marks of each
/// character. Sorting takes time quadratic in the number of marks: 64,000 bytes of marks take a second of processor time. In
/// stream-safe text each of these operations takes linear time. External text MUST be made stream-safe before it is compared,
/// hashed, ordered, lower-cased or counted. docs/decisions/0028 lists the places that ensure this.
package enum StreamSafeText {
    /// The maximum number of consecutive combining marks (characters whose canonical combining class is not 0).
    package static let maxMarks = 30
    /// COMBINING GRAPHEME JOINER: has no glyph, and ends a run of marks.
    static let joiner: Unicode.Scalar = "\u{34F}"
    /// The first byte of the first combining mark, U+0300, in UTF-8. Text whose bytes are all smaller contains no marks.
    private static let firstMarkByte: UInt8 = 0xCC

    /// Whether no run of marks is longer than `maxMarks`. Visits each scalar once.
    static func holds(
        for scalars: some Sequence<Unicode.Scalar>, isMark: (Unicode.Scalar) -> Bool = StreamSafeText.isMark
    ) -> Bool {
        var marks = 0
        for scalar in scalars {
            marks = isMark(scalar) ? marks + 1 : 0
            if marks > maxMarks { return false }
        }
        return true
    }

    /// The Stream-Safe Text Process (UAX15-D4): inserts a joiner after every `maxMarks` consecutive marks. Visits each scalar
    /// once.
    static func process(
        _ scalars: some Sequence<Unicode.Scalar>, isMark: (Unicode.Scalar) -> Bool = StreamSafeText.isMark
    ) -> String {
        var result = String.UnicodeScalarView()
        var marks = 0
        for scalar in scalars {
            marks = isMark(scalar) ? marks + 1 : 0
            if marks > maxMarks {
                result.append(joiner)
                marks = 1
            }
            result.append(scalar)
        }
        return String(result)
    }

    static func mayHoldMarks(_ bytes: some Sequence<UInt8>) -> Bool { bytes.contains { $0 >= firstMarkByte } }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
    }
}

extension String {
    /// Whether the text is in the Stream-Safe Text Format, see `StreamSafeText`.
    package var isStreamSafe: Bool { !StreamSafeText.mayHoldMarks(utf8) || StreamSafeText.holds(for: unicodeScalars) }

    /// The same text in the Stream-Safe Text Format: longer runs of marks are split by U+034F; everything else is unchanged.
    package var streamSafe: String { isStreamSafe ? self : StreamSafeText.process(unicodeScalars) }

    /// Decodes UTF-8 into stream-safe text.
    ///
    /// - Returns: `nil` if the bytes are not UTF-8.
    package init?(streamSafe bytes: some Sequence<UInt8>) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        self = text.streamSafe
    }

    /// The longest prefix, in whole scalars, of at most `limit` bytes of UTF-8.
    package func truncated(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: max(0, limit))
        while UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
        return String(self[..<end])
    }

    /// One line of printable, stream-safe text of at most `maxLength` characters; `nil` if nothing is left. For texts from outside that
    /// are shown in terminals and pages.
    package func singleLine(maxLength: Int) -> String? {
        let scalars = unicodeScalars.prefix(4 * maxLength).map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                " " as Unicode.Scalar
            default: scalar
            }
        }
        let words = String(String.UnicodeScalarView(scalars)).split(separator: " ").joined(separator: " ")
        return words.isEmpty ? nil : String(words.prefix(maxLength)).streamSafe
    }

    /// Whether both strings have the same bytes. Compares without normalisation, in time linear in the shorter string.
    package func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension String {
    /// The text without white space at either end.
    package var trimmed: String {
        let tail = unicodeScalars.drop(while: \.properties.isWhitespace)
        guard let last = tail.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
        return String(tail[...last])
    }
}
