/// When a part of a profile is there: where its variables have values, and by two variables that it names.
struct PartCondition: Hashable, Sendable {
    /// Left out where this variable has a value other than `false`.
    var unless: String?
    /// Left out where this variable has none, or `false`.
    var onlyWith: String?

    func holds(_ values: [String: String]) -> Bool {
        func isGiven(_ name: String) -> Bool { values[name].map { $0 != "false" } ?? false }
        return unless.map { !isGiven($0) } ?? true && onlyWith.map { isGiven($0) } ?? true
    }
}
