internal import FoundationEssentials
internal import NIOHTTP1

/// Calls that a caller composes itself, for all that has no function of its own.
package struct RawCalls: Sendable {
    let client: DoorwardClient

    /// One call, not checked beyond what makes it one.
    package struct Request: Sendable, Equatable {
        /// Upper case, such as `GET`.
        package var method: String
        /// After `/api/v1`: begins with a slash, percent-encoded, perhaps with a query.
        package var path: String
        /// Added to the query; names and values are encoded here.
        package var query: [Field] = []
        /// In place of headers that the client sends by itself.
        package var headers: [Field] = []
        /// JSON, unless a header says otherwise.
        package var body: [UInt8]?

        package init(_ method: String, _ path: String) { (self.method, self.path) = (method, path) }
    }

    /// A name and a value.
    package struct Field: Sendable, Equatable {
        /// Of a header: a token of RFC 9110.
        package var name: String
        /// Any text; of a header without control characters.
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// Sends a call, a POST under an `Idempotency-Key` of its own unless the caller gives one. It is sent once: not every path takes
    /// such a key. A token that the gateway no longer takes is renewed, as for every call.
    ///
    /// - Returns: a response of any status, as soon as its headers have come.
    /// - Throws: `ClientError` for everything but a response.
    package func send(_ request: Request) async throws -> RawResponse {
        var call = APIRequest(HTTPMethod(rawValue: request.method), encodedPath: request.path)
        call.query = request.query.map { ($0.name, $0.value) }
        call.headers = request.headers.map { ($0.name, $0.value) }
        call.body = request.body
        if request.method == "POST" { call.idempotencyKey = UUID().uuidString.lowercased() }
        // A command waits for its lock, and a backup for the disk.
        if request.method != "GET" { call.timeLimit = .seconds(3600) }
        let ready = call
        return try await client.authenticated {
            try await client.channel.open(ready, token: $0)
        } status: {
            $0.status
        }
    }
}
