import DoorwardMQTT
import Foundation
import Testing

@testable import doorward_mqtt_locks

/// The built program with a real mosquitto.
@Suite(.serialized, .timeLimit(.minutes(30))) struct BrokerTests {
    private static var program: String {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(filePath: tests).deletingLastPathComponent().appending(component: "doorward-mqtt-locks").path
    }

    private static func fleet(_ broker: Mosquitto, _ profiles: [String], _ more: [String] = []) async throws -> ChildProcess {
        let arguments = ["--broker", "mqtt://127.0.0.1:\(broker.port)", "--latency", "10ms-20ms"]
        let fleet = try ChildProcess(program, arguments + profiles.flatMap { ["--profile", $0] } + more)
        _ = try #require(await fleet.line { $0 == "ready" })
        return fleet
    }

    /// Reads the messages of a log as JSON.
    private static func frames(_ path: String) throws -> [JSON] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap { JSON(Array($0.utf8)) }
    }

    @Test("a ready fleet can be discovered later, executes commands, publishes its last wills, and logs its frames")
    func endToEnd() async throws {
        let folder = try TemporaryFolder()
        let broker = try await Mosquitto.start(in: folder)
        let log = folder.path + "/frames.ndjson"
        let fleet = try await Self.fleet(broker, ["zigbee2mqtt:2", "esphome", "tasmota"], ["--frames", log])
        let client = RecordingClient(port: broker.port)
        // Messages are retained only as in the real ecosystems.
        #expect(await client.message("esphome-1/lock/front_door/state", "LOCKED").isRetained)
        #expect(await client.message("zigbee2mqtt/bridge/devices", "zigbee2mqtt-2").isRetained)
        await client.message("tele/tasmota-1/LWT", "Online")
        try await client.publish("zigbee2mqtt/zigbee2mqtt-2/set", #"{"state":"UNLOCK"}"#)
        let report = await client.message("zigbee2mqtt/zigbee2mqtt-2", #""lock_state":"unlocked""#)
        #expect(!report.isRetained)
        #expect(!client.messages.contains { $0.isRetained && $0.topic == "zigbee2mqtt/zigbee2mqtt-2" })
        fleet.write("offline esphome-1")
        #expect(await client.message("esphome-1/status", "offline").isRetained == false)
        #expect(await fleet.line { $0 == "ok: offline esphome-1" } != nil)
        fleet.write("thumb-turn esphome-1")
        fleet.write("online esphome-1")
        await client.message("esphome-1/lock/front_door/state", "UNLOCKED")
        fleet.write("explode esphome-1")
        #expect(await fleet.line { $0.hasPrefix("error: explode") } != nil)
        fleet.write("quit")
        #expect(await fleet.line { $0.hasPrefix("4 locks: heard 1 message,") } != nil)
        #expect(await fleet.waitForExit() == 0)
        let frames = try Self.frames(log)
        let commands = frames.filter { $0["direction"]?.text == "in" }
        #expect(commands.map { $0["payload"]?.text } == [#"{"state":"UNLOCK"}"#])
        #expect(commands.allSatisfy { $0["qos"]?.whole == 0 && $0["retain"]?.flag == false && $0["wallMs"]?.whole != nil })
        // Every message of the fleet is in its log, except the last wills.
        let publishedTopics = Set(frames.filter { $0["direction"]?.text == "out" }.compactMap { $0["topic"]?.text })
        let live = client.messages.filter {
            !$0.topic.hasSuffix("/set") && !String(decoding: $0.payload, as: UTF8.self).contains("ffline")
        }
        #expect(live.allSatisfy { publishedTopics.contains($0.topic) })
        await client.stop()
    }

    @Test("a fleet whose output is no longer read shuts down cleanly and publishes its last wills")
    func closedOutput() async throws {
        let folder = try TemporaryFolder()
        let broker = try await Mosquitto.start(in: folder)
        let arguments = ["--broker", "mqtt://127.0.0.1:\(broker.port)", "--profile", "esphome"]
        let script = #""$@" | { head -n 1 >/dev/null; exec <&-; echo gone; }; exit ${PIPESTATUS[0]}"#
        let fleet = try ChildProcess("/bin/bash", ["-c", script, "bash", Self.program] + arguments)
        let client = RecordingClient(port: broker.port)
        await client.message("esphome-1/status", "online")
        #expect(await fleet.line { $0 == "gone" } != nil)
        fleet.write("thumb-turn esphome-1")
        await client.message("esphome-1/status", "offline")
        #expect(await fleet.waitForExit() == 0)
        await client.stop()
    }

    @Test("wrong usage exits 2 with an error message", arguments: [["--profile", "esphome"], ["--no-such-option"]])
    func usage(_ arguments: [String]) async throws {
        let fleet = try ChildProcess(Self.program, arguments, readsErrors: true)
        #expect(await fleet.line { $0.hasPrefix("Error: ") } != nil)
        #expect(await fleet.waitForExit() == 2)
    }

    @Test("the summary of one lock uses the singular")
    func one() {
        #expect(FleetCounts().summary(locks: 1).hasPrefix("1 lock: heard 0 messages"))
    }

    @Test("after a crash of the broker the whole fleet reconnects, and does not publish events that happened meanwhile")
    func brokerCrash() async throws {
        let folder = try TemporaryFolder()
        let broker = try await Mosquitto.start(in: folder)
        let fleet = try await Self.fleet(broker, ["zigbee2mqtt:2", "homeassistant:2"])
        broker.process.kill()
        fleet.write("thumb-turn zigbee2mqtt-1")
        #expect(await fleet.line { $0 == "ok: thumb-turn zigbee2mqtt-1" } != nil)
        let restarted = try await Mosquitto.start(in: folder, port: broker.port)
        let client = RecordingClient(port: restarted.port)
        await client.message("locks/homeassistant-2/availability", "online")
        await client.message("zigbee2mqtt/zigbee2mqtt-1/availability", "online")
        try await client.publish("zigbee2mqtt/zigbee2mqtt-1/get", #"{"state":""}"#)
        await client.message("zigbee2mqtt/zigbee2mqtt-1", #""lock_state":"unlocked""#)
        // Only the present state is published.
        let messages = client.messages.filter { $0.topic == "zigbee2mqtt/zigbee2mqtt-1" }
        #expect(!messages.contains { String(decoding: $0.payload, as: UTF8.self).contains("action") })
        fleet.write("quit")
        #expect(await fleet.waitForExit() == 0)
        await client.stop()
    }
}
