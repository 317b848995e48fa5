/// The beginnings of ids, as tables show them and people type them.
enum IDPrefix {
    /// How many characters tables show at least.
    static let leastShown = 8
    /// How many characters have to be typed at least.
    static let leastTyped = 6

    /// How many first characters tell these ids apart, at least `leastShown`.
    static func length(addingHint ids: [String]) -> Int {
        let ids = Set(ids)
        let longest = ids.map(\.count).max() ?? 0
        var length = leastShown
        while length < longest, Set(ids.map { $0.prefix(length) }).count < ids.count { length += 1 }
        return length
    }

    /// Whether a text that was typed is the beginning of an id.
    static func matches(_ text: String, _ id: String) -> Bool {
        text.count >= leastTyped && id.lowercased().hasPrefix(text.lowercased())
    }
}
