extension Wire {
    /// The envelope of every error response.
    package struct ErrorEnvelope: Decodable, Sendable {
        /// The stable code for programs.
        package var code: String
        /// One sentence for users.
        package var message: String
        /// The details of the error; `nil` if the response contains none.
        package var details: Details?
        /// The id of the request, by which it can be found in the gateway's own log.
        package var requestId: String?

        /// The known members of `details`; the error's code determines which of them are present.
        package struct Details: Decodable, Sendable {
            /// The fields of an `invalid_request`.
            package var fields: [FieldProblem]?
            /// The command that the error is about; `nil` if there is none.
            package var command: Command?
            /// The number of objects of each kind that an object to delete contains, for `has_dependents`.
            package var dependents: [String: Int]?
            /// The details of a denied request. For any other error, the `reason` of the denial is `nil`.
            package var denial: Denial

            private enum CodingKeys: String, CodingKey { case fields, command, dependents }

            /// Decodes the known members; others are ignored.
            package init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                fields = try container.decodeIfPresent([FieldProblem].self, forKey: .fields)
                command = try container.decodeIfPresent(Command.self, forKey: .command)
                dependents = try container.decodeIfPresent([String: Int].self, forKey: .dependents)
                denial = try Denial(from: decoder)
            }
        }
    }
}
