/// Abbreviated ids, as tables show them and users type them.
enum IDPrefix {
    /// Minimum number of characters that tables show.
    static let leastShown = 8
    /// Minimum number of characters that must be typed.
    static let leastTyped = 6

    /// Returns the number of leading characters that distinguish these ids, at least `leastShown`.
    static func length(addingHint ids: [String]) -> Int {
        let ids = Set(ids)
        let longest = ids.map(\.count).max() ?? 0
        var length = leastShown
        while length < longest, Set(ids.map { $0.prefix(length) }).count < ids.count { length += 1 }
        return length
    }

    /// Whether a typed text is the beginning of an id.
    static func matches(_ text: String, _ id: String) -> Bool {
        text.count >= leastTyped && id.lowercased().hasPrefix(text.lowercased())
    }
}
