/// The errors of an address; at least one.
public struct AddressErrors: Error, Hashable, Sendable {
    /// The errors, at least one, sorted by field.
    public let mistakes: [Mistake]

    public init(_ mistakes: [Mistake]) { self.mistakes = mistakes }

    /// One error in one field.
    public struct Mistake: Hashable, Sendable {
        /// The path of the field in the request's body, such as `address.latencyMs`.
        public let field: String
        /// A stable code, such as `unknown_key`, `wrong_type`, `out_of_range` or `required`.
        public let problem: String

        public init(field: String, problem: String) { (self.field, self.problem) = (field, problem) }
    }
}
