/// Why a call to a gateway returned no usable response.
package enum ClientError: Error, Equatable, Sendable {
    /// The gateway was not reached; nothing was sent.
    case noConnection(server: String, why: String)
    /// The request was sent, and no complete response arrived. Whether it had an effect is unknown.
    case noResponse(server: String, why: String)
    /// The gateway responded with an error.
    case refused(APIError)
    /// The response comes from another server, or from a gateway of another version: its envelope could not be decoded.
    case notAGateway(server: String)
    /// The gateway's certificate is not trusted, or is for another host; `why` describes the problem. Nothing was sent.
    case tlsFailed(server: String, why: String)
    /// There is no session for this gateway; the user must sign in.
    case notSignedIn(server: String?)
    /// The session, or the API key if `email` is `nil`, is no longer accepted and cannot be refreshed; the user must sign in again.
    case sessionExpired(server: String, email: String?, name: SessionName)
    /// The server address cannot be used; `why` is a sentence.
    case badAddress(String, why: String)
    /// The session file cannot be used; `why` describes the problem and the remedy.
    case sessionFile(path: String, why: String)
    /// The file with the trusted certificates cannot be used.
    case authorityFile(path: String, why: String)
}

/// An error response of the gateway.
package struct APIError: Equatable, Sendable {
    /// The HTTP status.
    package var status: Int
    /// The stable error code for programs.
    package var code: String
    /// One sentence for a person.
    package var message: String
    /// Why access was denied, if the caller may see the reason.
    package var denial: Doorward.Denial?
    /// The invalid fields of the request.
    package var fields: [FieldProblem] = []
    /// The command that the error is about, if there is one.
    package var command: Doorward.Command?
    /// The number of objects of each kind that the object to delete contains, for `has_dependents`.
    package var dependents: [String: Int] = [:]
    /// Identifies the request in the gateway's log.
    package var requestID: String?
    /// Seconds to wait before another attempt.
    package var retryAfter: Int?
}

/// A successful response: its `data`, decoded and as JSON.
package struct Response<Content: Sendable>: Sendable {
    /// The decoded part of `data`; unknown members are left out.
    package let content: Content
    /// The JSON value of `data` as the gateway wrote it, with the members that `Content` does not decode.
    package let json: [UInt8]

    /// The `ETag` of the object; `nil` if the response has none.
    package var etag: String?
}

/// A problem with one field of a request, as listed in `details.fields` of `invalid_request`.
package struct FieldProblem: Decodable, Equatable, Sendable {
    /// The field's path in the body or its name in the query, such as `address.broker`.
    package var field: String
    /// A code such as `too_long`; see `FieldProblemCode` of the gateway.
    package var problem: String
}

extension APIError: Decodable {
    private enum CodingKeys: String, CodingKey { case code, message, details, requestID = "requestId" }

    /// The known members of `details`; the error's code determines which of them are present.
    private struct Details: Decodable {
        var fields: [FieldProblem]?
        var command: Doorward.Command?
        var dependents: [String: Int]?
    }

    /// Decodes the envelope of an error response; `status` and `retryAfter` are not part of it. Unknown members are ignored.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            status: 0, code: try container.decode(String.self, forKey: .code),
            message: try container.decode(String.self, forKey: .message))
        let details = try container.decodeIfPresent(Details.self, forKey: .details)
        (fields, command, dependents) = (details?.fields ?? [], details?.command, details?.dependents ?? [:])
        let denial = try container.decodeIfPresent(Doorward.Denial.self, forKey: .details)
        if denial?.reason != nil { self.denial = denial }
        requestID = try container.decodeIfPresent(String.self, forKey: .requestID)
    }
}
