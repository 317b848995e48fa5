import BenchmarkFleet
import BenchmarkGateway
import BenchmarkSupport
import DoorwardDomain
import Foundation
import NIOCore

/// Measures a gateway with many attached locks behind one Zigbee2MQTT; each lock reports its state once a minute. The values are
/// the time until the state of all locks is known, the gateway's resources without commands, and the time of an unlock under
/// these conditions.
struct FleetBenchmark {
    private static let name = "a fleet over MQTT"
    private static let devicesPerUnit = 10
    private static let tenants = 64
    private static let loadSeconds = 20.0
    /// The gateway's pause between two state requests after its start, when it requests the state of each lock once.
    private static let stateRequestInterval = 0.02
    /// The maximum time until the locks are known.
    private static let onlineTimeout = 300.0

    let folder: URL
    let locks: Int
    /// How long the idle gateway is measured.
    let seconds: Int

    private struct OnlineTimeout: Error { let count: Int }

    func run() async throws {
        let broker = try BenchmarkBroker()
        defer { broker.end() }
        let simulator = try LocksProgram(port: broker.port, locks: locks, reportEvery: "60s")
        defer { simulator.end() }
        let variables = try LocksProgram.variables(locks)
        let units = max(1, locks / Self.devicesPerUnit / 10)
        let fleet = Fleet(portfolios: 10, unitsPerPortfolio: units, devicesPerUnit: Self.devicesPerUnit) { number in
            var address = variables[number % variables.count].mapValues { JSONValue.string($0) }
            (address["broker"], address["profile"]) = (.string(GatewayFixture.brokerName), .string("zigbee2mqtt"))
            return Fleet.Way(adapter: "mqtt", address: address)
        }
        let fixture = try await GatewayFixture.write(
            fleet, folder: folder, brokerPort: broker.port, discovery: "zigbee2mqtt")
        let start = Stopwatch()
        let gateway = try fixture.serve()
        defer { gateway.stop() }
        figure("start to ready", gateway.startSeconds, "s")
        try await waitUntilOnline(fleet.deviceCount, gateway, since: start)
        try await watch("while all are asked once", Double(fleet.deviceCount) * Self.stateRequestInterval + 5, gateway, broker)
        try await watch("with a report a minute each", Double(seconds), gateway, broker)
        try await unlock(fixture, gateway)
        figure("memory after that", gateway.residentMemory / 1_048_576, "MiB")
    }

    private func figure(_ figure: String, _ value: Double, _ unit: String) {
        Figure(Self.name, figure, value, unit, note: "\(locks) locks").report()
    }

    // MARK: Online

    private func waitUntilOnline(_ count: Int, _ gateway: ServedGateway, since start: Stopwatch) async throws {
        let token = try await SignIn.token(
            email: GatewayFixture.operatorEmail, password: Fleet.password, port: gateway.port)
        var online = 0
        while online < count {
            guard Double(start.wall) / 1e9 < Self.onlineTimeout else { throw OnlineTimeout(count: online) }
            online = try await onlineCount(token, port: gateway.port)
            if online < count { try await Task.sleep(for: .milliseconds(50)) }
        }
        figure("start to all locks known online", Double(start.wall) / 1e9, "s")
        figure("processor time until then", gateway.processorSeconds, "s")
        figure("memory then", gateway.residentMemory / 1_048_576, "MiB")
    }

    private struct Adapters: Decodable {
        struct Content: Decodable { let adapters: [Adapter] }
        struct Adapter: Decodable {
            let kind: String
            let onlineCount: Int
        }
        let data: Content
    }

    private func onlineCount(_ token: String, port: Int) async throws -> Int {
        let request = "GET /api/v1/adapters HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n\r\n"
        let answer = try await SingleCall.send(request, port: port)
        let adapters = try JSONDecoder().decode(Adapters.self, from: Data(answer.body.readableBytesView)).data.adapters
        return adapters.first { $0.kind == "mqtt" }?.onlineCount ?? 0
    }

    // MARK: Watching

    private func watch(_ what: String, _ seconds: Double, _ gateway: ServedGateway, _ broker: BenchmarkBroker) async throws {
        let (used, brokersUsed, watch) = (gateway.processorSeconds, broker.processorSeconds, Stopwatch())
        try await Task.sleep(for: .seconds(seconds))
        let wall = Double(watch.wall) / 1e9
        figure("processor time \(what)", (gateway.processorSeconds - used) / wall * 100, "% of a core")
        figure("processor time of the broker \(what)", (broker.processorSeconds - brokersUsed) / wall * 100, "% of a core")
        figure("memory \(what)", gateway.residentMemory / 1_048_576, "MiB")
    }

    // MARK: Unlocking

    private func unlock(_ fixture: GatewayFixture, _ gateway: ServedGateway) async throws {
        let requests = try await fixture.commandRequests(["unlock", "lock"], tenants: Self.tenants, on: gateway)
        for (name, connections) in [("one at a time", [requests.flatMap(\.self)]), ("\(requests.count) at once", requests)] {
            let result = try await Load.run(
                LoadPlan(port: gateway.port, seconds: Self.loadSeconds, connections: connections))
            figure("orders confirmed, \(name)", result.rate, "1/s")
            figure("asked to confirmed, \(name), p50", result.p50 / 1000, "ms")
            figure("asked to confirmed, \(name), p99", result.p99 / 1000, "ms")
            figure("answers other than 200, \(name)", Double(result.failed), "")
        }
    }
}
