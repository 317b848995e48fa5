import Foundation
internal import NIOCore

/// Sign-in over HTTP, as a user does.
package enum SignIn {
    private struct Answer: Decodable {
        struct Content: Decodable { let token: String }
        let data: Content
    }

    /// Signs a user in.
    ///
    /// - Returns: an access token that is valid for 15 minutes.
    /// - Throws: an error if the response contains no token.
    package static func token(email: String, password: String, port: Int) async throws -> String {
        let body = #"{"email":"\#(email)","password":"\#(password)"}"#
        let answer = try await SingleCall.send(
            """
            POST /api/v1/auth/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
            Content-Length: \(body.utf8.count)\r\n\r\n\(body)
            """, port: port)
        return try JSONDecoder().decode(Answer.self, from: Data(answer.body.readableBytesView)).data.token
    }
}
