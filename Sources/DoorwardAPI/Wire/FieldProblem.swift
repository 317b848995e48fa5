extension Wire {
    /// A problem with one field of a request, as listed in `details.fields` of `invalid_request`.
    package struct FieldProblem: Decodable, Equatable, Sendable {
        /// The field's path in the body or its name in the query, such as `address.broker`.
        package var field: String
        /// A value of `FieldProblemCode`, or a code that only this request reports.
        package var problem: String
    }
}
