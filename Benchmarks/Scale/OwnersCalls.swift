import AsyncHTTPClient
import BenchmarkGateway
import BenchmarkSupport
import Foundation
import NIOCore
import NIOHTTP1

/// Sends requests of the estate's owner, one after the other, and measures each.
struct OwnersCalls {
    private let url: String
    private let token: String

    struct Failure: Error { let answer: String }

    private struct SignInAnswer: Decodable {
        struct Content: Decodable { let token: String }
        let data: Content
    }

    private init(url: String, token: String) { (self.url, self.token) = (url, token) }

    /// The same calls with another token.
    func signedIn(with token: String) -> OwnersCalls { OwnersCalls(url: url, token: token) }

    /// Signs the owner in.
    init(to gateway: ServedGateway) async throws {
        url = "\(gateway.url)/api/v1"
        let body = #"{"email":"\#(Estate.ownerEmail)","password":"\#(Estate.password)"}"#
        let answer = try await Self.send(.POST, "\(url)/auth/login", body: body, token: nil).body
        token = try JSONDecoder().decode(SignInAnswer.self, from: answer).data.token
    }

    /// - Returns: the body of a successful response, and the nanoseconds until it was complete.
    func send(_ method: HTTPMethod, _ path: String, body: String? = nil) async throws -> (body: Data, time: UInt64) {
        try await Self.send(method, url + path, body: body, token: token)
    }

    /// Passes the body of a successful response to `use` while it arrives.
    func download(_ path: String, _ use: (ByteBuffer) throws -> Void) async throws {
        var request = HTTPClientRequest(url: url + path)
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        let response = try await HTTPClient.shared.execute(request, timeout: .hours(1))
        guard response.status == .ok else {
            throw Failure(answer: String(buffer: try await response.body.collect(upTo: 1 << 16)))
        }
        for try await part in response.body { try use(part) }
    }

    private static func send(
        _ method: HTTPMethod, _ url: String, body: String?, token: String?
    ) async throws -> (body: Data, time: UInt64) {
        var request = HTTPClientRequest(url: url)
        request.method = method
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: body))
        }
        let watch = Stopwatch()
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let answer = try await response.body.collect(upTo: 1 << 22)
        let time = watch.wall
        guard (200..<300).contains(response.status.code) else { throw Failure(answer: String(buffer: answer)) }
        return (Data(answer.readableBytesView), time)
    }
}
