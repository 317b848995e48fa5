import AdapterMQTT
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Foundation
import Testing

/// Discovers the simulated locks of `doorward-mqtt-locks`, which were written independently of the adapter.
@Suite(.timeLimit(.minutes(30))) struct FleetDiscoveryTests {
    static let profiles = [
        "homeassistant", "zigbee2mqtt", "nuki-native", "nuki-hub", "zwave-js-ui", "esphome", "homie", "ring-mqtt",
    ]

    @Test("every announced lock is discovered without a problem, with the right profile and the right command topic")
    func fleet() async throws {
        let broker = try await MosquittoProcess.start()
        var discovery = Discovery(profiles: [])
        let (events, continuation) = AsyncStream<MQTTEvent>.makeStream()
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "discovery")
        // The library's keep-alive uses real time, so it must not expire during the test.
        settings.keepAlive = .seconds(65_535)
        // Virtual time is not advanced, so that the connection stays open on a slow machine.
        let connection = MQTTConnection(settings, clock: VirtualClock(), random: RandomSource()) { continuation.yield($0) }
        connection.subscribe(to: discovery.filters)
        connection.start()
        var fleet: Process?
        defer { fleet?.terminate() }
        for await event in events {
            // The locks start after the subscription, because not every announcement is retained.
            if event == .subscribed {
                fleet = try program(["--broker", "mqtt://127.0.0.1:\(broker.port)"])
                try fleet?.start()
            }
            guard case .message(let message) = event else { continue }
            _ = discovery.receive(message)
            if discovery.locks.count == 2 * Self.profiles.count { break }
        }
        await connection.stop()
        #expect(discovery.locks.allSatisfy { $0.problem == nil })
        #expect(try Set(discovery.locks.map { try key($0.profile, $0.variables) }) == Set(await listed()))
    }

    private func key(_ profile: String, _ variables: [String: JSONValue]) throws -> String {
        let profile = try #require(ProfileLibrary.shipped[profile])
        return "\(profile.id) \(try Dialect(profile, variables: variables).commandTopic)"
    }

    /// Returns the same locks as listed by the program itself.
    private func listed() async throws -> [String] {
        struct Lock: Decodable {
            var profile: String
            var address: [String: JSONValue]
        }
        let bytes = try await program(["--list"]).output().bytes
        return try JSONDecoder().decode([Lock].self, from: bytes).map { try key($0.profile, $0.address) }
    }

    private func program(_ options: [String]) throws -> Process {
        let program = Process()
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        program.executableURL = URL(filePath: tests).deletingLastPathComponent().appending(path: "doorward-mqtt-locks")
        program.arguments = options + ["--count", "2"] + Self.profiles.flatMap { ["--profile", $0] }
        program.standardOutput = Pipe()
        // The program runs until its input ends.
        program.standardInput = Pipe()
        return program
    }
}
