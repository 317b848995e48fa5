extension String {
    /// The text without white space at either end.
    package var trimmed: String {
        let tail = unicodeScalars.drop(while: \.properties.isWhitespace)
        guard let last = tail.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
        return String(tail[...last])
    }
}
