/// When a part of a profile is there: where its variables have values, and by two variables that it names.
struct PartCondition: Hashable, Sendable {
    /// Left out where this variable has a value other than `false` and the empty text.
    var unless: String?
    /// Left out where this variable has none, `false` or the empty text.
    var onlyWith: String?

    func holds(_ values: [String: String]) -> Bool {
        func isGiven(_ name: String) -> Bool { values[name].map { $0 != "false" && !$0.isEmpty } ?? false }
        return unless.map { !isGiven($0) } ?? true && onlyWith.map { isGiven($0) } ?? true
    }
}
