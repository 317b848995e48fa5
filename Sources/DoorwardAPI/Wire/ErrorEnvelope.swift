extension Wire {
    /// The envelope of every answer that is no success.
    package struct ErrorEnvelope: Decodable, Sendable {
        /// The stable word for programs.
        package var code: String
        /// One sentence for a person.
        package var message: String
        /// `nil` in the form of RFC 9457 alone.
        package var details: Details?
        /// What finds the call in the gateway's own log.
        package var requestId: String?

        /// What `details` can hold; which of it is there depends on the code.
        package struct Details: Decodable, Sendable {
            /// Of `invalid_request`.
            package var fields: [FieldProblem]?
            /// Of every error about a command that exists.
            package var command: Command?
            /// Of a denied right; without a reason in it of any other error.
            package var denial: Denial

            private enum CodingKeys: String, CodingKey { case fields, command }

            /// Reads what it knows; what else `details` holds is passed over.
            package init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                fields = try container.decodeIfPresent([FieldProblem].self, forKey: .fields)
                command = try container.decodeIfPresent(Command.self, forKey: .command)
                denial = try Denial(from: decoder)
            }
        }
    }
}
