import BenchmarkFleet
import BenchmarkSupport
import DoorwardDomain
import Foundation
import NIOHTTP1

/// Measures pages of access records from a database of full size, over HTTP.
struct PageBenchmark {
    private static let pages = 200

    let calls: OwnersCalls
    let estate: Estate

    func run() async throws {
        let tenants = estate.fleet.tenants
        try await measure("by device") { "deviceId=\(tenants[$0 * 31 % tenants.count].devices[0])" }
        try await measure("by person") { "userId=\(tenants[$0 * 31 % tenants.count].user.id)" }
        let now = Date()
        try await measure("by time") { number in
            let from = now.addingTimeInterval(-Double(number + 1) * 1.8 * 86_400)
            return "from=\(from.ISO8601Format())&until=\(from.addingTimeInterval(3_600).ISO8601Format())"
        }
        try await measure("of the newest of all portfolios") { _ in "limit=50" }
    }

    private func measure(_ what: String, query: (Int) -> String) async throws {
        var times: [UInt64] = []
        for number in 0..<Self.pages { times.append(try await calls.send(.GET, "/access-records?\(query(number))").time) }
        Figure("access records", "a page \(what), p50", Double(percentile(0.5, of: &times)) / 1e6, "ms").report()
        Figure("access records", "a page \(what), p99", Double(percentile(0.99, of: &times)) / 1e6, "ms", goal: 20).report()
    }
}
