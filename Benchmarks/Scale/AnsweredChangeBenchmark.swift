import BenchmarkFleet
import BenchmarkSupport
import DoorwardDomain
import Foundation
import NIOHTTP1

/// Measures changes of permissions from the request to the response. The response is sent when the
/// change and its records are durable, the change is in force, and the dispatch gates have been
/// passed. The changes run one after the other, so that no two of them share a flush.
struct AnsweredChangeBenchmark {
    private static let changes = 1_000

    let calls: OwnersCalls
    let estate: Estate

    private struct Granted: Decodable {
        struct Content: Decodable { let guestAccess: Access }
        struct Access: Decodable { let id: String }
        let data: Content
    }

    func run() async throws {
        var (grants, revocations): ([UInt64], [UInt64]) = ([], [])
        let until = Date().addingTimeInterval(86_400).ISO8601Format()
        let from = Date().ISO8601Format()
        for number in 0..<Self.changes / 2 {
            let device = estate.fleet.tenants[number * 31 % estate.fleet.tenants.count].devices[0]
            let body =
                #"{"label":"Guest","deviceIds":["\#(device)"],"operations":["UNLOCK"],"validFrom":"\#(from)","validUntil":"\#(until)"}"#
            let granted = try await calls.send(.POST, "/guest-access", body: body)
            grants.append(granted.time)
            let id = try JSONDecoder().decode(Granted.self, from: granted.body).data.guestAccess.id
            revocations.append(try await calls.send(.DELETE, "/guest-access/\(id)").time)
        }
        report("a grant", &grants)
        report("a revocation", &revocations)
    }

    private func report(_ what: String, _ times: inout [UInt64]) {
        Figure("change to tenancy", "\(what), asked to answered, p50", Double(percentile(0.5, of: &times)) / 1e6, "ms").report()
        Figure("change to tenancy", "\(what), asked to answered, p99", Double(percentile(0.99, of: &times)) / 1e6, "ms", goal: 5)
            .report()
    }
}
