import AsyncHTTPClient
import BenchmarkFleet
import BenchmarkSupport
import DoorwardDomain
import Foundation
import NIOCore
import NIOHTTP1

/// Pages of access records out of a whole estate, over HTTP.
struct PageBenchmark {
    private static let pages = 200

    let gateway: ServedGateway
    let estate: Estate

    func run() async throws {
        let token = try await token()
        let tenants = estate.fleet.tenants
        try await measure("by device", token) { "deviceId=\(tenants[$0 * 31 % tenants.count].devices[0])" }
        try await measure("by person", token) { "userId=\(tenants[$0 * 31 % tenants.count].user.id)" }
        let now = Date()
        try await measure("by time", token) { number in
            let from = now.addingTimeInterval(-Double(number + 1) * 1.8 * 86_400)
            return "from=\(from.ISO8601Format())&until=\(from.addingTimeInterval(3_600).ISO8601Format())"
        }
        try await measure("newest of all portfolios", token) { _ in "limit=50" }
    }

    private func measure(_ what: String, _ token: String, query: (Int) -> String) async throws {
        var times: [UInt64] = []
        for number in 0..<Self.pages {
            var request = HTTPClientRequest(url: "\(gateway.url)/api/v1/access-records?\(query(number))")
            request.headers.add(name: "Authorization", value: "Bearer \(token)")
            let watch = Stopwatch()
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
            let body = try await response.body.collect(upTo: 1 << 22)
            times.append(watch.wall)
            guard response.status == .ok else {
                throw Failure(answer: String(buffer: body))
            }
        }
        Figure("access records", "a page \(what), p50", Double(percentile(0.5, of: &times)) / 1e6, "ms").report()
        Figure("access records", "a page \(what), p99", Double(percentile(0.99, of: &times)) / 1e6, "ms", goal: 20).report()
    }

    struct Failure: Error { let answer: String }

    private struct SignInAnswer: Decodable {
        struct Content: Decodable { let token: String }
        let data: Content
    }

    private func token() async throws -> String {
        var request = HTTPClientRequest(url: "\(gateway.url)/api/v1/auth/login")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: #"{"email":"\#(Estate.ownerEmail)","password":"\#(Estate.password)"}"#))
        let body = try await HTTPClient.shared.execute(request, timeout: .seconds(60)).body.collect(upTo: 1 << 20)
        return try JSONDecoder().decode(SignInAnswer.self, from: Data(body.readableBytesView)).data.token
    }
}
