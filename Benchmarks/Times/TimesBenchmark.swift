import AsyncHTTPClient
import BenchmarkFleet
import BenchmarkGateway
import BenchmarkSupport
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardStore
import Foundation
import Logging
import NIOCore
import NIOHTTP1

/// Measures whether the response time distinguishes an id of another portfolio from one that does not exist: `benchmark-times
/// [folder] [tries]`.
@main
enum TimesBenchmark {
    /// The maximum P(slower) at which the duration of a call is considered to reveal nothing; 0.5 is chance.
    private static let bound = 0.55

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst().map { $0 }
        Machine().report()
        let parent = arguments.first.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let tries = arguments.count > 1 ? Int(arguments[1]) ?? 4000 : 4000
        let folder = parent.appendingPathComponent("doorward-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        let house = TwoPortfolios(path: folder.appendingPathComponent("doorward.db").path)
        try await house.write()
        let configuration = folder.appendingPathComponent("doorward.yaml")
        try "limits: { deniedPerMinute: 100000 }\n".write(to: configuration, atomically: true, encoding: .utf8)
        let gateway = try ServedGateway.start(database: house.path, configuration: configuration.path)
        defer { gateway.stop() }
        for asker in house.askers {
            for call in house.calls {
                let token = try await SignIn.token(email: asker.email, password: Fleet.password, port: gateway.port)
                let probability = try await probability(call, tries, url: "\(gateway.url)/api/v1", token: token)
                Figure(
                    "telling times", "P(slower) of \(call.name) by \(asker.name)", probability, "probability", goal: bound,
                    note: "\(tries) tries"
                ).report()
            }
        }
    }

    /// Returns the probability that a request with an id of the other portfolio takes longer than one with an id that does not
    /// exist. It is computed over all pairs of one try of each kind; a tie counts as half.
    private static func probability(_ call: AskedCall, _ tries: Int, url: String, token: String) async throws -> Double {
        var generator = SystemRandomNumberGenerator()
        // The first tries warm up connections and caches, and are not counted.
        let warmUp = (0..<200).map { $0.isMultiple(of: 2) }
        let order = warmUp + (0..<tries).map { $0.isMultiple(of: 2) }.shuffled(using: &generator)
        var (others, nobodys): ([UInt64], [UInt64]) = ([], [])
        for (number, isOthers) in order.enumerated() {
            let id = isOthers ? call.others[number % call.others.count] : call.nobodys()
            var request = HTTPClientRequest(url: url + call.path(id))
            request.method = call.method
            request.headers.add(name: "Authorization", value: "Bearer \(token)")
            let watch = Stopwatch()
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
            _ = try await response.body.collect(upTo: 1 << 22)
            let time = watch.wall
            guard response.status.code == call.status else { throw UnexpectedStatus(code: response.status.code, call: call.name) }
            guard number >= warmUp.count else { continue }
            if isOthers { others.append(time) } else { nobodys.append(time) }
        }
        nobodys.sort()
        let wins = others.reduce(0.0) { wins, time in
            wins + (Double(count(nobodys) { $0 < time }) + Double(count(nobodys) { $0 <= time })) / 2
        }
        return wins / Double(others.count) / Double(nobodys.count)
    }

    private struct UnexpectedStatus: Error {
        let code: UInt
        let call: String
    }

    /// Returns the number of elements that meet the condition, by binary search. The elements that meet it must come first.
    private static func count(_ sorted: [UInt64], _ isSo: (UInt64) -> Bool) -> Int {
        var range = 0..<sorted.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = isSo(sorted[middle]) ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

/// A call with a placeholder for an id.
struct AskedCall {
    let name: String
    let method: HTTPMethod
    /// The response's status for both kinds of ids.
    let status: UInt
    let path: (String) -> String
    /// Ids of the other portfolio.
    let others: [String]
    /// Returns a new id that does not exist, with the same timestamp as the ids of the other portfolio.
    let nobodys: () -> String
}
