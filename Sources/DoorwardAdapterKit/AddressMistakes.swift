/// What is wrong with an address: at least one mistake.
package struct AddressMistakes: Error, Hashable, Sendable {
    /// Never empty; sorted by field.
    package let mistakes: [Mistake]

    package init(_ mistakes: [Mistake]) { self.mistakes = mistakes }

    /// One thing that is wrong with one field.
    package struct Mistake: Hashable, Sendable {
        /// A path from the request's body: `address.latencyMs`.
        package let field: String
        /// A stable word: `unknown_key`, `wrong_type`, `out_of_range`, `required`.
        package let problem: String

        package init(field: String, problem: String) { (self.field, self.problem) = (field, problem) }
    }
}
