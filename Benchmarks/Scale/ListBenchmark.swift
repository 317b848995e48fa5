import BenchmarkFleet
import BenchmarkGateway
import BenchmarkSupport
import DoorwardDomain
import Foundation
import NIOHTTP1

/// Measures the first page of each list, by its owner, in an estate of full size beside one of 100 devices; and how many invitations
/// and requests with an API key the gateway takes per second.
struct ListBenchmark {
    private static let calls = 300
    private static let callers = 16

    private static let lists = [
        "/portfolios", "/properties", "/units", "/devices", "/users", "/guest-access", "/api-keys", "/commands",
        "/devices?sortBy=-name&limit=200", "/devices?q=door%201", "/units?q=flat%2099", "/users?q=tenant%2099",
    ]

    let folder: URL
    let devices: Int

    func run() async throws {
        var medians: [String: [Double]] = [:]
        for count in [100, devices] {
            let estate = Estate(path: folder.appendingPathComponent("\(count).db").path, devices: count, devicesPerUnit: 2)
            _ = try await estate.write(records: 0)
            let gateway = try ServedGateway.start(database: estate.path)
            defer { gateway.stop() }
            let calls = try await OwnersCalls(to: gateway)
            let size = "\(estate.fleet.deviceCount) devices, \(estate.fleet.tenants.count) users"
            for list in Self.lists {
                var times: [UInt64] = []
                for _ in 0..<Self.calls { times.append(try await calls.send(.GET, list).time) }
                let median = Double(percentile(0.5, of: &times)) / 1e6
                medians[list, default: []].append(median)
                Figure("lists", "\(list), p50", median, "ms", note: size).report()
            }
            if count == devices { try await measureAccounts(calls, estate) }
        }
        for list in Self.lists {
            guard let pair = medians[list], pair.count == 2 else { continue }
            Figure("lists", "\(list), \(devices) devices beside 100", pair[1] / pair[0], "times").report()
        }
    }

    private struct Made: Decodable {
        struct Content: Decodable { let secret: String }
        let data: Content
    }

    private func measureAccounts(_ calls: OwnersCalls, _ estate: Estate) async throws {
        guard let unit = estate.fleet.devices.first?.unitID, let portfolio = estate.fleet.devices.first?.portfolioID else {
            return
        }
        try await rate("invitations, durable") { number in
            let body = #"{"email":"guest\#(number)@example.org","role":"TENANT"}"#
            _ = try await calls.send(.POST, "/units/\(unit)/tenants", body: body)
        }
        let until = Date().addingTimeInterval(86_400).ISO8601Format()
        let made = try await calls.send(
            .POST, "/api-keys",
            body: #"{"name":"K","entityType":"PORTFOLIO","entityId":"\#(portfolio)","role":"AUDITOR","expiresAt":"\#(until)"}"#)
        let keyed = calls.signedIn(with: try JSONDecoder().decode(Made.self, from: made.body).data.secret)
        try await rate("requests with an API key") { _ in _ = try await keyed.send(.GET, "/portfolios/\(portfolio)") }
        try await rate("requests with an access token") { _ in _ = try await calls.send(.GET, "/portfolios/\(portfolio)") }
    }

    /// Measures the rate of a request that 16 callers send, each one after the other.
    private func rate(_ what: String, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        let watch = Stopwatch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<Self.callers {
                group.addTask { for number in 0..<Self.calls { try await body(caller * Self.calls + number) } }
            }
            try await group.waitForAll()
        }
        Figure("accounts", what, Double(Self.callers * Self.calls) / (Double(watch.wall) / 1e9), "1/s").report()
    }
}
