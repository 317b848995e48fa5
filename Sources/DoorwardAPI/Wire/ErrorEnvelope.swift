extension Wire {
    /// The envelope of every error response.
    package struct ErrorEnvelope: Decodable, Sendable {
        /// The stable code for programs.
        package var code: String
        /// One sentence for people.
        package var message: String
        /// The gateway always sends it; `nil` if it is missing nevertheless.
        package var details: Details?
        /// The id under which the gateway's own log contains the request.
        package var requestId: String?

        /// The known members of `details`; which of them are there depends on the code.
        package struct Details: Decodable, Sendable {
            /// The fields of an `invalid_request`.
            package var fields: [FieldProblem]?
            /// The command of every error about a command that exists.
            package var command: Command?
            /// The details of a denied request; without a reason for any other error.
            package var denial: Denial

            private enum CodingKeys: String, CodingKey { case fields, command }

            /// Decodes the known members; others are ignored.
            package init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                fields = try container.decodeIfPresent([FieldProblem].self, forKey: .fields)
                command = try container.decodeIfPresent(Command.self, forKey: .command)
                denial = try Denial(from: decoder)
            }
        }
    }
}
