/// Whether a part of a profile applies to an address, by the values of two variables.
struct PartCondition: Hashable, Sendable {
    /// Disabled if this variable has a value other than `false` and the empty text.
    var unless: String?
    /// Disabled if this variable has no value, `false` or the empty text.
    var onlyWith: String?

    func holds(_ values: [String: String]) -> Bool {
        func isGiven(_ name: String) -> Bool { values[name].map { $0 != "false" && !$0.isEmpty } ?? false }
        return unless.map { !isGiven($0) } ?? true && onlyWith.map { isGiven($0) } ?? true
    }
}
