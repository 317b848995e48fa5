/// What is wrong with an address: at least one mistake.
public struct AddressErrors: Error, Hashable, Sendable {
    /// Never empty; sorted by field.
    public let mistakes: [Mistake]

    public init(_ mistakes: [Mistake]) { self.mistakes = mistakes }

    /// One thing that is wrong with one field.
    public struct Mistake: Hashable, Sendable {
        /// A path from the request's body: `address.latencyMs`.
        public let field: String
        /// A stable word: `unknown_key`, `wrong_type`, `out_of_range`, `required`.
        public let problem: String

        public init(field: String, problem: String) { (self.field, self.problem) = (field, problem) }
    }
}
