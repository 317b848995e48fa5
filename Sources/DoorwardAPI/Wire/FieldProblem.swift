extension Wire {
    /// What is wrong with one field of a request, as `details.fields` of `invalid_request` lists it.
    package struct FieldProblem: Decodable, Equatable, Sendable {
        /// The field's path in the body or its name in the query, such as `address.broker`.
        package var field: String
        /// A word of `FieldProblemWord`, or of the rules of one use case.
        package var problem: String
    }
}
