internal import FoundationEssentials
internal import NIOHTTP1

/// Requests that the caller composes, for endpoints that have no function of their own.
package struct RawRequests: Sendable {
    let client: DoorwardClient

    /// A request, which is sent without further validation.
    package struct Request: Sendable, Equatable {
        /// Upper case, such as `GET`.
        package var method: String
        /// The path after `/api/v1`, percent-encoded. It begins with a slash and may include a query.
        package var path: String
        /// Items that are added to the query, not yet percent-encoded.
        package var query: [Field] = []
        /// Additional headers; they replace headers of the same name that the client sends by default.
        package var headers: [Field] = []
        /// The body. It is sent as JSON unless a header sets another media type.
        package var body: [UInt8]?

        package init(_ method: String, _ path: String) { (self.method, self.path) = (method, path) }
    }

    /// A name and a value.
    package struct Field: Sendable, Equatable {
        /// The name. The name of a header is a token of RFC 9110.
        package var name: String
        /// Any text. The value of a header contains no control characters.
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// Sends a request once. A POST gets a new `Idempotency-Key` unless the caller gives one; it is not repeated, as not every path
    /// accepts such a key. A token that the gateway no longer accepts is refreshed, as for every call.
    ///
    /// - Returns: a response of any status, as soon as its headers have arrived.
    /// - Throws: `ClientError` if no response arrives.
    package func send(_ request: Request) async throws -> RawResponse {
        var apiRequest = APIRequest(HTTPMethod(rawValue: request.method), encodedPath: request.path)
        apiRequest.query = request.query.map { ($0.name, $0.value) }
        apiRequest.headers = request.headers.map { ($0.name, $0.value) }
        apiRequest.body = request.body
        if request.method == "POST" { apiRequest.idempotencyKey = UUID().uuidString.lowercased() }
        // A command is answered after the lock's confirmation, and a backup after it was written: both can take long.
        if request.method != "GET" { apiRequest.timeLimit = .seconds(3600) }
        let readyRequest = apiRequest
        return try await client.authenticated { try await client.transport.open(readyRequest, token: $0) }
    }
}
